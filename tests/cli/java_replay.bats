#!/usr/bin/env bats
# Replaying Java programs: findings of all kinds made to happen, again and again the same way; divergence.

load support

bats_require_minimum_version 1.5.0

setup_file() {
    BUILD=$(dirname "$HEDDLE")
    SOURCES=$PROGRAMS/../java
    export BUILD SOURCES
    has_java || return 0
    cd "$BATS_FILE_TMPDIR"
    javac -nowarn -g -d . -cp "$BUILD/java/heddle-annotations.jar" "$SOURCES"/replay/*.java \
        "$SOURCES"/{Account,Interrupted,LostUpdate,Philosophers,WorkQueueBroken}.java
}

# The machine is not ours, and what decides is in the normal build: the sanitized one replays once.
setup() {
    needs_java
    cd "$BATS_FILE_TMPDIR"
    times=2
    [ -z "${HEDDLE_TEST_LONG:-}" ] || times=10
}

java="java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp ."
[ -z "${HEDDLE_TEST_LONG:-}" ] || java="$java -Xverify:all"

# check PROGRAM: records and checks it, once for all tests
check() {
    [ ! -e "$1.json" ] || return 0
    again "$1"
}

again() {
    "$HEDDLE" record --limit=64 --timeout=60 -o "$1.htr" -- $java "$1" >"$1.out" 2>"$1.err"
    "$HEDDLE" check --format=json -o "$1.json" "$1.htr" || [ $? -eq 2 ]
}

# replay PROGRAM ID …
replay() {
    program=$1
    id=$2
    shift 2
    run --separate-stderr "$HEDDLE" replay "$@" "$program.json" "$id" -- $java "$program"
    echo "$status: $output $stderr"
}

# often PROGRAM ID OUTCOME: every time, and always the same way
often() {
    replay "$1" "$2" --loop="$times"
    [ "${lines[0]}" = "$2: $times of $times confirmed, $times with the same outcome as the first" ]
    [ "${lines[1]}" = "  $times times: $3" ]
    [ "${#lines[@]}" -eq 2 ]
}

@test "a lost update changes the output" {
    check Lost
    [ "$(cat Lost.out)" = 11 ]
    replay Lost T1
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "T1: confirmed with 2 context switches" ]]
    [[ "$output" == *"it reached main: r(Lost.count@1) at Lost.java:6 Lost.get: 0"* ]]
    [[ "$output" == *"then main: w(Lost.count@1) at Lost.java:10 Lost.set: 1"* ]]
    [[ "$output" == *"standard output, from line 1:"*"- 11"*"+ 1"* ]]
    [[ "$output" == *"outcome: different output" ]]
    often Lost T1 "different output"
}

@test "a race is brought to the brink in both orders" {
    check Account
    replay Account R1
    [ "$status" -eq 2 ]
    [ "$(grep -c "stopped before both accesses; first Thread-[01]: [rw](Account.balance@1) at Account.java:7 Account.deposit" <<<"$output")" -eq 2 ]
    # On a busy machine the recorded run itself may lose a deposit.
    [[ "$output" == *"Account.balance@1 ends as 10, not 20"* || "$output" == *"Account.balance@1 ends as 20, not 10"* ]]
    [ -z "${HEDDLE_TEST_LONG:-}" ] || often Account R1 "different final values"
}

@test "a thread stops before its first access to a class" {
    once
    check FirstUse
    replay FirstUse R1
    [[ "${lines[0]}" == "R1: confirmed with "* ]]
}

@test "a block that is meant to be atomic is interrupted" {
    once
    check LostUpdate
    replay LostUpdate A1
    [ "$status" -eq 2 ]
    [[ "$output" == *"it reached main: r(LostUpdate.count@1)"*"then Thread-0: w(LostUpdate.count@1)"*"then main: w(LostUpdate.count@1)"* ]]
    [ -z "${HEDDLE_TEST_LONG:-}" ] || often LostUpdate A1 "different final values"
}

@test "philosophers starve, and so do threads that want locks of the JDK" {
    once
    check Philosophers
    replay Philosophers L1
    [ "$status" -eq 2 ]
    [ "$(grep -c "waits forever: Thread-[012]: acq(Object@[123]) at Philosophers.java:20 Philosophers.lambda" <<<"$output")" -eq 3 ]
    [[ "$output" == *"it ends with a deadlock, not exit status 0"* ]]
    [[ "$output" == *"outcome: deadlock" ]]
    [ -z "${HEDDLE_TEST_LONG:-}" ] || often Philosophers L1 deadlock
    check LockOrder
    often LockOrder L1 deadlock
    often LockOrder L2 deadlock
    replay LockOrder L2
    [ "$(grep -c "waits forever: Thread-[01]: acq(Semaphore@[0-9]*) at LockOrder.java:43 LockOrder.both" <<<"$output")" -eq 2 ]
}

@test "a notification before the wait for it: the thread waits forever" {
    check EarlyNotify
    replay EarlyNotify K1
    [ "$status" -eq 2 ]
    [[ "$output" == *"waits forever for a signal, before: Thread-0: acq(Object@1) at EarlyNotify.java:9"* ]]
    [[ "$output" == *"waits forever: main: join(Thread-0)"* ]]
    [[ "$output" == *"outcome: deadlock" ]]
}

@test "an exception that nobody catches is a crash" {
    once
    check Uncaught
    replay Uncaught N1
    [ "$status" -eq 2 ]
    [[ "$output" == *"outcome: crash (uncaught java.lang.NullPointerException in Thread-0)" ]]
}

# repeat PROGRAM: the recorded run, once more; status 3 says that its trace differs
repeat() {
    run "$HEDDLE" record --replay="$1.htr" -o again.htr -- $java "$1"
    echo "$output"
    "$HEDDLE" convert --grounds=drop "$1.htr" was.std
    "$HEDDLE" convert --grounds=drop again.htr is.std
}

@test "waits, conditions, time-outs and interrupts follow the schedule" {
    once
    for program in Waits Interrupted; do
        check $program
        run --separate-stderr "$HEDDLE" check --confirm --fail-on=problems,nondet --format=json -o confirmed.json $program.htr -- $java $program
        echo "$program: $output $stderr"
        [ "$status" -eq 2 ]
        [ "$(grep -c '"confirmed": *false' confirmed.json)" -eq 0 ]
        grep -q '"confirmed": *true' confirmed.json
        repeat $program
        [ "$status" -eq 0 ]
        cmp was.std is.std
    done
}

# Which threads of a pool are idle when it is shut down, and in which order it finds them to interrupt them, is decided in the
# JDK (docs/java.md): what comes after such an interrupt may differ, and a recording may have it early.
@test "pools follow the schedule up to the JDK's own interrupts" {
    once
    for _ in 1 2 3 4 5; do
        again WorkQueueBroken
        replay WorkQueueBroken R1
        [ "$status" -eq 3 ] || break
    done
    [[ "${lines[0]}" == "R1: confirmed with "* ]]
    repeat WorkQueueBroken
    [ "$status" -eq 0 ] || [[ "$status" -eq 3 && "$output" == *"did not repeat the recorded run: "*"; event "*" was "*"; now it is "* ]]
    sed -i '/|\(post\|semwait\)(Thread@/d' was.std is.std
    cmp <(sort was.std) <(sort is.std)
}

@test "a schedule is kept as text and followed again" {
    once
    check Lost
    replay Lost T1 --script=lost.schedule
    [ "$status" -eq 0 ]
    grep -q '^java$' lost.schedule
    grep -q '^@[0-9]*|main|w(Lost.count@1)|Lost.java:10 Lost.set$' lost.schedule
    run --separate-stderr "$HEDDLE" replay --script=lost.schedule -- $java Lost
    [ "$status" -eq 2 ]
    [ "$output" = 1 ]
    [[ "$stderr" == *"lost.schedule: followed; outcome: different output" ]]
    run "$HEDDLE" replay --script=lost.schedule -- true
    [ "$status" -eq 1 ]
    [[ "$output" == *"the schedule was recorded from a Java program: run it with \`java\`, not with true" ]]
    replay Lost N1 --gdb
    [ "$status" -eq 1 ]
    [[ "$stderr" == *"--gdb does not work with Java programs"* ]]
}

@test "a program that was changed diverges, by class, method and bytecode" {
    check Lost
    mkdir -p changed
    sed 's/set(get() + amount);/if (get() >= 0) { set(get() + amount); }/' "$SOURCES/replay/Lost.java" >changed/Lost.java
    javac -g -d changed changed/Lost.java
    run --separate-stderr "$HEDDLE" replay Lost.json N1 -- ${java/-cp ./-cp changed} Lost
    echo "$status: $output $stderr"
    [ "$status" -eq 3 ]
    [[ "$stderr" == *"the program did not follow the schedule: "*"expected main: "*" at Lost.java:"*"Lost."*"; got main: "*" (bytecode "* ]]
}

@test "run says how to make the first finding happen" {
    once
    rm -rf heddle-out out
    run --separate-stderr "$HEDDLE" run -o out -- $java Lost
    [ "$status" -eq 2 ]
    [[ "$output$stderr" == *"heddle replay "*"report.json T1 -- java "* ]]
    [[ "$output$stderr" != *"undefined in C"* ]]
}

@test "a machine that a script starts after another follows the schedule" {
    once
    printf '#!/bin/sh\n%s Uncaught >/dev/null 2>&1\n%s Lost\n' "$java" "$java" >start
    chmod +x start
    "$HEDDLE" record --java --limit=64 --timeout=60 -o start.htr -- ./start >start.out 2>start.err
    "$HEDDLE" check --format=json -o start.json start.htr || [ $? -eq 2 ]
    run --separate-stderr "$HEDDLE" replay start.json T1 -- ./start
    echo "$status: $output $stderr"
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "T1: confirmed with 2 context switches" ]]
    [[ "$output" == *"standard output, from line 1:"*"- 11"*"+ 1"* ]]
}

@test "threads that Gradle puts around tests are left alone" {
    once
    printf 'public class Noted implements Runnable {\n    int runs;\n    public synchronized void run() { runs++; }\n}\n' >Noted.java
    javac -nowarn -g -d . Noted.java "$SOURCES"/tools/gradle/*.java
    cat >gradlew <<END
#!/bin/sh
JAVA_TOOL_OPTIONS=\$(sed -n "s/.*'JAVA_TOOL_OPTIONS', '\(.*\)'$/\1/p" "\$2") exec $java worker.org.gradle.Worker Lost Noted
END
    chmod +x gradlew
    "$HEDDLE" record --limit=64 --timeout=60 -o gradle.htr -- ./gradlew test >gradle.out
    [ "$(cat gradle.out)" = 11 ]
    [ "$("$HEDDLE" info gradle.htr | sed -n 's/^threads *//p')" = 2 ]
    "$HEDDLE" check --format=json -o gradle.json gradle.htr || [ $? -eq 2 ]
    run --separate-stderr "$HEDDLE" replay gradle.json T1 -- ./gradlew test
    echo "$status: $output $stderr"
    [ "${lines[0]}" = "T1: confirmed with 2 context switches" ]
    [[ "$output" == *"standard output, from line 1:"*"- 11"*"+ 1"* ]]
}

@test "what differs between two runs of one schedule is no different output" {
    once
    check Numbered
    replay Numbered T1
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "T1: confirmed"* ]]
    [[ "$output" == *"outcome: different final values" ]]
}

@test "the time and random numbers are given to the program again" {
    once
    check World
    run "$HEDDLE" record --replay=World.htr -o again.htr -- $java World
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$(wc -l <World.out)" -eq 27 ]
    diff <(sort World.out) <(grep -v '^heddle: ' <<<"$output" | sort)
}

@test "standard input is given to the program again" {
    once
    echo 1 | "$HEDDLE" record --limit=64 --timeout=60 -o Fed.htr -- $java Fed >Fed.out 2>Fed.err
    "$HEDDLE" check --format=json -o Fed.json Fed.htr || [ $? -eq 2 ]
    replay Fed T1 </dev/null
    [ "$status" -eq 2 ]
    [[ "${lines[0]}" == "T1: confirmed"* ]]
    [[ "$output" == *"- 11"*"+ 1"* ]]
}

@test "a hunt follows schedules through a script that starts machines" {
    once
    printf '#!/bin/sh\n%s Uncaught >/dev/null 2>&1\n%s Lost\n' "$java" "$java" >mvnw
    chmod +x mvnw
    run "$HEDDLE" hunt --runs=4 --for=60s --seed=1 -o hunted -- ./mvnw
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"happened in "* ]]
    [[ "$output" != *"failed to start or to be recorded"* ]]
}

@test "a hunt through Maven makes a test fail" {
    only_long
    repository=/usr/share/maven-repo
    command -v mvn >/dev/null && [ -d $repository/org/apache/maven/plugins/maven-surefire-plugin ] || skip "no Maven with surefire"
    version() { ls "$repository/$1" | grep '^[0-9]' | grep -v x | sort -V | tail -n 1; }
    mkdir -p maven/src/test/java
    cat >maven/src/test/java/AccountTest.java <<'END'
public class AccountTest {
    private int balance;
    private synchronized int get() { return balance; }
    private synchronized void set(int value) { balance = value; }
    @org.junit.Test public void deposits() throws InterruptedException {
        Thread first = new Thread(() -> set(get() + 1)), second = new Thread(() -> set(get() + 1));
        first.start();
        second.start();
        first.join();
        second.join();
        org.junit.Assert.assertEquals(2, get());
    }
}
END
    plugins=
    for plugin in resources compiler surefire; do
        plugins="$plugins<plugin><artifactId>maven-$plugin-plugin</artifactId><version>$(version org/apache/maven/plugins/maven-$plugin-plugin)</version></plugin>"
    done
    cat >maven/pom.xml <<END
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>bank</groupId><artifactId>account</artifactId><version>1</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>$(version junit/junit)</version><scope>test</scope></dependency></dependencies>
<build><plugins>$plugins</plugins></build></project>
END
    cd maven
    run "$HEDDLE" hunt --runs=4 --for=300s --seed=2 -o hunted -- mvn -o -q -Dmaven.repo.local=$repository test
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"The program ended with exit status 1"*"Stale read: "*"AccountTest.balance"* ]]
    [[ "$output" != *Hang* && "$output" != *"diverged"* ]]
}

@test "a hunt through Gradle makes a test fail that passed before" {
    only_long
    command -v gradle >/dev/null && [ -e /usr/share/java/junit4.jar ] || skip "no Gradle with JUnit 4"
    mkdir -p gradle/src/test/java
    cat >gradle/src/test/java/AccountTest.java <<'END'
public class AccountTest {
    int balance = 10;
    @org.junit.Test public void withdrawals() throws InterruptedException {
        Thread first = new Thread(() -> balance = balance - 1), second = new Thread(() -> balance = balance - 2);
        first.start();
        second.start();
        first.join();
        second.join();
        org.junit.Assert.assertEquals(7, balance);
    }
}
END
    cat >gradle/src/test/java/OtherTest.java <<'END'
public class OtherTest {
    @org.junit.Test public void adds() throws Exception {
        java.util.concurrent.atomic.AtomicInteger sum = new java.util.concurrent.atomic.AtomicInteger();
        Thread first = new Thread(sum::incrementAndGet), second = new Thread(sum::incrementAndGet);
        first.start();
        second.start();
        first.join();
        second.join();
        org.junit.Assert.assertEquals(2, sum.get());
    }
}
END
    cat >gradle/build.gradle <<'END'
apply plugin: 'java'
repositories { flatDir { dirs '/usr/share/java' } }
dependencies { testCompile name: 'junit4'; testCompile name: 'hamcrest-core' }
END
    cd gradle
    touch settings.gradle
    export GRADLE_USER_HOME=$PWD/home # a daemon of its own, which serves all runs
    gradle -q --offline test
    run "$HEDDLE" hunt --runs=6 --for=600s --seed=2 -o hunted -- gradle -q --offline test
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"The program ended with exit status 1"*"Stale read: "*"AccountTest.balance"* ]]
    [[ "$output" != *Hang* ]]
    ! grep '"diverged": true' hunted/hunt.json
    run "$HEDDLE" replay hunted P1 -- gradle -q --offline test
    gradle --stop >/dev/null
    echo "$output"
    [[ "$output" == *": confirmed with "* ]]
}

@test "virtual threads follow the schedule" {
    once
    newer=$(newer_jdks)
    [ -n "$newer" ] || skip "no JDK 21 or later in /usr/lib/jvm"
    for bin in $newer; do
        mkdir -p newer
        "$bin/javac" -nowarn -g -d newer "$SOURCES"/newer/Virtual{Lock,Queue}.java
        java="$bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp newer"
        check VirtualLock
        replay VirtualLock L1
        [[ "${lines[0]}" == "L1: confirmed with "* ]]
        [ "$(grep -c 'waits forever: thread' <<<"$output")" -eq 2 ]
        [[ "$output" == *"outcome: deadlock" ]]
        check VirtualQueue
        replay VirtualQueue T1
        [[ "${lines[0]}" == "T1: confirmed with "* ]]
        # What runs virtual threads is no thread of the program.
        [[ "$("$HEDDLE" convert VirtualQueue.htr -)" != *ForkJoinPool* ]]
    done
}

@test "a thread that decides late ends at the same place again" {
    "$HEDDLE" record --timeout=60 -o LateDecision.htr -- $java LateDecision
    "$HEDDLE" convert LateDecision.htr LateDecision.std
    grep -q '^Thread-0|exit||by [0-9]' LateDecision.std
    run "$HEDDLE" record --timeout=60 --replay=LateDecision.htr -o again.htr -- $java LateDecision
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a thread that took a lock before those that waited for it does so again" {
    "$HEDDLE" record --timeout=60 -o Overtakes.htr -- $java Overtakes
    repeat Overtakes
    [ "$status" -eq 0 ]
    cmp was.std is.std
}

@test "a thread that began to wait after a notification does not take it from one that was notified" {
    once
    printf '%s\n' 'heddle-schedule 1' 'program java NotifiedAll' java 'mode exact' 'thread 0 -.1 main' 'thread 1 0.1 Thread-0' \
        'thread 2 0.2 Thread-1' 'thread 3 0.3 Thread-2' 'thread 4 0.4 Thread-3' '@21|main|go|' '@8|Thread-0|go|' '@5|Thread-2|go|' \
        '@8|Thread-3|go|' '@9|Thread-1|go|' >notified.schedule
    run "$HEDDLE" replay --script=notified.schedule -- $java NotifiedAll
    [ "$status" -eq 3 ]
    [[ "$output" == *"expected Thread-1: its next step; got the thread waits for something that no thread will do"* ]]
}
