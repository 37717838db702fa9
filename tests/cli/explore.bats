#!/usr/bin/env bats
# heddle explore: all behaviours, each once; the same outcomes as brute force; schedules that replay.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in "$PROGRAMS"/explore/*.c; do
        "$HEDDLE" cc -O1 "$program" -o "$(basename "$program" .c)"
    done
    "$HEDDLE" cc -O1 "$PROGRAMS/lost_update.c" -o lost_update
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-explore every
}

number_of() { # NAME in JSON
    sed -n "s/^ *\"$1\": \([0-9]*\),*$/\1/p"
}

# How runs end, one a line: what two explorations must have in common.
outcomes() {
    grep -o '"ending": .*' "$1" | sed 's/"outcome".*"stdout"/"stdout"/; s/, "schedule".*//' | sort
}

# as_brute_force PROGRAM ARGUMENTS: the same outcomes and the same number of behaviours, in no more runs than there
# are behaviours
as_brute_force() {
    "$HEDDLE" explore --format=json -- "$@" >ours </dev/null || true
    "$HEDDLE" explore --every-order --format=json -o every -- "$@" >theirs </dev/null || true
    grep -q '"complete": true' ours
    grep -q '"complete": true' theirs
    diff <(outcomes ours) <(outcomes theirs)
    [ "$(number_of behaviours <ours)" -eq "$(number_of behaviours <theirs)" ]
    [ "$(number_of runs <ours)" -eq "$(number_of behaviours <ours)" ]
    [ "$(number_of runs <ours)" -le "$(number_of runs <theirs)" ]
}

@test "one outcome: a proof for this input" {
    run "$HEDDLE" explore -- ./counter 2 2 </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "all 6 behaviours explored, output always the same" ]
    [[ "${lines[1]}" == "6 runs, "* ]]
}

@test "several outcomes, each with a schedule that shows it again" {
    run "$HEDDLE" explore -- ./lost_update </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 4 behaviours explored, 2 outcomes" ]
    [ "$("$HEDDLE" replay -q --script=heddle-explore/outcome-1.schedule -- ./lost_update)" != \
      "$("$HEDDLE" replay -q --script=heddle-explore/outcome-2.schedule -- ./lost_update)" ]
    run "$HEDDLE" replay --script=heddle-explore/outcome-2.schedule -- ./lost_update
    [ "$status" -eq 2 ]
    [[ "$output" == *"followed; outcome: different output"* ]]
}

@test "a crash that few schedules show" {
    run "$HEDDLE" explore -- ./publish </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"outcome "*": crash: SIGSEGV"* ]]
    file=$(grep -o 'heddle-explore/outcome-[0-9]*.schedule' <<<"$(grep crash <<<"$output")")
    run "$HEDDLE" replay --script="$file" -- ./publish
    [ "$status" -eq 2 ]
    [[ "$output" == *"crash (SIGSEGV"* ]]
}

@test "a failed assertion" {
    run "$HEDDLE" explore -- ./assertion </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"a failed assertion"* ]]
}

@test "a deadlock" {
    run "$HEDDLE" explore -- ./forks 3 </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "all "*" behaviours explored, 2 outcomes" ]]
    file=$(grep -o 'heddle-explore/outcome-[0-9]*.schedule' <<<"$(grep 'a deadlock' <<<"$output")")
    run "$HEDDLE" replay --script="$file" -- ./forks 3
    [[ "$output" == *"outcome: deadlock"* ]]
}

@test "a bounded buffer that is right, and one that is not" {
    run "$HEDDLE" explore -- ./buffer while 2 </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "all "*" behaviours explored, output always the same" ]]
    run "$HEDDLE" explore -q -- ./buffer if 2 </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
}

@test "loops that wait are left, loops that count are not" {
    run "$HEDDLE" explore -- ./spin </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"busy-wait loops were cut"* ]]
    run "$HEDDLE" explore -- ./spin 5 </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "all 6 behaviours explored, 2 outcomes" ]
}

@test "loops that give up after some rounds, in whatever way, are explored" {
    for how in e:5 x:5 c:5 l:6 p:6 w:6; do # it looks four times, or once more
        run "$HEDDLE" explore -- ./give_up "${how%:*}" 4 </dev/null
        echo "$how: $output"
        [[ "${lines[0]}" == "all ${how#*:} behaviours explored, "* ]]
    done
    as_brute_force ./give_up w 4
}

@test "runs that contradict each other once the rounds of a loop count are no proof" {
    "$HEDDLE" cc -O1 "$PROGRAMS/trouble/uneven_patience.c" -o uneven_patience
    rm -f runs
    run "$HEDDLE" explore -j1 -- ./uneven_patience </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "not complete after 2 runs, "*"thread 0 behaved differently "*" of run 2) from another run in which it had read the same values"* ]]
}

@test "a run that did something else for no known reason: the place is named" {
    cat >late.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
static int *_Atomic current, *_Atomic used;
static void *look(void *unused)
{
    long sum = 0;
    for (int i = 0; i < 2; i++) {
        int *p = atomic_load(&current);
        atomic_store(&used, p); /* nobody looks whether it is still current */
        sum += *p;
        atomic_store(&used, NULL);
    }
    return sum > 0 ? &current : unused;
}
int main(void)
{
    pthread_t thread;
    atomic_store(&current, calloc(1, sizeof(int)));
    pthread_create(&thread, NULL, look, NULL);
    for (int i = 2; i < 4; i++) {
        int *new = malloc(sizeof *new), *old;
        *new = i;
        old = atomic_exchange(&current, new);
        while (atomic_load(&used) == old)
            ;
        free(old);
    }
    pthread_join(thread, NULL);
    return 0;
}
END
    "$HEDDLE" cc -O1 late.c -o late
    run "$HEDDLE" explore --max-runs=200 -- ./late
    echo "$output"
    [[ "${lines[0]}" == "not complete "*"thread 1 behaved differently (at late.c:"*" look, move "* ]]
}

@test "brute force finds the same: lost increments" { as_brute_force ./increment; }
@test "brute force finds the same: assertion" { as_brute_force ./assertion; }
@test "brute force finds the same: order of output" { as_brute_force ./prints; }
@test "brute force finds the same: a crash" { as_brute_force ./publish; }
@test "brute force finds the same: a try-lock" { as_brute_force ./try; }
@test "brute force finds the same: two timed locks" { as_brute_force ./timed; }

@test "brute force finds the same: more threads, a deadlock, a condition" {
    only_long
    as_brute_force ./counter
    as_brute_force ./forks 2
    as_brute_force ./signal
    as_brute_force ./lost_update
}

# The first run of seed 1 fails before main could join, so that what main does next is seen as a wait.
@test "a run that dies while others wait, and threads that leave by pthread_exit" {
    for seed in 1 2; do
        run "$HEDDLE" explore --seed=$seed -- ./leaves </dev/null
        echo "$output"
        [ "$status" -eq 2 ]
        [ "${lines[0]}" = "all 6 behaviours explored, 2 outcomes" ]
    done
}

@test "brute force finds the same: a loop that tries a lock until it is free" {
    "$HEDDLE" cc -O1 "$PROGRAMS/abba.c" -o abba
    as_brute_force ./abba
}

@test "a loop that never ends, and a run of millions of steps, take bounded memory" {
    cat >endless.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int leaves;
static void *keep(void *unused)
{
    pthread_mutex_lock(&lock);
    if (!leaves)
        pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, keep, NULL);
    leaves = 1;
    while (pthread_mutex_trylock(&lock) != 0)
        ;
    return 0;
}
END
    cat >large.c <<'END'
#include <pthread.h>
static volatile long total;
static void *count(void *unused)
{
    for (int i = 0; i < 1200000; i++)
        total = total + 1;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    return pthread_join(thread, NULL);
}
END
    "$HEDDLE" cc -O1 endless.c -o endless
    "$HEDDLE" cc -O1 large.c -o large
    ulimit -v 2500000
    run "$HEDDLE" explore --timeout=1 -- ./endless </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "all "*" behaviours explored, 2 outcomes" ]]
    [[ "$output" == *": no end in time (1 behaviour, "* ]]
    run "$HEDDLE" explore -- ./large </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *": a run made more than 4 million steps: explore the program with a smaller input" ]]
}

@test "brute force finds the same: all small programs of the tests" {
    only_long
    as_brute_force ./leaves
    run "$SOURCE/bench/explore" --equal "$(dirname "$HEDDLE")" 400
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ programs:\ ([0-9]+)\ equal,\ 0\ different ]]
    [ "${BASH_REMATCH[1]}" -ge 20 ]
}

@test "a static variable that threads make on first use; a robust mutex whose owner ends" {
    "$HEDDLE" c++ -std=c++20 -O1 "$PROGRAMS/local_static.cpp" -o local_static
    run "$HEDDLE" explore -- ./local_static </dev/null
    echo "$output"
    [ "${lines[0]}" = "all 12 behaviours explored, output always the same" ]
    "$HEDDLE" cc -O1 "$PROGRAMS/mutex_kinds.c" -o mutex_kinds
    run "$HEDDLE" explore --max-runs=20 -- ./mutex_kinds </dev/null
    echo "$output"
    [[ "${lines[0]}" == *"not explored: the effects of a robust mutex whose owner ended at "*"mutex_kinds.c:"* ]]
}

# random_as_brute_force SEED [more]
random_as_brute_force() {
    echo "random program $*"
    "$PROGRAMS/explore/random-program" "$@" >random.c
    "$HEDDLE" cc -O1 random.c -o random
    # A write that changes nothing cannot be told from a copy that is under way: no stop before the read after it.
    "$HEDDLE" explore --format=json -- ./random </dev/null >ours || true
    "$HEDDLE" explore --every-order --max-runs=1000 --format=json -o every -- ./random </dev/null >theirs || true
    if grep -q 'could not be recorded' ours || grep -q 'the limit of 1000 runs' theirs; then
        echo "not complete, and says so"
        return
    fi
    as_brute_force ./random
}

@test "brute force finds the same: some random programs" {
    for seed in 1 9; do random_as_brute_force $seed; done
    random_as_brute_force 101 more
}

@test "brute force finds the same: random programs" {
    only_long
    first=${HEDDLE_TEST_SEED:-$RANDOM}
    for seed in $(seq "$first" $((first + 7))); do
        random_as_brute_force "$seed"
        random_as_brute_force "$seed" more
    done
}

@test "the result is the same for every number of runs at a time" {
    "$HEDDLE" explore -- ./buffer </dev/null >told || true
    "$HEDDLE" explore -- ./counter 2 3 </dev/null >>told || true
    "$HEDDLE" explore --max-runs=5 -- ./counter 2 3 </dev/null >>told || true
    "$HEDDLE" explore --stop-at-first -- ./lost_update </dev/null >>told || true
    for jobs in 2 5; do
        "$HEDDLE" explore -j$jobs -- ./buffer </dev/null >now || true
        "$HEDDLE" explore -j$jobs -- ./counter 2 3 </dev/null >>now || true
        "$HEDDLE" explore -j$jobs --max-runs=5 -- ./counter 2 3 </dev/null >>now || true
        "$HEDDLE" explore -j$jobs --stop-at-first -- ./lost_update </dev/null >>now || true
        diff told now
    done
}

@test "the budget ends: not complete" {
    run "$HEDDLE" explore --max-runs=2 -- ./counter 2 2 </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == "not complete after 2 runs, 2 behaviours: the limit of 2 runs was reached" ]]
}

@test "JSON" {
    run "$HEDDLE" explore --format=json -o there -- ./lost_update </dev/null
    [ "$status" -eq 2 ]
    [ "$(number_of runs <<<"$output")" -eq 4 ]
    [[ "$output" == *'"schedule": "there/outcome-2.schedule"'* ]]
    [ -f there/outcome-2.schedule ]
}

@test "wrong words are refused" {
    run "$HEDDLE" explore
    [ "$status" -eq 1 ]
    run "$HEDDLE" explore --max-runs=0 -- ./counter
    [ "$status" -eq 1 ]
    run "$HEDDLE" explore --max-runs=many -- ./counter
    [ "$status" -eq 1 ]
    run "$HEDDLE" explore --format=xml -- ./counter
    [ "$status" -eq 1 ]
    run "$HEDDLE" explore -- ./not-there
    [ "$status" -eq 1 ]
    run "$HEDDLE" explore -- /bin/true
    [ "$status" -eq 1 ]
    [[ "$output" == *"not instrumented"* ]]
    run "$HEDDLE" explore -- mvn test
    [ "$status" -eq 1 ]
    [[ "$output" == *'a Java program must be started by `java` itself, not by mvn'* ]]
}

@test "more than 64 threads: not complete, no crash" {
    run "$HEDDLE" explore -- ./counter 70 1 </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "${lines[0]}" == *"more than 64 threads" ]]
    run "$HEDDLE" explore --every-order -- ./counter 150 1 </dev/null
    [ "$status" -eq 3 ]
}

@test "the first failure ends it when that is wanted" {
    run "$HEDDLE" explore --stop-at-first --format=json -- ./assertion </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    grep -q '"complete": false' <<<"$output"
    "$HEDDLE" explore --format=json -- ./assertion </dev/null >all || [ $? -eq 2 ]
    [ "$(number_of runs <<<"$output")" -le "$(number_of runs <all)" ]
    run "$HEDDLE" explore --stop-at-first -- ./counter 2 2 </dev/null
    [ "$status" -eq 0 ]
}

@test "writes that leave the value as it was do not make it incomplete; traces are checked for races" {
    cat >same.c <<'END'
#include <pthread.h>
#include <stdio.h>
int x, y, z;
static void *a(void *p) { x = 0; z = y; return p; }
static void *b(void *p) { z = x; x = 0; y = 1; return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(t, 0); pthread_join(u, 0); printf("%d\n", z); return 0; }
END
    for level in -O0 -O1; do
        "$HEDDLE" cc -g $level same.c -o same
        run "$HEDDLE" explore -q -- ./same </dev/null
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "${lines[0]}" =~ ^"all "[0-9]+" behaviours explored, 2 outcomes"$ ]]
        all=${lines[0]}
        [[ "$output" == *"problem 1: Data race: "*" of heddle-explore/run-1.json)"* ]]
    done
    "$HEDDLE" verify heddle-explore/run-1.htr heddle-explore/run-1.json
    run "$HEDDLE" explore -q --every-order -- ./same </dev/null
    [ "${lines[0]}" = "$all" ]
    run "$HEDDLE" replay heddle-explore/run-1.json R1 -- ./same </dev/null
    [[ "$output" == "R1: confirmed"* ]]
}

@test "the copy of a structure is one step" {
    cat >copies.c <<'END'
#include <pthread.h>
#include <stdio.h>
struct s { int a; } x, y, z = {1};
static void *a(void *p) { x = y; y = z; return p; }
static void *b(void *p) { y = x; x = z; return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(t, 0); pthread_join(u, 0); printf("%d %d\n", x.a, y.a); return 0; }
END
    for level in -O0 -O2; do
        HEDDLE_CC=gcc "$HEDDLE" cc -g $level copies.c -o copies
        run "$HEDDLE" explore -q -- ./copies </dev/null
        echo "$output"
        [ "${lines[0]}" = "all 4 behaviours explored, 3 outcomes" ]
    done
}
