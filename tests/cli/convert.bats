#!/usr/bin/env bats
# heddle convert: every format to every other; what is there survives every failure.
load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$TRACES/mergesort.std" in.std
    printf 'A|acq(l)|\nB|acq(l)|\n' >bad.std
}

# No file but those named is left in the folder.
only() {
    diff <(ls -A) <(printf '%s\n' "$@" | sort)
}

@test "all formats and back" {
    "$HEDDLE" convert in.std a.htr
    "$HEDDLE" convert a.htr b.std.gz
    "$HEDDLE" convert b.std.gz c.std.zst
    "$HEDDLE" convert c.std.zst d.htr
    "$HEDDLE" convert d.htr e.std
    cmp in.std e.std
    cmp a.htr d.htr
    gzip -dc b.std.gz | cmp - in.std
    only a.htr b.std.gz bad.std c.std.zst d.htr e.std in.std
}

@test "native is smaller" {
    "$HEDDLE" convert "$TRACES/ftpserver.std" f.htr
    [ $(($(stat -c %s f.htr) * 6)) -lt "$(stat -Lc %s "$TRACES/ftpserver.std")" ]
}

@test "every bundled trace goes through native unchanged" {
    for trace in "$TRACES"/*.std; do
        "$HEDDLE" convert "$trace" t.htr
        "$HEDDLE" convert t.htr - | cmp - <(grep -v '^#' "$trace" | tr -d '\r')
    done
}

@test "a generated trace with names and locations goes through native unchanged" {
    "$GENERATE" bank 70000 4 1 g.std
    "$HEDDLE" convert g.std g.htr
    "$HEDDLE" convert g.htr - | cmp - g.std
}

@test "standard input and output" {
    "$HEDDLE" convert - a.htr <in.std
    "$HEDDLE" convert - - <a.htr | cmp - in.std
}

@test "the reader written from the documentation agrees" {
    command -v python3 >/dev/null || skip "python3 is not installed"
    printf 'A|w(x=5)|p\nA|fork(B)|\nB|r(x=-1)|q\nB|rmw.ar(x=word)|q\nB|fence.sc|\nB|begin|\nB|dbegin(d)|\n' >v.std
    for trace in v.std "$TRACES"/java-philo-nested.std; do
        for without in "" --without=names --without=locations --without=values,names; do
            "$HEDDLE" convert $without "$trace" t.htr
            "$BATS_TEST_DIRNAME/read_htr.py" t.htr | cmp - <("$HEDDLE" convert t.htr -)
        done
    done
    "$GENERATE" queue 70000 4 1 g.std
    "$HEDDLE" convert g.std g.htr
    "$BATS_TEST_DIRNAME/read_htr.py" g.htr | cmp - g.std
    [ "$("$BATS_TEST_DIRNAME/read_htr.py" --blocks g.htr | cut -d' ' -f1,2 | tr '\n' ' ')" = \
        "1 0 1 65536 2 $(wc -l <g.std) 3 $(wc -l <g.std) " ]
}

# Grounds of all forms, values, types and ends of runs.
@test "random traces with grounds go through native unchanged, and the other reader agrees" {
    times=25
    ! sanitized || times=5
    for seed in $(seq $times); do
        "$SCRIBBLE" "$seed" $((seed * 5)) >s.std
        "$HEDDLE" convert s.std s.htr
        "$HEDDLE" convert s.htr - | cmp - s.std
        "$HEDDLE" convert s.htr again.std
        "$HEDDLE" convert again.std again.htr
        cmp s.htr again.htr
        ! command -v python3 >/dev/null || "$BATS_TEST_DIRNAME/read_htr.py" s.htr | cmp - s.std
    done
}

@test "grounds can be dropped" {
    printf 'T|r(x=1)|a|by -\nT|w(x=2)|b|by - from 1+1\nT|w(x=3)|c\n' >g.std
    "$HEDDLE" convert --grounds=drop g.std - | cmp - <(cut -d'|' -f1-3 g.std)
    "$HEDDLE" convert --grounds=drop g.std d.htr
    "$HEDDLE" convert <(cut -d'|' -f1-3 g.std) p.htr
    cmp d.htr p.htr
    "$HEDDLE" convert --grounds=keep g.std - | cmp - g.std
    run "$HEDDLE" convert --grounds=some g.std -
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: convert: --grounds=some: expected keep or drop" ]
}

@test "bad grounds are refused with line and reason" {
    printf '# c\nT|r(x=1)|a\nU|w(x=2)|b|by 1\n' >g.std
    run "$HEDDLE" convert g.std -
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: g.std:3: by names 1, an event of T and not of U" ]
    printf 'T|r(x=1)|a\nT|w(x=3)|b|from 1+1\n' >g.std
    run "$HEDDLE" convert g.std -
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: g.std:2: from says read 1+1, which is 2, but another value was written" ]
}

@test "a semaphore keeps its count where values are left out" {
    printf 'T|seminit(s=2)|a\nT|w(x=3)|b\n' >v.std
    "$HEDDLE" convert --without=values v.std v.htr
    [ "$("$HEDDLE" convert v.htr -)" = "$(printf 'T|seminit(s=2)|a\nT|w(x)|b')" ]
}

@test "parts can be left out" {
    printf 'main|w(count=5)|a.c:1\nmain|acq(guard)|a.c:2\n' >v.std
    "$HEDDLE" convert --without=names v.std n.htr
    [ "$("$HEDDLE" convert n.htr -)" = "$(printf 'T0|w(x0=5)|a.c:1\nT0|acq(l0)|a.c:2')" ]
    "$HEDDLE" convert --without=locations,values v.std l.htr
    [ "$("$HEDDLE" convert l.htr -)" = "$(printf 'main|w(count)|\nmain|acq(guard)|')" ]
    run "$HEDDLE" convert --without=threads v.std n.htr
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: convert: --without: expected names, locations, values or grounds, not threads" ]
    run "$HEDDLE" convert --without=names v.std n.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: convert: --without needs a native trace (.htr) as output" ]
}

@test "a failure leaves the old file and nothing else" {
    echo old >out.htr
    run "$HEDDLE" convert bad.std out.htr
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: bad.std:2: B takes lock l while A holds it" ]
    [ "$(cat out.htr)" = old ]
    run bash -c 'ulimit -f 1; trap "" XFSZ; "$HEDDLE" convert "$TRACES/ftpserver.std" out.htr'
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: $PWD/out.htr: File too large" ]
    [ "$(cat out.htr)" = old ]
    only bad.std in.std out.htr
}

@test "the same file in and out" {
    cp in.std same.std
    "$HEDDLE" convert same.std same.std
    cmp in.std same.std
    "$HEDDLE" convert in.std same.htr
    cp same.htr before.htr
    "$HEDDLE" convert same.htr same.htr
    cmp same.htr before.htr
}

@test "a link stays a link and a mode stays a mode" {
    echo old >real.std
    chmod 600 real.std
    ln -s real.std link.std
    "$HEDDLE" convert in.std link.std
    [ -L link.std ]
    cmp in.std real.std
    [ "$(stat -c %a real.std)" = 600 ]
}

@test "a folder that cannot be written" {
    run "$HEDDLE" convert in.std nowhere/out.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: nowhere/out.std: No such file or directory" ]
    [ "$(id -u)" -ne 0 ] || skip "root may write anywhere"
    mkdir locked
    chmod 500 locked
    run "$HEDDLE" convert in.std locked/out.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: locked/out.std: Permission denied" ]
}

@test "a full disk" {
    for name in full.std full.std.gz full.std.zst full.htr; do
        ln -s /dev/full $name
        run "$HEDDLE" convert in.std $name
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: $name: No space left on device" ]
    done
    run bash -c '"$HEDDLE" convert in.std - >/dev/full'
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: standard output: No space left on device" ]
}

@test "a name that says no format" {
    run "$HEDDLE" convert in.std out.txt
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: convert: out.txt: the name must end in .std, .std.gz, .std.zst or .htr" ]
    only bad.std in.std
}

@test "closed streams do not end up in the file" {
    run bash -c '"$HEDDLE" convert in.std out.std >&- 2>&- <&-'
    [ "$status" -eq 0 ]
    cmp in.std out.std
    bash -c '"$HEDDLE" convert bad.std out.std >&- 2>&-' || true
    cmp in.std out.std
}

@test "a cut file is converted up to its last whole block, with a note" {
    "$GENERATE" bank 200000 4 1 g.std
    "$HEDDLE" convert g.std g.htr
    head -c $(($(stat -c %s g.htr) - 100)) g.htr >cut.htr
    run "$HEDDLE" convert cut.htr part.std
    [ "$status" -eq 0 ]
    [[ "$output" == "heddle: note: cut.htr: the file stops before its end after event "* ]]
    lines=$(wc -l <part.std)
    [ "$lines" -ge 65536 ]
    head -n "$lines" g.std | cmp - part.std
}
