#!/usr/bin/env bats
# Source tarball, static program and Debian packages; the packages in a clean root. Only with make test-long.
load support

setup() {
    once
    only_long
    cd "$BATS_TEST_TMPDIR"
}

@test "the static program analyses traces alone" {
    "$SOURCE/tools/bootstrap" static
    "$SOURCE/tools/make-static" static >/dev/null 2>&1
    run ldd static/heddle
    [[ "$output" == *"not a dynamic executable"* ]]
    cp static/heddle alone
    printf 'T1|fork(T2)|1\nT1|w(x)|2\nT2|w(x)|3\n' >race.std
    run ./alone check --property=race race.std
    [ "$status" -eq 2 ]
}

@test "two builds of the packages have the same bytes; lintian has nothing to say; a clean root can use them" {
    "$SOURCE/tools/bootstrap" build plugin deb
    "$SOURCE/tools/make-deb" one >/dev/null
    "$SOURCE/tools/make-deb" two >/dev/null
    for package in one/*.deb; do
        cmp "$package" "two/${package#one/}"
    done
    run lintian --allow-root --fail-on error,warning one/*.changes
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(id -u)" -eq 0 ] && command -v mmdebstrap >/dev/null || skip "a clean root needs root and mmdebstrap"
    mmdebstrap --variant=apt --include=ca-certificates bookworm root /etc/apt/sources.list.d/*.sources >/dev/null 2>&1
    cp -rL /etc/resolv.conf root/etc/ 2>/dev/null || true
    cp -rL /etc/apt/apt.conf.d/* root/etc/apt/apt.conf.d/ 2>/dev/null || true
    mkdir root/packages
    cp one/*.deb root/packages
    rm root/packages/*dbgsym*
    cp "$PROGRAMS/lost_update.c" root/root
    mount -t proc proc root/proc
    run chroot root sh -ec 'apt-get update >/dev/null
        DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends /packages/*.deb gcc g++ libc6-dev gdb >/dev/null 2>&1
        cd /root
        heddle cc -g -O1 -w lost_update.c -o lost
        heddle run --seed=1 --property=stale -- ./lost 2>&1 || echo "status $?"
        echo "info heddle" | heddle replay --gdb heddle-out/report.json T1 -- ./lost 2>&1
        ls "$(heddle report --format=sarif heddle-out/report.json | sed -n "s/.*\"informationUri\":\"file:..\([^\"]*\)\".*/\1/p")"
        gcc -g -O1 -w -pthread lost_update.c -o plain
        heddle record --tool=valgrind -o plain.htr -- ./plain 2>&1
        heddle --version'
    umount root/proc
    echo "$output"
    [[ "$output" == *"1 problem: 1 stale"*"status 2"* ]]
    [[ "$output" == *"finding:   T1, stale: "* ]]
    [[ "$output" == *"/usr/share/doc/heddle/README.md"* ]]
    [[ "$output" == *"in plain.htr"* ]]
    ! [[ "$output" == *"   no" ]]
}

@test "the image has a heddle that records and replays" {
    for file in $(sed -n 's/^COPY \([a-z][^ ]*\) .*/\1/p' "$SOURCE/Dockerfile"); do
        [ -e "$SOURCE/$file" ]
    done
    docker info >/dev/null 2>&1 || skip "there is no docker that can build"
    docker build -q -t heddle-test "$SOURCE"
    cp "$PROGRAMS/lost_update.c" .
    docker run --rm -v "$PWD:/work" heddle-test cc -g -O1 -w lost_update.c -o lost
    run docker run --rm -v "$PWD:/work" heddle-test run --seed=1 --property=stale -- ./lost
    docker rmi heddle-test >/dev/null
    echo "$output"
    [ "$status" -eq 2 ]
}

@test "arm64: traces are analysed, with the same answers" {
    "$SOURCE/tools/bootstrap" arm64 || skip "the cross compiler, qemu or arm64 libraries cannot be had"
    "$SOURCE/tools/make-arm64" arm >/dev/null
    file arm/heddle | grep -q aarch64
    for trace in lost-update account mergesort; do
        "$HEDDLE" check --format=json -o here.json "$TRACES/$trace.std" || true
        qemu-aarch64-static arm/heddle check --format=json -o there.json "$TRACES/$trace.std" || true
        cmp here.json there.json
        qemu-aarch64-static arm/heddle verify "$TRACES/$trace.std" here.json
        "$HEDDLE" report --format=html --trace="$TRACES/$trace.std" -o here.html here.json
        qemu-aarch64-static arm/heddle report --format=html --trace="$TRACES/$trace.std" -o there.html here.json
        cmp here.html there.html
    done
}
