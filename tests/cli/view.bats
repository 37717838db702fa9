#!/usr/bin/env bats
# heddle view: what it serves, what it refuses before it serves. The page itself is tested in a browser (web/test/view.test.js).
load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    printf 'T1|fork(T2)|a.c:1\nT1|w(x=1)|a.c:2\nT2|w(x=2)|b.c:1\n' >run.std
}

teardown() {
    [ -z "$server" ] || kill -INT "$server" 2>/dev/null || true
}

# serve ARGUMENTS: starts it; the address is in $address
serve() {
    "$HEDDLE" view "$@" >address 2>err &
    server=$!
    for _ in $(seq 100); do
        [ ! -s address ] || break
        sleep 0.1
    done
    address=$(cat address)
}

get() {
    curl -sS --max-time 10 "$@"
}

@test "the address is local, with a token; the data is the trace's" {
    command -v curl >/dev/null || skip "curl is not installed"
    serve run.std
    [[ "$address" =~ ^http://127\.0\.0\.1:[0-9]+/[0-9a-f]{32}/$ ]]
    [ "$(get "${address}info")" = '{"file":"run.std","events":3,"threads":2,"variables":1,"locks":0,"places":3,"cut":false,"findings":[]}' ]
    get "$address" | grep -q '<title>heddle view</title>'
    [[ "$(get "${address}range?from=2&to=3&columns=1&lane=0")" == *'"events":[[2,0,"w","x","a.c:2","1"],[3,1,"w","x","b.c:1","2"]]'* ]]
    get -i "$address" | grep -q "connect-src 'self'"
    kill -INT "$server"
    wait "$server"
}

@test "any format is shown; a file that was cut short says so" {
    command -v curl >/dev/null || skip "curl is not installed"
    "$GENERATE" bank 200000 4 1 whole.htr
    head -c "$(($(stat -c %s whole.htr) - 100))" whole.htr >cut.htr
    gzip -k run.std
    for file in cut.htr run.std.gz; do
        serve $file
        get "${address}info" >info-$file
        kill -INT "$server"
        wait "$server"
        rm address
    done
    grep -q '"events":3,' info-run.std.gz
    grep -q '"cut":true' info-cut.htr
    [ "$(grep -o '"events":[0-9]*' info-cut.htr)" = "\"events\":$("$HEDDLE" info --json cut.htr 2>/dev/null | grep -o '"events": *[0-9]*' | head -1 | grep -o '[0-9]*$')" ]
}

@test "what is wrong with a trace is said as by other commands" {
    printf 'T1|rel(l)|a.c:1\n' >bad.std
    run "$HEDDLE" view bad.std
    [ "$status" -eq 1 ]
    [ "$output" = "$("$HEDDLE" info bad.std 2>&1)" ]
    "$HEDDLE" convert run.std bad.htr
    printf 'x' | dd of=bad.htr bs=1 seek=60 conv=notrunc status=none
    run "$HEDDLE" view bad.htr
    [ "$status" -eq 1 ]
    [ "$output" = "$("$HEDDLE" info bad.htr 2>&1)" ]
    run "$HEDDLE" view none.htr
    [ "$status" -eq 1 ]
    [[ "$output" == *"none.htr"* ]]
}

@test "findings are those of a report of this trace" {
    command -v curl >/dev/null || skip "curl is not installed"
    "$HEDDLE" check --format=json -o report.json run.std || true
    serve --report=report.json run.std
    [[ "$(get "${address}info")" == *'"id":"R1","title":"Data race: x at a.c:2, x at b.c:1","events":[2,3]'* ]]
    printf 'T1|w(x=1)|a.c:2\n' >other.std
    run "$HEDDLE" view --report=report.json other.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: report.json: is of a trace with 3 events; other.std has 1" ]
}

@test "a port that is taken is an error" {
    serve run.std
    port=${address#http://127.0.0.1:}
    run "$HEDDLE" view --port="${port%%/*}" run.std
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: view: cannot listen on 127.0.0.1, port ${port%%/*}: "* ]]
}
