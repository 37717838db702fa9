#!/usr/bin/env bats
# tools/bootstrap on a machine that lacks packages, with stand-ins for the system's tools.

setup() {
    cd "$BATS_TEST_TMPDIR"
    bootstrap=$BATS_TEST_DIRNAME/../../tools/bootstrap
    mkdir bin
    unset DEBIAN_FRONTEND
    echo "cmake ninja-build g++ libzstd-dev libxxhash-dev libjansson-dev libyaml-dev zlib1g-dev libdw-dev scdoc" |
        tr ' ' '\n' >installed
    for tool in sh sed grep mktemp rm tail echo env cat tr; do
        ln -s "$(command -v $tool)" bin/$tool
    done
    # Says what is in the file `installed`; complains and fails when asked for more, as the real one does.
    stand_in dpkg-query 'for p in "$@"; do case $p in -*) ;; *)
        if grep -qxF "$p" installed; then echo "ii  $p"; else echo "no packages found matching $p" >&2; fi ;;
        esac; done; exit 1'
    # Notes how it was called; installing adds to the file.
    stand_in apt-get 'echo "apt-get $* frontend=${DEBIAN_FRONTEND:-}" >>calls
        [ -z "${APT_FAILS:-}" ] || { echo "E: no network"; exit 100; }
        case $1 in install) shift; for p in "$@"; do case $p in -*) ;; *) echo "$p" >>installed ;; esac; done ;; esac'
    stand_in id 'echo "${FAKE_UID:-0}"'
}

stand_in() {
    printf '#!/bin/sh\n%s\n' "$2" >"bin/$1"
    chmod +x "bin/$1"
}

lacks() {
    for package; do sed -i "/^$package\$/d" installed; done
}

@test "nothing is missing: silence, nothing called" {
    PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ ! -e calls ]
}

@test "missing packages are named and installed without a prompt; the second run is silent" {
    lacks scdoc g++
    PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 0 ]
    [ "$output" = "heddle: installing missing packages: g++ scdoc" ]
    diff calls - <<'END'
apt-get update frontend=
apt-get install -y --no-install-recommends g++ scdoc frontend=noninteractive
END
    PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    [ "$(wc -l <calls)" -eq 2 ]
}

@test "each purpose brings its packages" {
    PATH=$PWD/bin run "$bootstrap" build test
    [ "$output" = "heddle: installing missing packages: libcmocka-dev bats default-jdk-headless libasm-java clang clang-format clang-tidy valgrind meson autoconf automake python3-yaml libgtest-dev python3-pytest junit5" ]
    PATH=$PWD/bin run "$bootstrap" browser
    [ "$output" = "heddle: installing missing packages: chromium nodejs npm" ]
    lacks default-jdk-headless
    PATH=$PWD/bin run "$bootstrap" java
    [ "$output" = "heddle: installing missing packages: default-jdk-headless" ]
    stand_in chromium true
    stand_in node true
    stand_in npm true
    PATH=$PWD/bin run "$bootstrap" browser
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    PATH=$PWD/bin run "$bootstrap" build fuzz
    [ "$output" = "heddle: installing missing packages: libclang-rt-14-dev" ]
    PATH=$PWD/bin run "$bootstrap" dance
    [ "$status" -eq 1 ]
    [ "$output" = "bootstrap: unknown purpose dance" ]
}

@test "the headers for gcc's plugins are those of its version" {
    PATH=$PWD/bin run "$bootstrap" plugin
    [ "$status" -eq 0 ]
    [ -z "$output" ]
    stand_in gcc 'case $1 in -dumpversion) echo 13.2.0 ;; *) echo folder ;; esac'
    PATH=$PWD/bin run "$bootstrap" plugin
    [ "$status" -eq 0 ]
    [ "$output" = "heddle: installing missing packages: gcc-13-plugin-dev" ]
    lacks gcc-13-plugin-dev
    mkdir -p folder/include
    touch folder/include/gcc-plugin.h
    PATH=$PWD/bin run "$bootstrap" plugin
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "sudo is used where it asks nothing" {
    lacks scdoc
    stand_in sudo 'echo "sudo $*" >>calls; [ "$1" != -n ] || exit 0; exec "$@"'
    FAKE_UID=1000 PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 0 ]
    grep -qx 'sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends scdoc' calls
    grep -qx scdoc installed
}

@test "without permission the one command to run is printed" {
    lacks scdoc
    FAKE_UID=1000 PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "heddle: missing packages: scdoc" ]
    [ "${lines[1]}" = "heddle: no permission to install; run this, then make again:" ]
    [ "${lines[2]}" = "  sudo apt-get install -y --no-install-recommends scdoc" ]
    [ ! -e calls ]
    stand_in sudo 'exit 1'
    FAKE_UID=1000 PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 1 ]
    [ ! -e calls ]
}

@test "a failed installation shows why and what to do" {
    lacks scdoc
    APT_FAILS=1 PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 1 ]
    [ "${lines[1]}" = "E: no network" ]
    [ "${lines[3]}" = "  apt-get update && apt-get install -y --no-install-recommends scdoc" ]
}

@test "another system is told what it needs" {
    rm bin/dpkg-query
    PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == "heddle: this is not a Debian system"* ]]
    [[ "${lines[1]}" == *" libzstd-dev "* ]]
    stand_in cmake true
    stand_in ninja true
    PATH=$PWD/bin run "$bootstrap" build
    [ "$status" -eq 0 ]
}
