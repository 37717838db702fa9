#!/usr/bin/env bats
# heddle info: what it prints for a trace, and for what is none.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cp "$TRACES/account.std" .
}

@test "text output" {
    run "$HEDDLE" info account.std
    [ "$status" -eq 0 ]
    diff <(echo "$output") - <<'END'
trace        account.std
events       15
  accesses   11 (6 reads, 5 writes, 0 atomic)
  locks      0
  wait       0 (wait and notify)
  threads    4 (fork and join)
  other      0
threads      4
variables    1 (1 shared, 0 thread-local or never written)
locks        0
locations    7
values       not recorded
dropped      0 thread-local variables, 0 events, by the recorder
END
}

@test "JSON output" {
    printf 'A|w(x=1)|p\nA|acq(l)|q\nA|rmw.ar(y)|q\nA|fork(B)|\nB|waitpre(c)|\nB|r(x)|\n' >all.std
    run "$HEDDLE" info --json all.std
    [ "$status" -eq 0 ]
    diff <(echo "$output") - <<'END'
{
  "file": "all.std",
  "events": 6,
  "threads": 2,
  "variables": 2,
  "shared_variables": 1,
  "local_variables": 1,
  "locks": 1,
  "locations": 3,
  "access_events": 3,
  "lock_events": 1,
  "wait_notify_events": 1,
  "fork_events": 1,
  "join_events": 0,
  "values": true,
  "dropped_variables": 0,
  "dropped_events": 0,
  "complete": true,
  "note": null,
  "program": null,
  "kinds": {
    "r": 1,
    "w": 1,
    "ar": 0,
    "aw": 0,
    "rmw": 1,
    "fence": 0,
    "acq": 1,
    "rel": 0,
    "racq": 0,
    "rrel": 0,
    "tryfail": 0,
    "fork": 1,
    "join": 0,
    "waitpre": 1,
    "waitpost": 0,
    "notify": 0,
    "notifyall": 0,
    "benter": 0,
    "bexit": 0,
    "post": 0,
    "semwait": 0,
    "begin": 0,
    "end": 0,
    "dbegin": 0,
    "dend": 0,
    "cas": 0,
    "exit": 0,
    "seminit": 0
  }
}
END
}

@test "grounds, the end of the run and what is missing" {
    printf 'A|r(x)|\nA|w(x)||from 1+1\nA|exit|\n#end deadlock\n#wait A|lock l|a.c:7|B\n#incomplete the log was cut short\n' >end.std
    run "$HEDDLE" info end.std
    [ "$status" -eq 0 ]
    diff <(echo "$output" | grep -e grounds -e 'run ended' -e waits -e incomplete) - <<'END'
grounds      of 1 events
run ended    deadlock
             A waits for lock l, which B holds, at a.c:7
incomplete   the log was cut short
END
    "$HEDDLE" info --json end.std | jq -c '[.complete, .grounds, .end, .incomplete]' |
        grep -qxF '[false,1,{"outcome":"deadlock","number":0},["the log was cut short"]]'
}

@test "every bundled trace loads and has the events its lines say" {
    for trace in "$TRACES"/*.std; do
        events=$(grep -vc -e '^#' -e '^[[:space:]]*$' "$trace")
        "$HEDDLE" info "$trace" | grep -qx "events       $events"
    done
}

@test "standard input, plain and compressed" {
    "$HEDDLE" info - <account.std | grep -qx 'events       15'
    gzip -c account.std | "$HEDDLE" info - | grep -qx 'events       15'
    cat account.std | while IFS= read -r line; do echo "$line"; done | "$HEDDLE" info - | grep -qx 'trace        -'
}

@test "a file that was cut short is told as incomplete" {
    "$HEDDLE" convert account.std account.htr
    head -c 100 account.htr >cut.htr
    run "$HEDDLE" info cut.htr
    [ "$status" -eq 0 ]
    [[ "$output" == *"incomplete   the file stops before its end after event 0 (84 bytes of a block are left over)"* ]]
    "$HEDDLE" info --json cut.htr | grep -q '"complete": false'
}

@test "an impossible trace is refused with file and line" {
    printf 'A|w(x)|\nA|rel(l)|\n' >bad.std
    run "$HEDDLE" info bad.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: bad.std:2: A releases lock l, which it does not hold" ]
}

@test "control characters of a trace do not reach the terminal" {
    printf 'A|\033[31m|\n' >bad.std
    run "$HEDDLE" info bad.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: bad.std:1: unknown operation: ?[31m" ]
}

@test "files that are not there, folders, binary files" {
    run "$HEDDLE" info nowhere.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: nowhere.std: No such file or directory" ]
    run "$HEDDLE" info .
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: .: is a directory" ]
    run "$HEDDLE" info "$HEDDLE"
    [ "$status" -eq 1 ]
}

@test "a full disk and a closed output are errors" {
    run bash -c '"$HEDDLE" info account.std >/dev/full'
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: cannot write to standard output" ]
    run bash -c '"$HEDDLE" info account.std >&-'
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: cannot write to standard output" ]
}
