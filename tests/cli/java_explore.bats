#!/usr/bin/env bats
# heddle explore on Java programs: all behaviours, as many as another count finds; schedules that replay; what it cannot
# explore it tells.

load support

setup_file() {
    SOURCES=$PROGRAMS/../java/explore
    export SOURCES
    has_java || return 0
    cd "$BATS_FILE_TMPDIR"
    javac -nowarn -g -d . "$SOURCES"/*.java
}

setup() {
    needs_java
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-explore
}

java="java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp ."

explore() {
    run "$HEDDLE" explore "$@" </dev/null
    echo "$output"
}

# shows OUTCOME PROGRAM …: the schedule of the outcome makes it happen again
shows() {
    file=$(grep -o 'heddle-explore/outcome-[0-9]*.schedule' <<<"$(grep "^outcome .*$1" <<<"$output")" | head -n 1)
    shift
    run "$HEDDLE" replay --script="$file" -- $java "$@"
    echo "$output"
}

number_of() { # NAME in JSON
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p"
}

# as_counted SEED: what exploring a random program finds is what running its steps in every order by hand finds
as_counted() {
    echo "seed $1"
    "$SOURCES/random-program" "$1" . >wanted
    cat wanted
    javac -g -d . Program.java
    "$HEDDLE" explore --format=json -- $java Program </dev/null >found || true
    cat found
    if grep -q '"reason": "not explored: attempts at locks that have conditions' found; then
        echo "not complete, and says so"
        return 0
    fi
    python3 - <<'END'
import json
found = json.load(open("found"))
lines = open("wanted").read().splitlines()
assert found["complete"], found["reason"]
assert lines[0] == "behaviours %d" % found["behaviours"], lines[0]
assert lines[1:] == ["%s %r" % end for end in sorted({(o["ending"], o["stdout"]) for o in found["outcomes"]})], lines[1:]
END
}

# Reads and writes of two increments: one after the other either way, or both reads first and either write last.
@test "a lost update" {
    explore -- $java Increment
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 4 behaviours explored, 2 outcomes" ]
    [[ "$output" == *"Increment.count ends as"* ]]
    shows "different output" Increment
    [ "$status" -eq 2 ]
    [[ "$output" == *"followed; outcome: different output"* ]]
}

# Four turns with the monitor, two of each thread: 4! / (2! 2!) orders.
@test "with a lock nothing is lost" {
    explore -- $java Counter 2 2
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "all 6 behaviours explored, output always the same" ]
}

@test "a bounded buffer" {
    explore -- $java Buffer while 1 1
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "all 2 behaviours explored, output always the same" ]
    [ -n "${HEDDLE_TEST_LONG:-}" ] || return 0
    explore -- $java Buffer while 1 2
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "all 8 behaviours explored, output always the same" ]
}

# Either philosopher first, or both with one fork.
@test "philosophers starve" {
    explore -- $java Forks locks 2
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 3 behaviours explored, 2 outcomes" ]
    shows "a deadlock" Forks locks 2
    [[ "$output" == *"followed; outcome: deadlock"* ]]
    [ -n "${HEDDLE_TEST_LONG:-}" ] || return 0
    explore -- $java Forks monitors 2
    [ "${lines[0]}" = "all 3 behaviours explored, 2 outcomes" ]
}

@test "the end of the process, and an exception that nobody catches" {
    explore -- $java Small exit
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 2 behaviours explored, 2 outcomes" ]
    shows "different output" Small exit
    [[ "$output" == *"followed; outcome: different output"* ]]
    explore -- $java Small exception
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 2 behaviours explored, 2 outcomes" ]
    [[ "$output" == *"uncaught java.lang.ArrayIndexOutOfBoundsException in Thread-1"* ]]
}

@test "a thread that is long in coming is not stuck" {
    once
    explore --max-runs=1 -- $java Small late
    [ "${lines[-1]}" = "outcome 1: exit status 0, as in the first run (1 behaviour, first in run 1; heddle-explore/outcome-1.schedule)" ]
}

@test "what is called by reference is seen" {
    once
    explore -- $java Small reference
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 2 behaviours explored, 2 outcomes" ]
}

@test "small programs, counted by hand" {
    only_long
    while read -r behaviours program; do
        explore -- $java $program
        [[ "${lines[0]}" == "all $behaviours behaviours explored, "* ]]
    done <<'LIST'
6 Prints
2 Small semaphore 1
4 Small semaphore 2
4 Small attempt
2 Small condition
2 Small condition looks
2 Small nested
3 Small spin
5 Small rounds
2 Small list locked
2 Small queue
LIST
}

@test "loops that give up after a few rounds do not stop it" {
    only_long
    for algorithm in peterson dekker lamport; do
        explore -- $java Exclusion $algorithm
        [ "$status" -eq 0 ]
        [[ "${lines[0]}" =~ ^"all "[0-9]+" behaviours explored, output always the same"$ ]]
    done
}

@test "a loop that never ends takes bounded memory, and what does not fit the log is said" {
    cat >Endless.java <<'END'
public class Endless {
    static volatile boolean go;
    static volatile int x;
    public static void main(String[] words) throws Exception {
        Thread thread = new Thread(() -> { if (x == 0) go = true; });
        thread.start();
        x = 1;
        while (!go) { }
        thread.join();
    }
}
END
    javac -d . Endless.java
    explore --timeout=1 -- $java Endless
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "not complete after "*": not explored: a run of more records than the log can hold" ]]
    [[ "$output" == *": no end in time"* ]]
}

@test "brute force finds the same" {
    only_long
    for program in Prints Increment "Small compare"; do
        "$HEDDLE" explore --format=json -- $java $program </dev/null >ours || true
        "$HEDDLE" explore --every-order --format=json -- $java $program </dev/null >theirs || true
        grep -q '"complete": true' ours
        grep -q '"complete": true' theirs
        [ "$(number_of behaviours <ours)" -eq "$(number_of behaviours <theirs)" ]
        [ "$(grep -c '"ending"' ours)" -eq "$(grep -c '"ending"' theirs)" ]
    done
}

@test "every order counted without the explorer gives the same: random programs" {
    command -v python3 >/dev/null || skip "python3 is not installed"
    if [ -z "${HEDDLE_TEST_LONG:-}" ]; then
        as_counted 107
        return
    fi
    first=${HEDDLE_TEST_SEED:-$RANDOM}
    for seed in $(seq "$first" $((first + 29))); do
        as_counted "$seed"
    done
}

@test "what cannot be explored is told" {
    while read -r program reason; do
        explore --max-runs=1 -- $java Limits "$program"
        [[ "${lines[0]}" == "not complete after 1 run, 1 behaviour: "*"not explored: $reason"* ]]
        [ "$status" -eq 3 ] || [[ "$output" == *"problem 1: "* ]] # some race as well
    done <<'LIST'
time-out waits with a time-out (wait)
initializer class Limits$Late is initialized while several threads run
failure class Limits$Failing is initialized while several threads run
list threads use the same java.util.ArrayList, and no lock keeps their calls apart
time the result of java/lang/System.nanoTime, which no schedule determines
daemon threads that end with the process (daemons)
text println is given a java.util.concurrent.atomic.AtomicInteger
literal an object of class java.lang.String that uninstrumented code created and threads share
LIST
}
