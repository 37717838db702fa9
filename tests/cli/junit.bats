#!/usr/bin/env bats
# @HeddleTest with the console launcher of JUnit 5: failures are found and come again, correct tests pass.

load support

setup_file() {
    SOURCES=$PROGRAMS/../java/junit
    BUILT=$(dirname "$HEDDLE")
    JAR=$BUILT/java/heddle-junit.jar
    export SOURCES JAR
    [ -e "$JAR" ] && has_java || return 0
    cd "$BATS_FILE_TMPDIR"
    javac -nowarn -g -cp "$JAR:/usr/share/java/junit-jupiter-api.jar:/usr/share/java/opentest4j.jar" -d classes \
        "$SOURCES"/*.java "$SOURCE"/examples/junit/*.java 2>javac.txt || { cat javac.txt; false; }
}

setup() {
    once
    needs_java
    [ -e "$JAR" ] || skip "JUnit 5 is not installed (Debian's package junit5)"
    cd "$BATS_FILE_TMPDIR"
}

# launch CLASS OPTION…: runs its tests under control
launch() {
    java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC "-agentpath:$(dirname "$HEDDLE")/runtime/libheddle-java.so=junit" "${@:2}" \
        -jar /usr/share/java/junit-platform-console-standalone.jar -cp "classes:$JAR" --disable-banner \
        --disable-ansi-colors --details=tree -c "$1" 2>&1
}

@test "broken tests fail, with a schedule along which they fail again" {
    run launch BrokenTest
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *" 0 tests successful "* && "$output" == *"10 tests failed "* ]]
    [ "$(grep -c '^  it failed again along this schedule; replay with -Dheddle.replay=BrokenTest-' <<<"$output")" -eq 10 ]
    [[ "$output" == *"Thread-0 waits for the monitor of java.lang.Object, which Thread-1 has, at BrokenTest.java:"* ]]
    [[ "$output" == *"waits for ReentrantLock\$NonfairSync, which Thread-1 has, at BrokenTest.java:"* ]]
    [[ "$output" == *"waits to be notified on java.lang.Object, at BrokenTest.java:"* ]]
    [[ "$output" == *"IllegalStateException: seen in between"* ]]
    for name in lockOrder rareRandomNumber; do
        run launch BrokenTest -Dheddle.replay=BrokenTest-$name.schedule
        echo "$output"
        [ "$status" -eq 1 ]
        [[ "$output" == *"1 tests failed "* && "$output" == *"9 tests aborted "* ]]
        [[ "$output" == *"AssertionError: the schedule fails: "* ]]
    done
}

@test "a schedule that cannot be read is an error" {
    echo nonsense >bad.schedule
    run launch BrokenTest -Dheddle.replay=bad.schedule
    [[ "$output" == *'bad.schedule:1: this is no schedule of a test: its first line must be "heddle-schedule 1"'* ]]
    printf 'heddle-schedule 1\ntest BrokenTest#lostUpdate\n0 x 1\n' >bad.schedule
    run launch BrokenTest -Dheddle.replay=bad.schedule
    [[ "$output" == *"bad.schedule:3: not a line of a schedule: 0 x 1"* ]]
}

@test "correct tests pass" {
    run launch CorrectTest -Xverify:all
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"13 tests successful "* ]]
    [[ "$output" == *"CorrectTest#noThreads: no failure in 3 runs, "*"the test starts no threads"* ]]
    [[ "$output" == *"CorrectTest#eachRunHasItsInstance: no failure in 40 runs, "* ]]
    [[ "$output" == *"CorrectTest#synchronizedMethod: no failure in "*" runs/s; 4 threads, up to "*" places to switch at"* ]]
}

@test "without the agent a test says how to start the machine" {
    run java -jar /usr/share/java/junit-platform-console-standalone.jar -cp "classes:$JAR" --disable-banner -c CorrectTest
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"heddle: threads cannot be controlled: start the virtual machine with -agentpath:"*"=junit"* ]]
}

@test "the example" {
    run launch AccountTest
    echo "$output"
    [[ "$output" == *"1 tests successful "* && "$output" == *"1 tests failed "* ]]
    [[ "$output" == *"AccountTest#withdrawOnce: no failure in "* ]]
}

@test "newer machines" {
    newer=$(newer_jdks)
    [ -n "$newer" ] || skip "no JDK 21 or later in /usr/lib/jvm"
    for bin in $newer; do
        PATH=$bin:$PATH
        run launch CorrectTest
        echo "$output"
        [ "$status" -eq 0 ]
        run launch BrokenTest
        echo "$output"
        [[ "$output" == *" 0 tests successful "* ]]
    done
}
