#!/usr/bin/env bats
# A recorded Java program does what it does natively, whatever becomes of the recording.

load support

setup_file() {
    SOURCES=$PROGRAMS/../java
    export SOURCES
    has_java || return 0
    cd "$BATS_FILE_TMPDIR"
    mkdir trouble
    javac -nowarn -g -d trouble "$SOURCES"/trouble/*.java
}

setup() {
    needs_java
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr
}

java="java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

@test "a log that cannot grow ends the recording, not the program" {
    run bash -c 'ulimit -f 3000; "$HEDDLE" record -o t.htr -- '"$java"' -cp trouble Storm 3000'
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"could not grow (File too large): the trace ends there, the program went on; set TMPDIR"* ]]
    run "$HEDDLE" check --property=deadlock t.htr
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"Incomplete: the trace is not the whole run: the log could not grow (File too large)"* ]]
}

@test "a long start-up does not fill the log" {
    # 300,000 accesses by one thread, where there is room for 43,000; then two threads that race
    run "$HEDDLE" record --limit=1 -o t.htr -- $java -cp trouble Startup 30
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"of what the first thread did alone only the last writes are kept, and the run cannot be replayed"* ]]
    [[ "$output" != *"the trace ends there"* ]]
    "$HEDDLE" info t.htr >info
    cat info
    # Nothing is counted twice or lost.
    kept=$(sed -n 's/^  accesses *\([0-9]*\).*/\1/p' info)
    dropped=$(sed -n 's/^dropped.* variables, \([0-9]*\) .*/\1/p' info)
    [ "$kept" -lt 100 ]
    HEDDLE_JAVA_COUNTS=$PWD/counts "$HEDDLE" record -q --limit=100 -o t2.htr -- $java -cp trouble Startup 30
    [ $((kept + dropped)) -eq "$(awk '/^(field|static|element)/ { sum += $3 } END { print sum }' counts)" ]
    run "$HEDDLE" check --property=race,stale,unordered t.htr
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"3 problems: 2 race, 1 stale"* && "$output" == *"writes Startup.shared while"* ]]
}

@test "a program runs where there is no room for a log at all" {
    run bash -c 'ulimit -f 64; "$HEDDLE" record -o t.htr -- '"$java"' -cp trouble Endings exit'
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"cannot allocate a log in "*": File too large"* ]]
    [[ "$output" == *"heddle: this Java virtual machine is not recorded"* ]]
}

@test "after the limit a program is as fast as without us" {
    only_long # it compares times
    # On a busy machine one of three attempts will do: with hooks that only find the log full it takes ten times as long.
    for attempt in 1 2 3; do
        "$HEDDLE" record -q --limit=1 -o t.htr -- java -XX:+UseSerialGC -cp trouble Rounds >recorded
        java -XX:+UseSerialGC -cp trouble Rounds >native
        paste recorded native
        [ "$(cat recorded)" -gt $((3 * $(cat native) + 10)) ] || return 0
    done
    false
}

@test "a recorder that is killed leaves nothing behind" {
    mkdir -p left
    TMPDIR=$PWD/left "$HEDDLE" record -q -o t.htr -- $java -cp trouble Storm 300000 3>&- &
    recorder=$!
    for attempt in $(seq 400); do
        [ -z "$(find left -name '*.log')" ] || break
        sleep 0.05
    done
    [ -n "$(find left -name '*.log')" ]
    kill -9 $recorder
    for attempt in $(seq 100); do
        [ -n "$(ls left)" ] || return 0
        sleep 0.05
    done
    ls left
    false
}

@test "with a seed threads meet" {
    # Each thread increments a hundred times, which takes a fraction of the time that a thread takes to start.
    for seed in 1 2 3 4 5 6; do
        for policy in random pct; do
            "$HEDDLE" record -q --seed=$seed --policy=$policy -o t.htr -- $java -cp trouble Meeting
            "$HEDDLE" convert t.htr t.std
            changes=$(grep -o '^Thread-[01]|w(Meeting.count' t.std | uniq | wc -l)
            echo "$seed $policy: $changes"
            [ "$changes" -le 2 ] || met=$((${met:-0} + 1))
        done
        [ "${met:-0}" -lt 2 ] || return 0
    done
    false
}

@test "hidden classes are told" {
    run "$HEDDLE" record -o t.htr -- $java -cp trouble Hidden
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"1 classes or methods could not be rewritten"*"the first: HiddenWork: it is a hidden class"* ]]
    run "$HEDDLE" check t.htr
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"Incomplete: the trace is not the whole run: 1 classes or methods could not be rewritten, so their accesses are not recorded; the first: HiddenWork: it is a hidden class"* ]]
}

@test "structured tasks of machines that have them" {
    once
    for bin in $(newer_jdks); do
        other=$bin/java
        version=$("$other" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p')
        [ "${version:-0}" -ge 25 ] || continue
        found=1
        mkdir -p structured
        "${other}c" --enable-preview --release "$version" -nowarn -g -d structured "$SOURCES"/newer/Structured.java
        run "$HEDDLE" record -o t.htr -- "$other" --enable-preview -XX:TieredStopAtLevel=1 -cp structured Structured
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == 11* ]]
        run "$HEDDLE" check --property=race,unordered t.htr
        echo "$output"
        [ "$status" -eq 0 ]
    done
    [ -n "${found:-}" ] || skip "no Java 25 or later is installed"
}

@test "classes that the machine makes for switches over patterns are not told" {
    once
    newer=$(newer_jdks)
    [ -n "$newer" ] || skip "no JDK 21 or later in /usr/lib/jvm"
    for bin in $newer; do
        mkdir -p newer
        "$bin/javac" -nowarn -g -d newer "$SOURCES/newer/Patterns.java"
        run "$HEDDLE" record -o t.htr -- "$bin/java" -XX:TieredStopAtLevel=1 -Xverify:all -cp newer Patterns
        echo "$output"
        [ "$status" -eq 0 ]
        [ "${lines[0]}" = 46 ]
        [[ "$output" != *"could not be rewritten"* ]]
    done
}

# helped WAY SECONDS: the command that runs the program
helped() {
    echo $java -Djava.library.path=. -cp trouble Helped "$@"
}

@test "threads that somebody outside the program wakes up are no deadlock" {
    once
    machine=$(dirname "$(dirname "$(readlink -f "$(type -P javac)")")")/include
    "${CC:-cc}" -shared -fPIC -I"$machine" -I"$machine/linux" -o libhelped.so "$SOURCES/trouble/helped.c"
    for way in process handle timer socket native sleep; do
        run "$HEDDLE" explore --max-runs=1 -- $(helped $way 2) </dev/null
        echo "$way: $output"
        [[ "$output" == *"outcome 1: exit status 0, as in the first run"* ]]
    done
    run "$HEDDLE" explore --max-runs=1 -- $(helped nobody 0) </dev/null
    echo "$output"
    [[ "$output" == *"outcome 1: a deadlock"* ]]
    # A recording waits longer before it believes that nobody goes on.
    for way in process native; do
        run "$HEDDLE" record -o t.htr -- $(helped $way 6)
        echo "$way: $output"
        [ "$status" -eq 0 ]
        [[ "$output" == told* ]]
    done
    # A replay waits for them, too.
    "$HEDDLE" record -o t.htr -- $(helped process 3)
    run "$HEDDLE" record --replay=t.htr -o again.htr -- $(helped process 3)
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == told* ]]
}

@test "virtual threads that wait for each other, or forever, are the first finding" {
    once
    newer=$(newer_jdks)
    [ -n "$newer" ] || skip "no JDK 21 or later in /usr/lib/jvm"
    for bin in $newer; do
        mkdir -p newer
        "$bin/javac" -nowarn -g -d newer "$SOURCES/newer/VirtualEnds.java"
        java="$bin/java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp newer"
        run "$HEDDLE" record -o t.htr -- $java VirtualEnds deadlock
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"thread waits for lock Object@"*", which thread #2 holds, at VirtualEnds.java:"* ]]
        [[ "$output" == *"thread #2 waits for lock Object@"*", which thread holds, at VirtualEnds.java:"* ]]
        run "$HEDDLE" check t.htr
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"O1  The recorded run stopped in a deadlock; 3 threads wait"* ]]
        run "$HEDDLE" record -o t.htr -- $java VirtualEnds wait
        [ "$status" -eq 2 ]
        run "$HEDDLE" check t.htr
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"O1  The recorded run stopped making progress; 2 threads wait"*"waits for a notify of Object@"* ]]
        # One that sleeps, or is woken by a timer, goes on.
        run "$HEDDLE" record -o t.htr -- $java VirtualEnds sleep
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == over* ]]
    done
}
