#!/usr/bin/env bats
# check --method=csp and export --to=cspm: CSP models of traces.
load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    # Listing 1.1 of the paper; its increments as writes.
    cat >listing.std <<'END_OF_TRACE'
T1|w(y)|a.c:1
T1|acq(m)|a.c:2
T1|w(x)|a.c:3
T1|rel(m)|a.c:4
T2|acq(m)|b.c:2
T2|w(x)|b.c:3
T2|rel(m)|b.c:4
T2|w(y)|b.c:5
END_OF_TRACE
    # What T2 does depends on the flag: the accesses to d are apart, though no synchronization keeps them so.
    cat >flag.std <<'END_OF_TRACE'
T1|w(d)|a.c:1
T1|aw(flag)|a.c:2
T2|ar(flag)|b.c:1
T2|w(d)|b.c:2
END_OF_TRACE
    # Two sections that have to be turned around, one inside a wait for the other lock.
    cat >nested.std <<'END_OF_TRACE'
T1|acq(l)|1
T1|acq(m)|2
T1|rel(m)|3
T1|w(x)|4
T1|rel(l)|5
T2|acq(m)|6
T2|acq(l)|7
T2|rel(l)|8
T2|w(x)|9
T2|rel(m)|10
END_OF_TRACE
}

@test "csp: the paper's example, observed beside reordered" {
    run "$HEDDLE" check --method=csp listing.std
    [ "$status" -eq 2 ]
    diff - <(echo "$output") <<'END_OF_REPORT'
listing.std: 8 events of 2 threads, 2 variables, 1 lock; checked for race by method csp
1 problem: 1 race

R1  Data race: T1 writes y while T2 writes it
    T1 writes y at a.c:1 (event 1)
    T2 writes y at b.c:5 (event 8)
      both can run at the same moment; what then happens is undefined in C and C++
    found with data ignored; exact confirms it

    Synchronization that leads to it:

    observed                                      reordered
    1       T1 writes y                           5       T2 takes m
    2       T1 takes m                            7       T2 releases m
    4       T1 releases m                         1       T1 writes y  ◀ can run now
    5       T2 takes m                            8       T2 writes y  ◀ and so can this
    7       T2 releases m
    8       T2 writes y

Next: all schedules in full, and each one checked again:
  heddle check --method=csp --format=json -o report.json listing.std
  heddle verify listing.std report.json
END_OF_REPORT
}

@test "csp: reports hold synchronization events, and verify takes them" {
    "$HEDDLE" check --method=csp --format=json -o report.json listing.std || [ $? -eq 2 ]
    grep -q '"first": 1, "second": 8, .*"confirmation": "exact", "schedule_kind": "synchronization", "schedule": {"prefix": 0, "then": \[5,7\]}' report.json
    grep -q '"csp": {"variables": 1, "assertions": 1, "filtered": 1, "checks": 1, "states": ' report.json
    run "$HEDDLE" verify listing.std report.json
    [ "$status" -eq 0 ]
    [ "${lines[0]}" = "1 finding, all accepted (1 by synchronization alone, data ignored)" ]
}

@test "csp: verify rejects schedules that do not lead there, and methods that may not ignore data" {
    "$HEDDLE" check --method=csp --format=json -o report.json listing.std || [ $? -eq 2 ]
    rejects() {
        sed "$1" report.json >other.json
        ! cmp -s report.json other.json
        run "$HEDDLE" verify listing.std other.json
        [ "$status" -eq 1 ]
        [ "${lines[0]}" = "R1: rejected: $2" ]
    }
    rejects 's/\[5,7\]/[5]/' "event 7, which synchronizes, is left out"
    rejects 's/\[5,7\]/[2,5,7]/' "event 5 takes lock m while T1 holds it"
    rejects 's/\[5,7\]/[2,4,5,7]/' "event 1 is in the run"
    rejects 's/\[5,7\]/[5,6,7]/' "event 6 does not synchronize"
    rejects 's/\[5,7\]/[5,7,99]/' "event 99 does not exist: the trace has events 1 to 8"
    rejects 's/"method": "csp"/"method": "exact"/' "its schedule ignores data, which only --method=csp may do"
    sed 's/"synchronization"/"data"/' report.json >other.json
    run "$HEDDLE" verify listing.std other.json
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: other.json: findings[0].schedule_kind is not one that this version knows" ]
}

@test "csp: what exact refutes needs another path" {
    run "$HEDDLE" check --method=csp flag.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"Possible data race: T1 writes d while T2 writes it"* ]]
    [[ "$output" == *"needs another path: on the recorded path, the values that the threads read keep the accesses apart"* ]]
    [[ "$output" != *"both can run at the same moment"* ]]
    run "$HEDDLE" check --method=csp --format=json flag.std
    [[ "$output" == *'"confirmation": "needs another path"'*'"schedule": {"prefix": 0, "then": []}'* ]]
    [[ "$output" == *'"confirmed": 0, "needs_another_path": 1, "unconfirmed": 0'* ]]
    run "$HEDDLE" check --property=race flag.std
    [ "$status" -eq 0 ]
}

@test "csp: all races of exact are races of csp, confirmed, on the bundled traces" {
    pairs() { grep -o "\"first\": [0-9]*, \"second\": [0-9]*.*$1" | grep -o '"first": [0-9]*, "second": [0-9]*' | sort; }
    for trace in "$TRACES"/*.std; do
        "$HEDDLE" check --method=csp --format=json -o csp.json "$trace" || [ $? -eq 2 ]
        "$HEDDLE" check --property=race --format=json -o exact.json "$trace" || [ $? -eq 2 ]
        diff <(pairs '"confirmation": "exact"' <csp.json) <(pairs '' <exact.json)
        "$HEDDLE" verify -q "$trace" csp.json
    done
}

@test "csp: other commands and formats take its reports" {
    "$HEDDLE" check --method=csp --format=json -o report.json "$TRACES/ftpserver.std" || [ $? -eq 2 ]
    "$HEDDLE" report --format=json --trace="$TRACES/ftpserver.std" report.json | diff report.json -
    "$HEDDLE" check --method=csp "$TRACES/ftpserver.std" >text || [ $? -eq 2 ]
    "$HEDDLE" report --trace="$TRACES/ftpserver.std" report.json | diff <(sed '/^Next:/,$d' text) <(sed '/^Next:/,$d' /dev/stdin)
    run "$HEDDLE" check --method=csp --format=sarif flag.std
    [[ "$output" == *'"level":"note"'* && "$output" == *'Possible data race: '* ]]
    run "$HEDDLE" check --method=csp --format=gitlab flag.std
    [[ "$output" == *'"severity": "info"'* ]]
    sed 's/"method": "csp"/"method": "exact"/' report.json >other.json
    run "$HEDDLE" report --trace="$TRACES/ftpserver.std" other.json
    [ "$status" -eq 1 ]
    [[ "$output" == *"its schedule ignores data, which only --method=csp may do"* ]]
    run "$HEDDLE" export --to=dot --finding=report.json:R1 "$TRACES/ftpserver.std"
    [ "$status" -eq 1 ]
    [[ "$output" == *"the schedule of R1 holds synchronization events only, so there is no complete run to export" ]]
    run "$HEDDLE" export --to=cspm --finding=report.json:R1 "$TRACES/ftpserver.std"
    [ "$status" -eq 1 ]
    run "$HEDDLE" export --to=dot --variable=x "$TRACES/ftpserver.std"
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: export: --variable cannot be used with --to=dot" ]
}

# record_until CONFIRMATION PROGRAM: a recording of it in which csp finds a race with this word of exact
record_until() {
    "$HEDDLE" cc -g -O0 -pthread "$2.c" -o "$2"
    for seed in $(seq 60); do
        "$HEDDLE" record --seed="$seed" -o "$2.htr" -- "./$2" >/dev/null 2>&1
        "$HEDDLE" check --method=csp --format=json -o report.json "$2.htr" || [ $? -eq 2 ]
        if grep -q "\"confirmation\": \"$1\"" report.json; then return; fi
    done
    false
}

@test "csp: replay makes the accesses meet" {
    cat >listing.c <<'END_OF_PROGRAM'
#include <pthread.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void step(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static void *one(void *p) { y++; step(); return p; }
static void *two(void *p) { step(); y++; return p; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, one, NULL);
    pthread_create(&b, NULL, two, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return y != 2;
}
END_OF_PROGRAM
    record_until exact listing
    run "$HEDDLE" replay report.json R1 -- ./listing
    [ "$status" -eq 2 ]
    [[ "$output" == "R1: confirmed with "* ]]
}

@test "csp: replay says which of the races that need another path happen on one" {
    # get: reads the data only if it is ready; any: reads it in any case.
    for kind in get any; do
        cat >$kind.c <<END_OF_PROGRAM
#include <pthread.h>
static int data, ready, out, spin;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *put(void *p)
{
    data = 42;
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_mutex_unlock(&m);
    return p;
}
static void *get(void *p)
{
    int seen;
    for (int i = 0; i < 300; i++)
        spin += i;
    pthread_mutex_lock(&m);
    seen = ready;
    pthread_mutex_unlock(&m);
    if (seen || $([ $kind = any ] && echo 1 || echo 0))
        out = data;
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, put, NULL);
    pthread_create(&b, NULL, get, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
END_OF_PROGRAM
        record_until "needs another path" $kind
        run "$HEDDLE" replay report.json R1 -- ./$kind
        echo "$kind: $output"
        case $kind in
        get)
            [ "$status" -eq 3 ]
            [[ "$output" == "heddle: R1: needs another path: in this order of synchronization the program took a path on which the accesses do not meet: "* ]]
            ;;
        any)
            [[ "$output" == "R1: confirmed with "*"on another path: the program reached both accesses with other values than recorded"* ]]
            ;;
        esac
    done
}

@test "csp: only races, and clearly so" {
    run "$HEDDLE" check --method=csp --property=race,nondet listing.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --method=csp is for race only, not for nondet" ]
    run "$HEDDLE" check --method=csp --values=ignore listing.std
    [ "$status" -eq 1 ]
    run "$HEDDLE" check --method=cps listing.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --method=cps: expected exact, graph, ucg or csp" ]
}

@test "csp: a budget that runs out leaves the pair undecided, never dropped" {
    run "$HEDDLE" check --method=csp nested.std
    [ "$status" -eq 0 ]
    run "$HEDDLE" check --method=csp --budget=0 --format=json nested.std
    [ "$status" -eq 3 ]
    [[ "$output" == *'"complete": false'*'"undecided": ['*'"first": 4, "second": 9'* ]]
}

@test "cspm: the model of the paper, read back, with its verdicts" {
    "$HEDDLE" export --to=cspm listing.std -o model.csp
    grep -q '^MUTEX(i) = lock?t!i -> unlock.t.i -> MUTEX(i)$' model.csp
    grep -q '^PROGRAM_0 = T_INTER_0 \[| sync_set |\] SYNC$' model.csp
    [ "$(grep -c '^assert STOP \[T= ' model.csp)" -eq 2 ]
    run python3 "$BATS_TEST_DIRNAME/read_cspm.py" check model.csp
    [ "$output" = "violated T1 T2 y
holds    T1 T2 x" ]
}

@test "cspm: one variable alone" {
    "$HEDDLE" export --to=cspm --variable=x listing.std >model.csp
    run python3 "$BATS_TEST_DIRNAME/read_cspm.py" check model.csp
    [ "$output" = "holds    T1 T2 x" ]
    run "$HEDDLE" export --to=cspm --variable=z listing.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: listing.std: the trace has no variable z" ]
    run "$HEDDLE" export listing.std
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: export: --to=FORMAT is missing"* ]]
}

@test "cspm: names stay apart and are told" {
    printf '%s\n' 'STOP|w(a->b[1])|x.c:1' 'T 2|w(a->b[2])|x.c:2' 'T 2|w(a->b[1])|x.c:3' 'STOP|w(a->b[2])|' >odd.std
    "$HEDDLE" export --to=cspm odd.std >model.csp
    run python3 "$BATS_TEST_DIRNAME/read_cspm.py" check model.csp
    [ "$output" = "violated STOP T 2 a->b[1]
violated STOP T 2 a->b[2]" ]
}

@test "cspm: long threads are cut into definitions that tools can parse" {
    for i in $(seq 250); do printf 'T1|acq(l)|\nT1|w(x)|\nT1|rel(l)|\n'; done >long.std
    printf 'T2|acq(l)|\nT2|w(x)|\nT2|rel(l)|\nT2|r(x)|\n' >>long.std
    "$HEDDLE" export --to=cspm long.std >model.csp
    grep -q '^THREAD_0_0_7 =$' model.csp
    run python3 "$BATS_TEST_DIRNAME/read_cspm.py" check model.csp
    [ "$output" = "violated T1 T2 x" ]
}

@test "cspm: on random traces the assertions fail where csp finds races, and nowhere else" {
    once
    mkdir traces
    # Shapes that lean to locks, deadlocks, waiting, and everything.
    for shape in 2 3 6 7; do "$RANDOM_TRACE" "$((8000 + shape))" 50 traces 8; done
    run python3 "$BATS_TEST_DIRNAME/read_cspm.py" compare "$HEDDLE" traces/*.std
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^"200 traces, "([0-9]+)" assertions, "([0-9]+)" violated"$ ]]
    ((BASH_REMATCH[2] > 0 && BASH_REMATCH[1] > BASH_REMATCH[2] + 5))
}
