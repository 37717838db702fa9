#!/usr/bin/env bats
# Files from elsewhere, and places where others may have been first.

load support

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# Nothing on standard input moves the cursor or the reader's eye: no control characters but line feeds, no marks of
# direction.
is_plain() {
    ! grep -aqP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8b-\x8f\xa8-\xae]|\xe2\x81[\xa0-\xaf]|(?<![\x80-\xff])[\x80-\x9f]'
}

@test "an empty file is no trace" {
    : >empty.std
    for command in info check "check --format=json"; do
        run "$HEDDLE" $command empty.std
        [ "$status" -eq 1 ]
        [[ "$output" == "heddle: empty.std: the file is empty, not a trace" ]]
    done
}

@test "a recording that failed leaves no trace" {
    run "$HEDDLE" record -o none.htr -- ./not-there
    [ "$status" -eq 1 ]
    [ ! -e none.htr ]
    "$HEDDLE" cc "$PROGRAMS/lost_update.c" -o lost_update
    run bash -c "ulimit -f 0; '$HEDDLE' record -o cut.htr -- ./lost_update"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"the file size limit (ulimit -f) is below the "*" bytes that "* ]]
    [ ! -e cut.htr ]
}

@test "gigabytes of zeros in a small file are refused before they take memory" {
    head -c 1000000000 /dev/zero | zstd -q >zeros.std.zst
    limit="ulimit -v 600000"
    ! sanitized || limit=true # its shadow memory alone is larger
    run bash -c "$limit; '$HEDDLE' check zeros.std.zst"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: zeros.std.zst:1: more than 16777216 bytes of a line; --limits=line=N allows more" ]]
}

@test "limits are options, and errors name them" {
    printf 'T1|w(variable)|a.c:1\nT2|r(variable)|a.c:2\n' >t.std
    "$HEDDLE" check t.std >/dev/null || [ $? -eq 2 ]
    while read -r limit words; do
        run "$HEDDLE" check --limits="$limit" t.std
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"more than $words; --limits=${limit%=*}=N allows more" ]]
        run "$HEDDLE" info --limits="$limit" t.std
        [ "$status" -eq 1 ]
    done <<'END'
size=10 10 bytes, decompressed
line=12 12 bytes of a line
name=4 4 bytes of a name
events=1 1 events
END
    "$HEDDLE" convert t.std t.htr
    for limit in name=4 events=1 block=8; do
        run "$HEDDLE" check --limits="$limit" t.htr
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"--limits=${limit%=*}=N allows more" ]]
    done
    run "$HEDDLE" check --limits=size t.std
    [ "$status" -eq 1 ]
    [[ "$output" == *"a limit is size=N, line=N, "* ]]
    run "$HEDDLE" check --limits=size=9X t.std
    [ "$status" -eq 1 ]
    "$HEDDLE" info --limits=size=1K,line=1M t.std
}

@test "names cannot move the cursor or change the direction of text" {
    printf 'T\xe2\x80\xae1|w(x\xc2\x9b=1)|a\xe2\x80\xae.c:1\nT2|r(x\xc2\x9b)|b\x9b.c:2\nT2|acq(l\xe2\x81\xa6)|c.c:3\nT2|rel(l\xe2\x81\xa6)|c.c:4\nT2|w(y\x1b[31m)|d\nT\xe2\x80\xae1|r(y\x1b[31m)|e\n' >t.std
    for format in text json sarif gitlab html; do
        echo $format
        "$HEDDLE" check --all --format=$format t.std >out 2>err || [ $? -eq 2 ]
        [ -s out ]
        # The page is text of ours, with tabs and the like; the trace's names are in its JSON.
        if [ $format = html ]; then grep -a '^{' out >names || true; else cp out names; fi
        is_plain <names
        is_plain <err
    done
    "$HEDDLE" check --format=json t.std >r.json || true
    "$HEDDLE" verify t.std r.json | is_plain
    "$HEDDLE" info t.std | is_plain
    "$HEDDLE" info --json t.std | is_plain
}

@test "messages about malformed input do not echo control characters" {
    printf 'T|w(\xc2\x9bx|\n' >bad.std
    printf 'T1|acq(l\xe2\x80\xae)|\nT2|acq(l\xe2\x80\xae)|\n' >other.std
    printf 'T1|zap\x9b\x1b[2J(l)|\n' >third.std
    for file in bad.std other.std third.std $'no\xc2\x9bsuch.std'; do
        run "$HEDDLE" check "$file"
        [ "$status" -eq 1 ]
        is_plain <<<"$output"
    done
}

@test "-o does not follow a link in a folder where others may put one" {
    printf 'T1|w(x)|a.c:1\nT2|r(x)|a.c:2\n' >t.std
    mkdir open && chmod 1777 open
    echo precious >precious
    ln -s ../precious open/report.json
    ln -s ../precious open/trace.htr
    run "$HEDDLE" check --format=json -o open/report.json t.std
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"open/report.json: is a link in a folder that others can write to; not followed" ]]
    run "$HEDDLE" convert t.std open/new.htr
    [ "$status" -eq 0 ]
    "$HEDDLE" cc "$PROGRAMS/lost_update.c" -o lost_update
    run "$HEDDLE" record -o open/trace.htr -- ./lost_update
    [ "$status" -eq 1 ]
    [ "$(cat precious)" = precious ]
    mkdir own && ln -s ../precious own/report.json # nobody else put it there
    "$HEDDLE" check --format=json -o own/report.json t.std || [ $? -eq 2 ]
    grep -q heddle-report precious
}

@test "limits of the system are told by their names" {
    "$HEDDLE" cc "$PROGRAMS/lost_update.c" -o lost_update
    run bash -c "ulimit -n 8; '$HEDDLE' record -o t.htr -- ./lost_update"
    echo "$output"
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: the limit of open files (ulimit -n) is 8; recording needs 200" ]
    run bash -c "ulimit -f 100000; '$HEDDLE' record --two-pass -o t.htr -- ./lost_update"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: the file size limit (ulimit -f) is below the "*" bytes that recording in two passes "* ]]
    [ ! -e t.htr ]
}

@test "a page holds source only from below its roots, links resolved" {
    mkdir -p project/src elsewhere
    echo 'int secret_of_others; /* 1 */' >elsewhere/secret.c
    echo 'int own_source; /* 2 */' >project/src/own.c
    ln -s ../../elsewhere/secret.c project/src/link.c
    printf 'T1|w(x)|src/own.c:1\nT2|r(x)|../elsewhere/secret.c:1\nT2|w(y)|src/link.c:1\nT1|r(y)|%s/elsewhere/secret.c:1\n' "$PWD" >project/t.std
    cd project
    run bash -c "'$HEDDLE' check --format=html t.std 2>err"
    [[ "$output" == *own_source* ]]
    [[ "$output" != *secret_of_others* ]]
    grep -q "the page does not include 3 source files outside the allowed folders" err
    run bash -c "'$HEDDLE' check --format=html --source-root=.. t.std 2>err"
    [[ "$output" == *secret_of_others* ]]
    [ ! -s err ]
    run bash -c "'$HEDDLE' check --format=html --source-root=../elsewhere t.std"
    [[ "$output" != *own_source* ]]
    "$HEDDLE" check --format=json t.std >r.json || true
    run bash -c "'$HEDDLE' report --format=html r.json"
    [[ "$output" != *secret_of_others* ]]
}

@test "whenever a recorder is killed after its program has started, what it leaves loads" {
    cat >slow.c <<'END'
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>
static int x;
static void *f(void *u) { x++; return u; }
int main(void) { pthread_t t; close(open("started", O_CREAT | O_WRONLY, 0600)); pthread_create(&t, 0, f, 0); x++; pthread_join(t, 0); pause(); return 0; }
END
    "$HEDDLE" cc slow.c -o slow
    "$HEDDLE" record -o killed.htr -- ./slow 2>/dev/null &
    recorder=$!
    for _ in $(seq 200); do [ ! -e started ] || break; sleep 0.05; done
    kill -9 "$recorder"
    wait "$recorder" || true
    run "$HEDDLE" info killed.htr
    echo "$output"
    [ "$status" -eq 0 ]
    run "$HEDDLE" check killed.htr
    [ "$status" -eq 3 ]
    [[ "$output" == *"its writer was killed or the file was cut"* ]]
}

@test "what a killed run left behind is removed by the next one" {
    export TMPDIR=$PWD/tmp
    mkdir tmp
    "$HEDDLE" cc "$PROGRAMS/lost_update.c" -o lost_update
    "$HEDDLE" explore -q -- ./lost_update </dev/null >/dev/null &
    explorer=$!
    for _ in $(seq 300); do [ -z "$(ls tmp)" ] || break; sleep 0.01; done
    kill -9 "$explorer" || true # it may have ended
    wait "$explorer" || true
    [ -n "$(ls tmp)" ] || skip "it was too quick to be killed in the middle"
    folder=tmp/$(ls tmp | head -n 1 | sed 's/......$/abcdef/') # of the same owner, with a file in it
    mkdir "$folder"
    touch "$folder/log" tmp/heddle-run-of-others
    "$HEDDLE" explore -q -- ./lost_update </dev/null || [ $? -eq 2 ]
    [ "$(ls tmp)" = heddle-run-of-others ]
}

@test "names of files need not be UTF-8" {
    name=$'n\xffame'
    mkdir "$name"
    "$HEDDLE" cc -g "$PROGRAMS/lost_update.c" -o "$name/lost_update"
    "$HEDDLE" record --seed=1 -o "$name/$name.htr" -- "$name/lost_update"
    "$HEDDLE" check --property=nondet --format=json -o "$name/r.json" "$name/$name.htr" || [ $? -eq 2 ]
    "$HEDDLE" verify -q "$name/$name.htr" "$name/r.json"
    run "$HEDDLE" replay "$name/r.json" N1 -- "$name/lost_update"
    echo "$output"
    [[ "$output" == *"confirmed"* ]]
    sed 's/"file_bytes": "../"file_bytes": "zz/' "$name/r.json" >bad.json
    run "$HEDDLE" verify "$name/$name.htr" bad.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"file_bytes is not a name as hexadecimal digits"* ]]
}
