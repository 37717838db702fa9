#!/usr/bin/env bats
# heddle run: what it leaves behind, what it exits with, what it says; fingerprints, baselines and suppressions.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cp "$PROGRAMS/lost_update.c" "$PROGRAMS/account.c" .
    "$HEDDLE" cc -g -O1 lost_update.c -o lost_update
    "$HEDDLE" cc -g -O1 account.c -o account
    "$HEDDLE" cc -g -O1 -w "$PROGRAMS/trouble/deadlock.c" -o deadlock
    cat >end.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int x;
static void *other(void *unused) { x = 1; return unused; }
int main(int argc, char **argv)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other, NULL);
    x = 2;
    pthread_join(thread, NULL);
    if (argc > 1 && atoi(argv[1]) < 0)
        kill(0, -atoi(argv[1])); /* as a terminal does: the whole group */
    if (argc > 1 && atoi(argv[1]) > 1000)
        raise(atoi(argv[1]) - 1000);
    while (argc > 2)
        pause();
    return argc > 1 ? atoi(argv[1]) : 0;
}
END
    "$HEDDLE" cc -g -O1 end.c -o end
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-out out
    unset HEDDLE_OPTIONS
}

# The fingerprints of a report.
fingerprints() {
    grep -o '"fingerprint": "[0-9a-f]*"' "$1" | sort
}

@test "trace and reports are left, the summary ends with the next command" {
    run --separate-stderr "$HEDDLE" run --seed=1 -p race,nondet -- ./lost_update 'a b' "it's"
    [ "$status" -eq 0 ]
    [ "$output" = 2 ] # standard output is the program's own
    [[ "$stderr" == "heddle: recorded 21 events in heddle-out/trace.htr (seed 1)"* ]]
    mapfile -t lines <<<"$stderr"
    [[ "${lines[1]}" == "heddle-out/trace.htr: 21 events of 3 threads"* ]]
    [ "${lines[2]}" = "No problem predicted from this run; 2 notes: 2 nondeterminism" ]
    [[ "$stderr" == *"Notes, order-dependent reads: 2 at 1 variable
  counter  N1, N2; first lost_update.c:13 get (event 4), "*" instead of "* ]]
    [ "${lines[-3]}" = "Written: heddle-out/trace.htr, heddle-out/report.json, heddle-out/report.html, heddle-out/report.sarif" ]
    [ "${lines[-2]}" = "Next: make N1 happen:" ]
    [ "${lines[-1]}" = "  heddle replay heddle-out/report.json N1 -- ./lost_update 'a b' 'it'\\''s'" ]
    [ "$("$HEDDLE" verify heddle-out/trace.htr heddle-out/report.json)" = "2 findings, all accepted" ]
    grep -q '"file": "trace.htr"' heddle-out/report.json
    python3 -m json.tool heddle-out/report.sarif >/dev/null
}

@test "the program needs no -- before it, and its options are its own" {
    run "$HEDDLE" run -q -p deadlock ./end
    [ "$status" -eq 0 ]
    run "$HEDDLE" run -q --seed=1 -p deadlock ./lost_update --help -q
    [ "$output" = 2 ]
    run "$HEDDLE" record -q --seed=1 -o t.htr ./lost_update
    [ "$output" = 2 ]
}

@test "on a terminal the summary is on standard output, in lines that fit" {
    script -qec "stty cols 60; NO_COLOR=1 '$HEDDLE' run --seed=1 -p race,nondet ./lost_update 2>/dev/null" /dev/null </dev/null | tr -d '\r' >shown
    grep -q 'No problem predicted from this run' shown
    [ "$(grep -v Written shown | awk '{ if (length($0) > longest) longest = length($0) } END { print longest }')" -le 60 ]
}

@test "notes are told in full when asked for, or when nothing else was" {
    run "$HEDDLE" run --seed=1 --notes -p race,nondet ./lost_update
    [[ "$output" == *"N1  Nondeterministic read: counter can be "*"A schedule that shows it"* ]]
    run "$HEDDLE" run --seed=1 -p nondet ./lost_update
    [[ "$output" == *"N1  Nondeterministic read: counter can be "*"A schedule that shows it"* ]]
}

@test "of a program that is meant to be deterministic every such read is a problem, and the first" {
    run "$HEDDLE" run --seed=1 --deterministic -p race,nondet ./lost_update
    [ "$status" -eq 2 ]
    [[ "$output" == *"2 problems: 2 nondeterminism"*"N1  Nondeterministic read: counter can be "* ]]
    run "$HEDDLE" run -q --seed=1 --deterministic ./account
    [ "$status" -eq 2 ]
    [[ "$(grep -m1 '"id"' heddle-out/report.json)" == *'"id": "N1"'* ]]
}

@test "the program's words come back from the advice, whatever is in them" {
    words=("a b" "" $'new\nline' $'esc\e[31m' "quo'te" 'back\slash' '$HOME' $'\xff' "ünï")
    run "$HEDDLE" run --seed=1 -p race,nondet -o "out 1" -- ./lost_update "${words[@]}"
    [ "$status" -eq 0 ]
    [[ "$output" != *$'\e'* ]]
    eval "set -- ${lines[-1]}"
    [ "$3" = "out 1/report.json" ]
    shift 6
    [ "$#" -eq "${#words[@]}" ]
    for word in "${words[@]}"; do
        [ "$1" = "$word" ]
        shift
    done
}

@test "quiet: the exit status and the files say it all" {
    run "$HEDDLE" run -q --seed=1 --deterministic -o out -- ./lost_update
    [ "$status" -eq 2 ]
    [ "$output" = 2 ]
    [ "$(ls out)" = "$(printf 'report.html\nreport.json\nreport.sarif\ntrace.htr')" ]
}

@test "exit statuses: problems that count, what is not known, the program's own" {
    run "$HEDDLE" run -q --property=deadlock -- ./end
    [ "$status" -eq 0 ]
    run "$HEDDLE" run -q -- ./end
    [ "$status" -eq 2 ]
    run "$HEDDLE" run -q --fail-on=deadlock,atomicity -- ./end
    [ "$status" -eq 0 ]
    run "$HEDDLE" run -q --fail-on=race -- ./end
    [ "$status" -eq 2 ]
    run "$HEDDLE" run -q --fail-on=nondet -- ./end
    [ "$status" -eq 2 ]
    run "$HEDDLE" run -q --seed=1 -p race,nondet -- ./lost_update
    [ "$status" -eq 0 ]
    run "$HEDDLE" run -q --seed=1 -p race,nondet --fail-on=nondet -- ./lost_update
    [ "$status" -eq 2 ]
    run "$HEDDLE" run -q --seed=1 -p race,nondet --fail-on=problems -- ./lost_update
    [ "$status" -eq 0 ]
    run "$HEDDLE" run --property=deadlock -- ./end 7
    [ "$status" -eq 7 ]
    [[ "$output" == *"heddle: note: the program exited with status 7"* ]]
    run "$HEDDLE" run -q --property=deadlock -- ./end 200
    [ "$status" -eq 200 ]
    run "$HEDDLE" run -q --property=deadlock -- ./end 1006
    [ "$status" -eq 134 ]
    run "$HEDDLE" run -- ./end 1006
    [ "$status" -eq 2 ]
    [[ "$output" == *"heddle: the program died of signal 6"* ]]
    [[ "$output" == *"R1  Data race"* ]]
    [ -s heddle-out/report.json ]
    run "$HEDDLE" run -q --seed=1 --policy=round-robin -- ./deadlock
    [ "$status" -eq 2 ]
    run "$HEDDLE" run -q --timeout=1 --property=deadlock -- ./end 0 wait
    [ "$status" -eq 3 ]
}

@test "Ctrl-C ends the program, what was recorded is checked" {
    run setsid -w "$HEDDLE" run --seed=1 -- ./end -2 wait
    [ "$status" -eq 2 ]
    [[ "$output" == *"heddle: the program died of signal 2"* ]]
    [[ "$output" == *"heddle: checking what was recorded so far"* ]]
    [[ "$output" == *"R1  Data race"* ]]
    "$HEDDLE" verify -q heddle-out/trace.htr heddle-out/report.json
}

@test "a program that is not instrumented is refused, and leaves no old answers" {
    "$HEDDLE" run -q -- ./lost_update || [ $? -eq 2 ]
    [ -e heddle-out/report.json ]
    run "$HEDDLE" run -- true
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: true is not instrumented, nothing was recorded: build it with \`heddle cc\` or \`gcc -fsanitize=thread\` (linked dynamically), or record it as it is with \`heddle run --tool=valgrind\`" ]
    [ -z "$(ls heddle-out)" ]
}

@test "wrong use is refused before anything is run" {
    refused() {
        expected=$1
        shift
        run "$HEDDLE" run "$@"
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: $expected" ]
    }
    refused "run: no program given: heddle run -- PROGRAM ARGUMENTS" -q
    refused "run: --seed needs a whole number, not x" --seed=x -- ./lost_update
    refused "run: --seed needs a whole number, not 18446744073709551616" --seed=18446744073709551616 -- ./lost_update
    refused "run: --fail-on: unknown name rice: did you mean race? See heddle run --help" --fail-on=rice -- ./lost_update
    refused "run: --fail-on: unknown name cheese; see heddle run --help" --fail-on=cheese -- ./lost_update
    refused "run: --fail-on has an empty name; see heddle run --help" --fail-on=race, -- ./lost_update
    refused "lost_update: Not a directory" -o lost_update -- ./lost_update
    refused "no/such/folder: No such file or directory" -o no/such/folder -- ./lost_update
    refused "run: --source-root=none: No such file or directory" --source-root=none -- ./lost_update
    echo '{}' >empty.json
    refused "empty.json: format is not heddle-report" --baseline=empty.json -- ./lost_update
    echo 'property=race' >bad
    refused "bad:1: the line must end in reason: and the reason" --suppressions=bad -- ./lost_update
    [ ! -e heddle-out ]
}

@test "options from the environment come first" {
    export HEDDLE_OPTIONS=" -q --seed 5	-o out --fail-on=race "
    run "$HEDDLE" run -- ./lost_update
    [ "$status" -eq 0 ]
    [ "$output" = 2 ]
    [ -e out/report.json ]
    run "$HEDDLE" run --fail-on=nondet -- ./lost_update
    [ "$status" -eq 2 ]
    HEDDLE_OPTIONS="--sed=1" run "$HEDDLE" run -- ./lost_update
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "heddle: run: unknown option --sed=1: did you mean --seed? See heddle run --help" ]
    [ "${lines[1]}" = "heddle: run: the error is in the environment variable HEDDLE_OPTIONS" ]
    HEDDLE_OPTIONS="-- ./account" run "$HEDDLE" run -- ./lost_update
    [ "$status" -eq 1 ]
    [ "${lines[0]}" = "heddle: run: not an option: --" ]
    HEDDLE_OPTIONS="--nonsense" run "$HEDDLE" info "$TRACES/account.std"
    [ "$status" -eq 0 ]
}

@test "a finding keeps its fingerprint with other seeds and other edits" {
    "$HEDDLE" run -q --seed=1 -o out -- ./lost_update || [ $? -eq 2 ]
    known=$(fingerprints out/report.json)
    [ -n "$known" ]
    for seed in 2 3 4 5; do
        "$HEDDLE" run -q --seed=$seed -o out -- ./lost_update || [ $? -eq 2 ]
        [ "$(fingerprints out/report.json)" = "$known" ]
    done
    mkdir -p elsewhere
    { printf '/* A new first line. */\nstatic int unrelated(int x)\n{\n    return x + 1;\n}\nint (*keep)(int) = unrelated;\n'
      cat lost_update.c; } >elsewhere/lost_update.c
    "$HEDDLE" cc -g -O0 elsewhere/lost_update.c -o moved
    "$HEDDLE" run -q --seed=1 -o out -- ./moved || [ $? -eq 2 ]
    [ "$(fingerprints out/report.json)" = "$known" ]
    "$HEDDLE" convert out/trace.htr again.htr
    "$HEDDLE" check --format=json -o again.json again.htr || [ $? -eq 2 ]
    [ "$(fingerprints again.json)" = "$known" ]
    sed 's/counter/account/g' lost_update.c >elsewhere/lost_update.c
    "$HEDDLE" cc -g -O1 elsewhere/lost_update.c -o renamed
    "$HEDDLE" run -q --seed=1 -o out -- ./renamed || [ $? -eq 2 ]
    [ "$(fingerprints out/report.json)" != "$known" ]
}

@test "what a baseline knows does not count, and is marked" {
    "$HEDDLE" run -q --seed=1 -- ./lost_update || [ $? -eq 2 ]
    # The baseline may be the very report that is replaced.
    run "$HEDDLE" run --seed=2 --deterministic -p race,nondet --baseline=heddle-out/report.json -- ./lost_update
    [ "$status" -eq 0 ]
    [[ "$output" == *"2 problems: 2 nondeterminism; no new problem, 2 findings in the baseline"* ]]
    [[ "$output" == *"(in the baseline)"* ]]
    grep -q '"baseline": "known"' heddle-out/report.json
    grep -q '"baselineState":"unchanged"' heddle-out/report.sarif
    run "$HEDDLE" run -q --seed=1 --baseline=heddle-out/report.json -- ./account
    [ "$status" -eq 2 ]
    grep -q '"baseline": "new"' heddle-out/report.json
    ! grep -q '"baseline": "known"' heddle-out/report.json
    "$HEDDLE" check --format=json --schedules=none "$TRACES/lost-update.std" | sed 's/"fingerprint": "[^"]*", //' >old.json
    run "$HEDDLE" run -q --baseline=old.json -- ./account
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: old.json: a finding has no fingerprint; write the baseline again with this version of heddle" ]
}

@test "what is suppressed is counted, marked, and does not count; stale entries are told" {
    cat >accepted <<'END'
property=nondet function=get reason: the demo wants it so
property=race variable=counter reason: never there
END
    run --separate-stderr "$HEDDLE" run --seed=1 -p race,nondet --fail-on=nondet --suppressions=accepted -- ./lost_update
    [ "$status" -eq 0 ]
    [[ "$stderr" == *"No problem predicted from this run; 2 suppressed"* ]]
    [[ "$stderr" != *"N1"* ]]
    [[ "$stderr" != *"Next:"* ]]
    [[ "$stderr" == *"heddle: note: accepted:2: unused suppression: no finding matches it" ]]
    grep -q '"suppressed": "the demo wants it so"' heddle-out/report.json
    grep -q '"suppressions": {"file": "accepted", "suppressed": 2, "stale": \[2\]}' heddle-out/report.json
    grep -q '"suppressions":\[{"kind":"external","status":"accepted","justification":"the demo wants it so"}\]' heddle-out/report.sarif
    run "$HEDDLE" report --format=gitlab heddle-out/report.json
    [ "$output" = "[]" ]
}
