#!/usr/bin/env bats
# heddle replay, record --replay, check --confirm: findings made to happen, outcomes, divergence, refusals.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in account lost_update philosophers work_queue bounded_buffer det_barrier; do
        "$HEDDLE" cc -I"$PROGRAMS/../../include" -O1 "$PROGRAMS/$program.c" -o $program
    done
    for program in late_pointer assertion endings inputs reading shutdown sum unseen_order; do
        "$HEDDLE" cc -O1 "$PROGRAMS/trouble/$program.c" -o $program
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr t.json s.schedule
}

# recorded SEED WORD: records until the program prints what is wanted, and checks that run
recorded() {
    local seed
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$HEDDLE" record -q --seed=$seed -o t.htr -- "./$1" >out 2>/dev/null </dev/null || continue
        [ -z "$2" ] || [ "$(cat out)" = "$2" ] || continue
        "$HEDDLE" check --grounds=ignore --values=ignore --format=json -o t.json t.htr >/dev/null || true # as if nothing were known of what reads decide
        return 0
    done
    return 1
}

ids() {
    grep -o '"id": *"[A-Z0-9]*"' t.json | sed 's/.*"\([A-Z0-9]*\)"/\1/'
}

@test "a nondeterministic read gets its other value" {
    recorded lost_update 2
    run "$HEDDLE" replay t.json N1 -- ./lost_update </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "N1: confirmed with "* ]]
    [[ "$output" == *"1 in the recording, 0 now"* ]]
    [[ "$output" == *"    - 2"*"    + 1"* ]]
    [ "${lines[-1]}" = "outcome: different output" ]
}

@test "a race happens in both orders" {
    recorded account 30
    run "$HEDDLE" replay t.json R1 -- ./account </dev/null
    [ "$status" -eq 2 ]
    [ "$(grep -c 'stopped before both accesses' <<<"$output")" -eq 2 ]
}

@test "the report of several traces: each finding is replayed with its own trace" {
    "$HEDDLE" cc -O1 "$PROGRAMS/airline.c" -o airline
    for seed in 1 2; do
        "$HEDDLE" record -q --seed=$seed -o part-$seed.htr -- ./airline >/dev/null
    done
    "$HEDDLE" check --property=race,stale --format=json -o several.json part-1.htr part-2.htr || [ $? -eq 2 ]
    for part in 0 1; do
        ids=$(jq -r ".reports[$part].findings[].id" several.json)
        [ -n "$ids" ]
        for id in $ids; do
            run "$HEDDLE" replay several.json $id -- ./airline </dev/null
            echo "$output"
            [ "$status" -eq 0 ] || [ "$status" -eq 2 ]
            [[ "${lines[0]}" == "$id: confirmed with "* ]]
        done
    done
    run "$HEDDLE" replay several.json R99 -- ./airline
    [ "$status" -eq 1 ]
    [[ "$output" == *"several.json: has no finding R99"* ]]
}

@test "what cannot happen is not confirmed" {
    ulimit -H -c | grep -q unlimited || skip "needs a limit that can be lowered"
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./unseen_order limit </dev/null
    "$HEDDLE" check --confirm --format=json -o c.json t.htr -- ./unseen_order limit </dev/null || true
    cat c.json
    grep -q '"confirmed": false' c.json
    ! grep -q '"confirmed": true' c.json
}

@test "order by files, names of files and the environment is seen" {
    for way in content name folder environment spelling at moved stream size clear flock closed fcntl; do
        for seed in 1 2; do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./unseen_order $way </dev/null
            "$HEDDLE" check --property=race,unordered t.htr
        done
    done
}

@test "what a thread does because of a semaphore's count comes after the post" {
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./unseen_order semaphore </dev/null
    "$HEDDLE" check --property=race t.htr
}

@test "a race that shows is in the trace of its replay" {
    recorded account 30
    "$HEDDLE" replay -o shown.htr t.json R1 -- ./account </dev/null || [ $? -eq 2 ]
    "$HEDDLE" info shown.htr
    "$HEDDLE" check --property=race,unordered --format=json -o s.json shown.htr || [ $? -eq 2 ]
    grep -q '"property": *"\(race\|unordered\)"' s.json
}

@test "a deadlock happens" {
    recorded philosophers "1 1 1"
    run "$HEDDLE" replay t.json L1 -- ./philosophers </dev/null
    [ "$status" -eq 2 ]
    [ "$(grep -c 'waits forever' <<<"$output")" -eq 3 ]
    [ "${lines[-1]}" = "outcome: deadlock" ]
}

@test "a lost wake-up happens, also where the condition variable is destroyed in the end" {
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./shutdown >/dev/null </dev/null
    "$HEDDLE" check --property=stuck --format=json -o t.json t.htr >/dev/null || [ $? -eq 2 ]
    run "$HEDDLE" replay t.json K1 -- ./shutdown </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"K1: confirmed"*"waits forever for a signal, before: T1 work: acq("*"waits forever: main: join(T1 work)"*"outcome: deadlock"* ]]
}

@test "a change that depends on a look before it, which runs without grounds record otherwise" {
    [ -e "$(dirname "$HEDDLE")/runtime/heddle_gcc.so" ] || skip "no plugin for this gcc"
    cat >looks.c <<'EOF'
#include <pthread.h>
#include <stdio.h>
static volatile int x;
static void *add(void *unused)
{
    if (x)
        x = 1;
    __atomic_fetch_add(&x, 2, __ATOMIC_SEQ_CST);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    if (x)
        x = 1;
    pthread_join(thread, NULL);
    printf("%d\n", x);
    return 0;
}
EOF
    "$HEDDLE" cc -O0 looks.c -o looks
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./looks >/dev/null </dev/null
    "$HEDDLE" convert t.htr - | grep '|cas.sc(x=2)|'
    "$HEDDLE" check --confirm --format=json -o t.json t.htr -- ./looks >/dev/null 2>&1 </dev/null || [ $? -eq 2 ]
    [ "$(jq '[.findings[] | select(.property == "race") | .confirmed] | length > 0 and all' t.json)" = true ]
}

@test "a crash happens, and where" {
    recorded late_pointer 42
    found=
    for id in $(ids); do
        run "$HEDDLE" replay -q t.json $id -- ./late_pointer </dev/null
        [[ "$output" != *"crash (SIGSEGV at "*"late_pointer.c:"* ]] || found=$id
    done
    [ -n "$found" ]
}

@test "an assertion fails" {
    recorded assertion 10
    found=
    for id in $(ids); do
        run "$HEDDLE" replay -q t.json $id -- ./assertion </dev/null
        [[ "$output" != *"outcome: assertion"* ]] || found=$id
    done
    [ -n "$found" ]
}

# outcome WAY OPTIONS…: the outcome of the one finding on endings.c
outcome() {
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./endings $1 </dev/null
    "$HEDDLE" check --property=nondet --format=json -o t.json t.htr >/dev/null || [ $? -eq 2 ]
    shift
    run "$HEDDLE" replay "$@" t.json N1 -- ./endings "$way"
}

@test "nothing changes, only values, the exit status, or the program hangs" {
    way=same outcome same
    [ "$status" -eq 0 ]
    [ "${lines[-1]}" = "outcome: same" ]
    way=values outcome values
    [ "$status" -eq 2 ]
    [ "${lines[-1]}" = "outcome: different final values" ]
    way=status outcome status
    [ "$status" -eq 2 ]
    [[ "$output" == *"exit status 1"* ]]
    [ "${lines[-1]}" = "outcome: different output" ]
    way=hang outcome hang --timeout=1
    [ "$status" -eq 2 ]
    [ "${lines[-1]}" = "outcome: hang" ]
}

@test "every finding of a program replays, and what changes the outcome comes first" {
    recorded account 30
    "$HEDDLE" check --confirm --format=json -o c.json t.htr -- ./account </dev/null || [ $? -eq 2 ]
    [ "$(grep -c '"confirmed": true' c.json)" -eq "$(grep -c '"id"' c.json)" ]
    recorded work_queue ""
    "$HEDDLE" check --confirm --format=json -o c.json t.htr -- ./work_queue </dev/null || [ $? -eq 2 ]
    [ "$(grep -c '"confirmed": true' c.json)" -eq "$(grep -c '"id"' c.json)" ]
    run "$HEDDLE" check --confirm t.htr
    [ "$status" -eq 1 ]
    [[ "$output" == *"--confirm needs the program"* ]]
}

@test "repeats are the same" {
    recorded lost_update 2
    times=5
    [ -z "$HEDDLE_TEST_LONG" ] || times=100
    run "$HEDDLE" replay --loop=$times t.json N1 -- ./lost_update </dev/null
    [ "$status" -eq 2 ]
    [ "${lines[0]}" = "N1: $times of $times confirmed, $times with the same outcome as the first" ]
    [ "${lines[1]}" = "  $times times: different output" ]
}

@test "a schedule is written, small, and followed" {
    recorded lost_update 2
    "$HEDDLE" replay --script=s.schedule t.json N1 -- ./lost_update </dev/null
    [ "$(head -1 s.schedule)" = "heddle-schedule 1" ]
    [ "$(wc -l <s.schedule)" -lt 20 ]
    run "$HEDDLE" replay --script=s.schedule -- ./lost_update </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"followed; outcome: different output"* ]]
    "$HEDDLE" cc -O1 "$PROGRAMS/lost_update.c" -o again # the same code, compiled again
    run "$HEDDLE" replay --force --script=s.schedule -- ./again </dev/null
    [[ "$output" == *"followed; outcome: different output"* ]]
}

@test "synchronization can be ordered by itself" {
    {
        printf 'heddle-schedule 1\nmode order\nseed 3\nthread 0 -.1 main\nthread 1 0.1 A\nthread 2 0.2 B\nthread 3 0.3 C\n'
        printf '#1|C|acq(forks[2])|\n#1|B|acq|\n#1|A|acq|\n'
    } >order.schedule
    "$HEDDLE" replay --script=order.schedule -o o.htr -- ./philosophers </dev/null || [ $? -eq 2 ]
    "$HEDDLE" convert o.htr - | grep '|acq' | awk -F'|' '!seen[$1]++ {print $1}' >order
    [ "$(cut -c1-2 order | tr '\n' ' ')" = "T3 T2 T1 " ]
    sed -i 's/^#1|A|acq|$/#1|A|acq|\n#9|A|acq|/' order.schedule
    run "$HEDDLE" replay --script=order.schedule -- ./philosophers </dev/null
    [ "$status" -eq 3 ]
}

@test "up to an event" {
    recorded lost_update 2
    run "$HEDDLE" replay --to=3 t.json N1 -- ./lost_update </dev/null
    [ "$status" -eq 0 ]
    [[ "$output" == *"followed up to event 3"* ]]
    run "$HEDDLE" replay --to=99999 t.json N1 -- ./lost_update </dev/null
    [ "$status" -eq 1 ]
}

@test "gdb stops at the deciding read" {
    command -v gdb >/dev/null || skip "gdb is not installed"
    gdb -q -batch -ex run true 2>&1 | grep -q 'exited normally' || skip "gdb cannot run programs here"
    recorded lost_update 2
    echo 'print counter' | "$HEDDLE" replay --gdb t.json N1 -- ./lost_update >gdb.out 2>&1
    grep -q 'lost_update.c:13' gdb.out
    grep -q '= 0' gdb.out
}

# in_gdb REPORT ID OPTIONS COMMANDS PROGRAM: what gdb says to the commands
in_gdb() {
    command -v gdb >/dev/null || skip "gdb is not installed"
    gdb -q -batch -ex run true 2>&1 | grep -q 'exited normally' || skip "gdb cannot run programs here"
    printf "$4" | "$HEDDLE" replay --gdb $3 "$1" "$2" -- "$5" >gdb.out 2>&1
    cat gdb.out
}

@test "gdb knows the finding, its schedule and its threads" {
    recorded lost_update 2
    in_gdb t.json N1 "" 'info heddle\nheddle lanes\nheddle why\nheddle next-event\nthread 1\nheddle why\ncontinue\ninfo heddle\n' ./lost_update
    grep -q '^(gdb) finding: *N1, nondeterminism: .*r(counter) at .*lost_update.c:13' gdb.out
    grep -q '^report: *t.json$' gdb.out
    grep -q '^trace: *t.htr$' gdb.out
    grep -Eq '^schedule: *[0-9]+ events of 3 threads$' gdb.out
    grep -Eq '^position: *before step [0-9]+: T[12] add_one, event [0-9]+: r\(counter\)' gdb.out
    grep -Eq '^\* T[12] add_one [23] +has the turn +event [0-9]+: r\(counter\)' gdb.out
    grep -q '^In N1 (nondeterminism) this is the read.$' gdb.out
    grep -q 'heddle: 0 events of the schedule are left to stop at' gdb.out
    grep -q '(gdb) main waits for its turn: the schedule has T[12] add_one do event' gdb.out
    grep -q '^1$' gdb.out # the update is lost
    grep -q '^position: *the program is not running$' gdb.out
}

@test "gdb goes through a schedule event by event" {
    recorded lost_update 2
    in_gdb t.json N1 --to=1 'heddle next-event\nheddle next-event 2\nheddle next-event x\ncontinue\n' ./lost_update
    # The first two events are forks; the third stop is two events further on.
    grep -q 'main is about to do event 1: fork(' gdb.out
    grep -q 'main is about to do event 2: fork(' gdb.out
    grep -Eq 'T[12] add_one is about to do event [0-9]+: r\(counter\) at .*lost_update.c:13' gdb.out
    grep -q 'heddle next-event: expected a number of events' gdb.out
    grep -q '^1$' gdb.out # the rest of the schedule was followed
}

@test "gdb says which lock a thread of a deadlock waits for, and whose it is" {
    "$HEDDLE" cc -O1 "$PROGRAMS/abba.c" -o abba
    recorded abba ""
    in_gdb t.json L1 "" 'heddle lanes\nheddle why\nthread 3\nheddle why\nthread 2\nheddle why\n' ./abba
    grep -Eq 'waits for a lock \((first|second)\), held by T[12] (there|back) +event [0-9]+: acq\(' gdb.out
    grep -Eq '^\(gdb\) T[12] (there|back) waits for a lock \((first|second)\), held by T[12] (there|back)\.$' gdb.out
    grep -Eq '^It asked for event [0-9]+: acq\(' gdb.out
    [ "$(grep -c '^In L1 (deadlock) this is one of its events.$' gdb.out)" -ge 2 ]
}

@test "heddle-gdb.py without a schedule says what to do" {
    command -v gdb >/dev/null || skip "gdb is not installed"
    run gdb -q -batch -x "$(dirname "$HEDDLE")/runtime/heddle-gdb.py" -ex "info heddle"
    [[ "$output" == *"heddle: no schedule: start gdb with"* ]]
}

@test "recorded runs happen again, byte for byte" {
    for program in work_queue bounded_buffer det_barrier; do
        for how in "--policy=random --one-pass" "--policy=pct --one-pass" "--policy=round-robin --two-pass" \
            "--policy=random --two-pass"; do
            "$HEDDLE" record -q $how --seed=5 -o a.htr -- ./$program >a.out
            "$HEDDLE" record -q --replay=a.htr -o b.htr -- ./$program >b.out
            cmp a.htr b.htr
            cmp a.out b.out
        done
    done
}

@test "time, random numbers and process numbers are those of the recording" {
    "$HEDDLE" record -q -o a.htr -- ./inputs >a.out
    "$HEDDLE" record -q --replay=a.htr -o b.htr -- ./inputs >b.out
    cmp a.out b.out
    cmp a.htr b.htr
}

@test "handlers of signals run where they ran" {
    for program in alarms interrupted handlers; do
        "$HEDDLE" cc -O1 "$PROGRAMS/$program.c" -o $program
        for seed in 1 2; do
            "$HEDDLE" record -q --seed=$seed -o a.htr -- ./$program
            "$HEDDLE" record -q --replay=a.htr -o b.htr -- ./$program
        done
    done
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./alarms
    "$HEDDLE" check --deterministic --confirm --format=json -o c.json t.htr -- ./alarms || [ $? -eq 2 ]
    grep -q '"confirmed": true' c.json
    ! grep -q '"confirmed": false' c.json
}

@test "a timer may make more threads than it did" {
    "$HEDDLE" cc -O1 "$PROGRAMS/trouble/ticks.c" -o ticks
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./ticks
    "$HEDDLE" check --all --format=json -o r.json t.htr
    touch often
    "$HEDDLE" replay r.json N1 -- ./ticks >out
    grep -q "N1: confirmed" out
}

@test "another input is a divergence, with its place" {
    echo 2 >number
    "$HEDDLE" record -q --seed=2 -o t.htr -- ./inputs number >/dev/null
    "$HEDDLE" check --format=json -o t.json t.htr >/dev/null || true
    id=$(ids | tail -1)
    "$HEDDLE" replay -q t.json $id -- ./inputs number </dev/null >/dev/null || [ $? -eq 2 ]
    echo 0 >number
    run "$HEDDLE" replay t.json $id -- ./inputs number </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"did not follow the schedule: "*"expected "*"; got "* ]]
    [[ "$output" == *"the file "*"/number differs: "*"inputs.c:"*" read something else"* ]]
}

@test "whatever way a file is read, its other content is named" {
    for way in pread fread fgets getline fscanf fgetc unlocked; do
        echo 3 >number
        "$HEDDLE" record -q --seed=2 -o t.htr -- ./reading $way number >out
        "$HEDDLE" check --grounds=ignore --values=ignore --format=json -o t.json t.htr >/dev/null || true # as if nothing were known of what reads decide
        "$HEDDLE" replay -q t.json N1 -- ./reading $way number >/dev/null || [ $? -eq 2 ]
        echo 1 >number
        run "$HEDDLE" replay t.json N1 -- ./reading $way number
        echo "$way: $output"
        [ "$status" -eq 3 ]
        [[ "$output" == *"the file "*"/number differs: "*"reading.c:"* ]]
        run "$HEDDLE" record -q --replay=t.htr -o again.htr -- ./reading $way number
        [ "$status" -eq 3 ]
        [[ "$output" == *"the file "*"/number differs: "*"reading.c:"* ]]
    done
}

@test "standard input is kept and given to every run" {
    for passes in one two; do
        printf '1\n2\n4\n' | "$HEDDLE" run --$passes-pass --confirm --seed=1 -o piped -- ./sum >piped.out 2>/dev/null || [ $? -eq 2 ]
        [ "$(head -1 piped.out)" = 7 ]
        grep -q '"confirmed": true, "outcome": "different output"' piped/report.json
        run "$HEDDLE" replay piped/report.json N1 -- ./sum </dev/null
        [ "$status" -eq 2 ]
        run "$HEDDLE" replay piped/report.json N1 -- ./sum < <(sleep 1000 & echo $! >sleeper; wait) # never looked at
        kill "$(cat sleeper)"
        [ "$status" -eq 2 ]
        "$HEDDLE" record -q --replay=piped/trace.htr -o b.htr -- ./sum </dev/null >b.out
        cmp piped/trace.htr b.htr
        [ "$(cat b.out)" = 7 ]
    done
    printf '1\n2\n4\n' >numbers
    "$HEDDLE" record -q --seed=1 --one-pass -o a.htr -- ./sum <numbers >/dev/null
    printf '1\n2\n4\n' | "$HEDDLE" record -q --seed=1 --one-pass -o b.htr -- ./sum >/dev/null
    cmp a.htr b.htr
    yes 1 | "$HEDDLE" record -q --seed=1 -o a.htr -- ./sum >a.out # an input without end
    [ "$(cat a.out)" -le 8 ]
}

@test "the processor's time stamps are not recorded: a seed made of them is a divergence" {
    cat >stamp.c <<'END'
#include <pthread.h>
#include <x86intrin.h>
static int x;
static void *set(void *unused)
{
    x = 1;
    return unused;
}
int main(void)
{
    volatile int shared[8] = {0};
    pthread_t t;
    for (unsigned long long n = __rdtsc() % 100003; n > 0; n--)
        shared[n % 8]++;
    pthread_create(&t, NULL, set, NULL);
    int seen = x;
    pthread_join(t, NULL);
    return seen > 1;
}
END
    "$HEDDLE" cc stamp.c -o stamp
    "$HEDDLE" record -q --seed=1 --one-pass -o t.htr -- ./stamp
    "$HEDDLE" check --format=json -o t.json t.htr >/dev/null || true
    run "$HEDDLE" replay t.json R1 -- ./stamp
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"did not follow the schedule: "* ]]
    [[ "$output" == *"the processor's time stamps (rdtsc)"* ]]
}

@test "another build is refused, unless forced" {
    recorded lost_update 2
    cp lost_update kept
    "$HEDDLE" cc -O0 -DOTHER "$PROGRAMS/lost_update.c" -o lost_update
    run "$HEDDLE" replay t.json N1 -- ./lost_update </dev/null
    [ "$status" -eq 1 ]
    [[ "$output" == *"is not the file that was recorded: its build-id is "*"--force"* ]]
    run "$HEDDLE" replay --force t.json N1 -- ./lost_update </dev/null
    [ "$status" -ne 1 ]
    mv kept lost_update
}

@test "what is missing or wrong is named" {
    recorded lost_update 2
    run "$HEDDLE" replay t.json N99 -- ./lost_update
    [ "$status" -eq 1 ]
    [[ "$output" == *"t.json: has no finding N99"* ]]
    run "$HEDDLE" replay t.json N1
    [[ "$output" == *"no program given"* ]]
    run "$HEDDLE" replay -- ./lost_update
    [[ "$output" == *"no finding given"* ]]
    "$HEDDLE" cc -O1 "$PROGRAMS/airline.c" -o airline
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./airline >/dev/null
    run "$HEDDLE" replay t.json N1 -- ./airline </dev/null
    [ "$status" -eq 1 ]
    [[ "$output" == *"t.json: the report belongs to another trace"* ]]
    rm t.htr
    run "$HEDDLE" replay t.json N1 -- ./lost_update </dev/null
    [ "$status" -eq 1 ]
    [[ "$output" == *"t.htr"* ]]
    run "$HEDDLE" record --replay="$TRACES/lost-update.std" -- ./lost_update
    [ "$status" -eq 1 ]
    [[ "$output" == *"has no journal of the run"* ]]
    printf 'heddle-schedule 2\n' >bad
    run "$HEDDLE" replay --script=bad -- ./lost_update
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: bad:1: unsupported version of the schedule format; this heddle reads version 1" ]
    printf 'heddle-schedule 1\nthread 0 -.1 main\n@1|nobody|r(x)|\n' >bad
    run "$HEDDLE" replay --script=bad -- ./lost_update
    [ "$output" = "heddle: bad:3: no thread of that name was declared" ]
}

@test "traces that do not say how to run the program again are refused, with what to do" {
    "$HEDDLE" record -q --seed=2 -o t.htr -- ./account >/dev/null
    "$HEDDLE" convert t.htr foreign.std
    "$HEDDLE" check --format=json -o t.json foreign.std >/dev/null || true
    for command in "replay t.json R1" "check --confirm foreign.std" "record --replay=foreign.std"; do
        run "$HEDDLE" $command -- ./account
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: foreign.std: has no journal of the run, so it cannot be repeated: only files that \`heddle record\` wrote have one, and converting drops it; build the program with \`heddle cc\` or \`heddle c++\` and record it again" ]
    done
}

@test "what was recorded under Valgrind is refused, with what to do" {
    "$HEDDLE" doctor | grep -q '^ok *uninstrumented program' || skip "heddle was built without Valgrind"
    gcc -g -pthread -I"$PROGRAMS/../../include" "$PROGRAMS/account.c" -o plain
    "$HEDDLE" record -q --tool=valgrind -o v.htr -- ./plain >/dev/null
    "$HEDDLE" check --format=json -o v.json v.htr >/dev/null || true
    for command in "replay v.json R1" "replay --force v.json R1" "check --confirm v.htr"; do
        run "$HEDDLE" $command -- ./account
        [ "$status" -eq 1 ]
        [ "$output" = "heddle: v.htr: was recorded from a program that is not instrumented, so its threads cannot be scheduled: build it with \`heddle cc\` or \`heddle c++\`, record it again, and replay the new findings" ]
    done
}

@test "a program that is killed on the way" {
    cat >killed.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
static int x;
static void *set(void *unused)
{
    x = 1;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    if (x == 0)
        x = 2;
    pthread_join(t, NULL);
    if (getenv("KILL"))
        raise(SIGKILL);
    return 0;
}
END
    "$HEDDLE" cc killed.c -o killed
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./killed
    "$HEDDLE" check --format=json -o t.json t.htr >/dev/null || true
    run env KILL=1 "$HEDDLE" replay t.json R1 -- ./killed </dev/null
    [ "$status" -eq 0 ] || [ "$status" -eq 2 ] || [ "$status" -eq 3 ]
    [[ "$output" == *"R1"* ]]
}

# replayed PROGRAM…: prints how many findings there are on them, and how many of these can be made to happen
replayed() {
    local found=0 confirmed=0 program seed
    for program; do
        for seed in 3 4; do
            "$HEDDLE" record -q --timeout=20 --seed=$seed -o p.htr -- "./$program" >/dev/null 2>&1 </dev/null
            "$HEDDLE" check --confirm --format=json --schedules=none -o p.json p.htr -- "./$program" >/dev/null 2>&1 </dev/null
            found=$((found + $(grep -c '"id": ' p.json)))
            confirmed=$((confirmed + $(grep -c '"confirmed": true' p.json)))
            grep '"confirmed": false' p.json | sed "s/^/$program, seed $seed: /" >&3 || true
        done
    done
    echo $found $confirmed
}

@test "findings on programs of the corpus can be made to happen" {
    read -r found confirmed <<<"$(replayed account lost_update philosophers work_queue bounded_buffer det_barrier)"
    echo "# $confirmed of $found" >&3
    [ "$found" -gt 0 ]
    [ "$confirmed" -eq "$found" ]
}

@test "findings on the whole program corpus can be made to happen" {
    only_long
    "$PROGRAMS/../../bench/confirm" "$(dirname "$HEDDLE")" >confirm.out || { cat confirm.out; false; }
    tail -1 confirm.out | sed 's/^/# /' >&3
}

@test "what was done once counts as done, though nobody looks at it any more" {
    cat >once.c <<'END'
#include <pthread.h>
#include <stddef.h>
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int ready;
static void init(void) {}
static void *one(void *unused)
{
    pthread_once(&once, init);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}
static void *two(void *unused)
{
    pthread_mutex_lock(&lock);
    int seen = ready;
    pthread_mutex_unlock(&lock);
    if (!seen)
        pthread_once(&once, init);
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&b, NULL, two, NULL);
    pthread_create(&a, NULL, one, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END
    "$HEDDLE" cc once.c -o once
    looks=0
    for seed in 1 2 3 4 5 6 7 8 9 10 11 12; do
        "$HEDDLE" record -q --seed=$seed -o o.htr -- ./once
        "$HEDDLE" convert o.htr o.std
        ! grep -q 'T2.*post(once' o.std || looks=$((looks + 1))
        "$HEDDLE" check --confirm --format=json -o o.json --property=nondet o.htr -- ./once || [ $? -eq 2 ]
        [ "$(grep -c '"confirmed": false' o.json)" -eq 0 ]
    done
    [ "$looks" -gt 0 ]
}

@test "what differs between two runs of the recorded schedule is no change" {
    "$HEDDLE" cc -w -g -O1 "$PROGRAMS/trouble/noisy.c" -o noisy
    "$HEDDLE" record -q --seed=1 -o noisy.htr -- ./noisy >first
    "$HEDDLE" record -q --replay=noisy.htr -o again.htr -- ./noisy >second || true
    ! cmp -s first second
    "$HEDDLE" check --confirm --property=nondet --format=json noisy.htr -- ./noisy >noisy.json
    grep -q '"confirmed": true, "outcome": "same"' noisy.json
    ! grep -q '"outcome": "different' noisy.json
}

@test "a local variable keeps its name when a thread begins on the stack above" {
    "$HEDDLE" cc -I"$INCLUDE" -O1 "$PROGRAMS/det_pool.c" -o det_pool
    for seed in 2 3; do
        "$HEDDLE" record -q --seed=$seed -o p.htr -- ./det_pool
        [ "$("$HEDDLE" convert p.htr - | grep -c '(memory at ')" -eq 0 ]
        "$HEDDLE" check --confirm --format=json -p nondet,serializability -o p.json p.htr -- ./det_pool || [ $? -eq 2 ]
        [ "$(grep -c '"confirmed": true' p.json)" -ge 1 ] && [ "$(grep -c '"confirmed": false' p.json)" -eq 0 ]
    done
}
