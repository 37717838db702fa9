#!/usr/bin/env bats
# How recorded programs end, from the program to the report: what the trace says, the first finding, the replay.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in stops ends; do
        "$HEDDLE" cc -O1 -w "$PROGRAMS/endings/$program.c" -o $program -lpthread
        gcc -O1 -g -w "$PROGRAMS/endings/$program.c" -o plain-$program -lpthread
    done
    "$HEDDLE" c++ -O1 -w "$PROGRAMS/endings/throws.cpp" -o throws -lpthread
    ! has_java || javac -nowarn -g -d java "$PROGRAMS"/../java/endings/*.java
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr r.json
}

# said PROGRAM…: what the trace of a recording says about the run
said() {
    "$HEDDLE" record -q -o t.htr $OPTIONS -- "$@" >/dev/null 2>&1 || true
    "$HEDDLE" convert t.htr - | grep -E '^#(end|wait|incomplete) ' | sed "s|$PROGRAMS/endings/||g" | LC_ALL=C sort
}

@test "AB/BA: who waits for which lock, where, who holds it" {
    for seed in 1 2 3; do
        diff <(OPTIONS=--seed=$seed said ./stops abba) - <<'END'
#end deadlock
#wait T1 a_then_b|lock b|stops.c:15 a_then_b|T2 b_then_a
#wait T2 b_then_a|lock a|stops.c:23 b_then_a|T1 a_then_b
#wait main|the end of T1 a_then_b|stops.c:55 main|
END
    done
    run "$HEDDLE" check t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"O1  The recorded run stopped in a deadlock; 3 threads wait"* ]]
    [[ "$output" != *"No deadlock predicted"* ]]
}

@test "a missing unlock is a deadlock, all threads in wait are a hang" {
    OPTIONS=--seed=1 said ./stops unlock >said
    grep -qx '#end deadlock' said
    grep -qx '#wait T[12] never_unlocks|lock a|stops.c:29 never_unlocks|T[12] never_unlocks' said
    diff <(OPTIONS=--seed=1 said ./stops wait) - <<'END'
#end hang
#wait T1 waits|condition changed|stops.c:38 waits|
#wait T2 waits|condition changed|stops.c:38 waits|
#wait main|the end of T1 waits|stops.c:55 main|
END
    run "$HEDDLE" check t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"O1  The recorded run stopped making progress; 3 threads wait"* ]]
}

@test "assertion, signals, exit status" {
    [ "$(said ./ends assert)" = "#end assertion ends.c:15: work: count == 0" ]
    [ "$(said ./ends abort)" = "#end signal 6" ]
    [ "$(said ./ends crash)" = "#end signal 11" ]
    [ "$(said ./ends status)" = "#end exit 3" ]
    [ "$(said ./ends)" = "#end exit 0" ]
}

@test "C++: type and message of an exception that nobody caught; an abort in a handler is none" {
    [ "$(said ./throws type)" = "#end exception shop::sold_out: no apples left" ]
    [ "$(said ./throws int)" = "#end exception int" ]
    [ "$(said ./throws caught)" = "#end signal 6" ]
    [ "$(said ./throws)" = "#end exit 0" ]
}

@test "the first finding of a run, and its exit status" {
    for how in assert abort crash status; do
        run "$HEDDLE" run -o "out-$how" -- ./ends $how
        [ "$status" -eq 2 ]
        [[ "$output" == *"O1  The recorded run "* ]]
        jq -e '.findings[0].property == "observed"' "out-$how/report.json"
    done
    run "$HEDDLE" run -o out-ok -- ./ends
    [ "$status" -eq 0 ]
}

@test "replay: the recorded schedule ends the same way again" {
    for program in "./stops abba" "./stops unlock" "./stops wait" "./ends assert" "./ends crash" "./ends status" "./throws type"; do
        OPTIONS=--seed=7 said $program >/dev/null
        "$HEDDLE" check --property=observed --format=json -o r.json t.htr || [ "$?" -eq 2 ]
        run "$HEDDLE" replay r.json O1 -- $program
        [ "$status" -eq 2 ]
        [[ "$output" == *"O1: confirmed"*"the recorded schedule, run again, ends the same way: "* ]]
    done
    "$HEDDLE" check --property=observed --format=json -o r.json t.htr || [ "$?" -eq 2 ]
    run "$HEDDLE" replay r.json O1 -- ./throws
    [ "$status" -eq 3 ]
}

@test "what is missing: no second thread, exec, child processes, a time-out" {
    [ "$(said ./ends alone)" = "$(printf '#end exit 0\n#incomplete no second thread ran')" ]
    said ./ends exec | grep -q '^#incomplete the program called exec; '
    said ./ends child | grep -qx '#incomplete 1 child process was not recorded'
    run "$HEDDLE" check t.htr
    [ "$status" -eq 3 ]
    [[ "$output" == *"Incomplete: the trace is not the whole run: 1 child process was not recorded."* ]]
    cat >sleeps.c <<'END'
#include <unistd.h>
int main(void)
{
    for (;;)
        pause();
}
END
    "$HEDDLE" cc sleeps.c -o sleeps
    OPTIONS="--real-time --timeout=1" said ./sleeps | grep -qx '#incomplete the program was ended after 1 seconds'
}

@test "Valgrind: the same without hooks" {
    needs_valgrind
    once
    OPTIONS=--tool=valgrind
    said ./plain-stops abba | grep -qx '#wait T1 a_then_b|lock b|stops.c:15 a_then_b|T2 b_then_a'
    said ./plain-stops wait | grep -qx '#end hang'
    [ "$(said ./plain-ends crash)" = "#end signal 11" ]
    [ "$(said ./plain-ends status)" = "#end exit 3" ]
}

@test "Java: monitors both ways, locks both ways, wait forever" {
    needs_java
    once
    said java -cp java Obs >said
    grep -qx '#end deadlock' said
    grep -qx '#wait main|lock Object@[12]|Obs.java:15 Obs.main|Thread-0' said
    grep -qx '#wait Thread-0|lock Object@[12]|Obs.java:8 Obs.lambda$main$0|main' said
    run "$HEDDLE" check t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"O1  The recorded run stopped in a deadlock; 2 threads wait"* ]]
    "$HEDDLE" check --property=observed --format=json -o r.json t.htr || [ "$?" -eq 2 ]
    run "$HEDDLE" replay r.json O1 -- java -cp java Obs
    [ "$status" -eq 2 ]
    [[ "$output" == *"ends the same way: deadlock"* ]]
    said java -cp java Ends locks >said
    grep -qx '#wait main|lock java.util.concurrent.locks.ReentrantLock|Ends.java:19 Ends.takeBoth|Thread-0' said
    said java -cp java Ends wait >said
    grep -qx '#end hang' said
    grep -qx '#wait Thread-0|a notify of Object@1|Ends.java:36 Ends.work|' said
}

@test "Java: exceptions that nobody caught, exit status, no second thread" {
    needs_java
    once
    [ "$(said java -cp java Ends throw)" = \
        "#end exception java.lang.IllegalStateException: no apples left in thread Thread-0" ]
    [ "$(said java -cp java Ends assert)" = "#end assertion java.lang.AssertionError: count is 1 in thread Thread-0" ]
    [ "$(said java -cp java Ends handled)" = "#end exit 0" ]
    [ "$(said java -cp java Ends status)" = "#end exit 3" ]
    [ "$(said java -cp java Ends ok)" = "#end exit 0" ]
    [ "$(said java -cp java Ends alone)" = "$(printf '#end exit 0\n#incomplete no second thread ran')" ]
}

@test "Java: a log that reached its limit is incomplete" {
    needs_java
    once
    cat >Many.java <<'END'
public class Many {
    static volatile int count;
    public static void main(String[] arguments) throws Exception {
        Thread other = new Thread(() -> { for (int i = 0; i < 100000; i++) count++; });
        other.start();
        for (int i = 0; i < 100000; i++) count++;
        other.join();
    }
}
END
    javac -g -d java Many.java
    OPTIONS=--limit=1 said java -cp java Many | grep -q '^#incomplete the log reached its limit'
}
