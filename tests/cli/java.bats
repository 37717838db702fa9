#!/usr/bin/env bats
# Recording Java programs: verdicts, events against another counter, the verifier, every way to end.

load support

setup_file() {
    BUILD=$(dirname "$HEDDLE")
    SOURCES=$PROGRAMS/../java
    export BUILD SOURCES
    has_java || return 0
    cd "$BATS_FILE_TMPDIR"
    mkdir programs trouble tools
    javac -nowarn -g -d programs -cp "$BUILD/java/heddle-annotations.jar" "$SOURCES"/*.java
    javac -nowarn -g -d trouble "$SOURCES"/trouble/*.java
    javac -nowarn -g -d tools "$SOURCES"/tools/VerifyAll.java
}

setup() {
    needs_java
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr
    export HEDDLE_JAVA_COUNTS=$BATS_TEST_TMPDIR/counts
}

# Whatever was recorded: no read has another value than the write that it is said to read from.
teardown() {
    ! grep '^reads of another value [1-9]' "${HEDDLE_JAVA_COUNTS:-/dev/null}" 2>/dev/null
}

# record ARGUMENTS…: small machine, quick to start
record() {
    "$HEDDLE" record --limit=64 --timeout=60 -o t.htr "$@"
}
java="java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
# These make a machine start three times as slowly. The program's own classes are verified without them, too.
checked="-Xverify:all -Xcheck:jni"
[ -z "${HEDDLE_TEST_LONG:-}" ] || java="$java $checked"

@test "verdicts are right" {
    runs=1
    [ -z "${HEDDLE_TEST_LONG:-}" ] || runs=20
    if sanitized; then step=5; else step=1; fi # there it is the converter and the checks that count
    run sh -c 'ls "$SOURCES"/*.java | sed -n "1~'$step'p" | xargs -P "$(nproc)" -I{} "$SOURCES"/check-program {} programs '"$runs"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "accesses by addresses keep their order" {
    once
    mkdir -p older
    javac -nowarn -g -d older "$SOURCES"/older/*.java 2>javac.txt || skip "this JDK has no sun.misc.Unsafe any more"
    run "$SOURCES"/check-program "$SOURCES"/older/ByAddress.java older 1
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "verdicts of two passes are right" {
    sample="Account AccountLocked Sor RayTracer Tsp ForkJoin Initialization Finalized Cleaned PlainFlag WorkQueueBroken SorBarrier BarrierBench BarrierTournament"
    [ -z "${HEDDLE_TEST_LONG:-}" ] || sample=$(cd "$SOURCES" && ls *.java | sed 's/[.]java//')
    run sh -c 'for p in '"$(echo $sample)"'; do echo "$SOURCES/$p.java"; done |
        HEDDLE_NO_TRIAL=1 PASSES=--two-pass xargs -P "$(nproc)" -I{} "$SOURCES"/check-program {} programs 1'
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "two passes leave out what one thread touches at a time, and notice what others touch later" {
    run record --two-pass -- $java -cp programs RayTracer 400 2
    echo "$output"
    [ "$status" -eq 0 ]
    [ "$("$HEDDLE" info t.htr | awk '$1 == "events" { print $2 }')" -lt 100 ]
    [ "$(printf '%s\n' "$output" | grep -c '^true')" -eq 1 ] # the second run is not shown
    run "$HEDDLE" record --two-pass --limit=512 -o t.htr -- $java -cp trouble LateSharing
    echo "$output"
    [ "$status" -eq 0 ]
    "$HEDDLE" check --property=race t.htr | grep -q 'Data race: .* LateSharing.late'
    "$HEDDLE" check --property=race t.htr | grep -q 'Data race: .* int\[\]'
    run "$HEDDLE" replay t.htr -- $java -cp trouble LateSharing
    [ "$status" -eq 1 ]
}

@test "a stale update over barriers is found, or its check in two passes is incomplete" {
    record -- $java -cp trouble StaleOver
    run "$HEDDLE" check --property=stale t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"Stale read: Thread-0 writes StaleOver.field"* ]]
    HEDDLE_NO_TRIAL=1 record --two-pass -- $java -cp trouble StaleOver
    run "$HEDDLE" check --property=stale t.htr
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"what threads handed over at barriers"* ]]
}

# rendezvous HOW ALONE: what races of Rendezvous.java there are, without numbers
rendezvous() {
    HEDDLE_NO_TRIAL=1 "$HEDDLE" record $passes --limit=512 -o t.htr -- java -XX:+UseSerialGC -cp trouble Rendezvous "$@" >out 2>&1 || return 2
    "$HEDDLE" check --property=race t.htr >found || [ $? -ne 1 ] || return 2
    sed -n 's/.*Data race: Thread-[0-9]* [a-z]* \(.*\) while .*/\1/p' found | sed 's/@[0-9]*//; s/\[[0-9]*\]$//' | sort -u | paste -sd' '
}

@test "two passes leave out what barriers order, and nothing else" {
    for passes in "" --two-pass; do
        [ "$(rendezvous exchange 0)" = "" ]
        [ "$(rendezvous hurry 0)" = "double[]" ]
        [ "$(rendezvous watched 0)" = 'Rendezvous$Box.value double[]' ]
        rendezvous chance 0 # whatever is predicted of it, it is in the trace
        "$HEDDLE" convert t.htr t.std
        grep -q '|w(Rendezvous$Box.value' t.std
        [ "$(rendezvous impatient 0)" = 'Rendezvous$Box.value' ]
    done
    for try in 1 2 3 4 5; do # a thread of the machine's own that comes in between makes the second pass record everything
        rendezvous exchange 0
        grep -q 'this run records all accesses' out || break
    done
    [ "$("$HEDDLE" info t.htr | awk '$1 == "events" { print $2 }')" -lt 300 ]
    # The first pass does not get so far: the second has to notice.
    [ "$(rendezvous watched 800000)" = 'Rendezvous$Box.value double[]' ]
    rendezvous chance 600000
    "$HEDDLE" convert t.htr t.std
    grep -q '|w(Rendezvous$Box.value' t.std
    [ "$(rendezvous hurry 1100000)" = "double[]" ]
}

@test "the machine's own checks have nothing to say" {
    programs="Extended Locks References WrittenReferences"
    [ -z "${HEDDLE_TEST_LONG:-}" ] || programs="Extended ForkJoin Locks Channels References WrittenReferences"
    for program in $programs; do
        run record -q -- $java $checked -cp programs $program
        echo "$program: $output"
        [ "$status" -eq 0 ]
        [[ "$output" != *WARNING* && "$output" != *FATAL* && "$output" != *VerifyError* ]]
    done
}

@test "wide jumps are rewritten like others" {
    once
    [ -e /usr/share/java/asm.jar ] || skip "libasm-java is not installed"
    javac -nowarn -cp /usr/share/java/asm.jar -d tools "$SOURCES"/tools/Widen.java
    rm -rf wide
    mkdir wide
    for program in Extended Old; do
        folder=programs
        [ -e programs/$program.class ] || folder=trouble
        java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp tools:/usr/share/java/asm.jar Widen $folder wide $program
        [ "$(javap -c -p -cp wide $program | grep -c ' goto_w ')" -gt 3 ]
        [ "$(javap -c -p -cp wide $program | grep -c ' goto  ')" -eq 0 ]
        for how in --grounds=on --grounds=off; do
            "$HEDDLE" record $how -o t.htr -- $java -cp $folder $program >plain.out 2>plain.err
            run "$HEDDLE" record $how -o wide.htr -- $java $checked -cp wide $program
            echo "$output"
            [ "$status" -eq 0 ]
            [[ "$output" != *VerifyError* && "$output" != *"could not be rewritten"* ]]
            diff plain.out <(grep -v '^heddle: ' <<<"$output")
        done
    done
    "$HEDDLE" record --replay=wide.htr -o again.htr -- $java $checked -cp wide Old
}

@test "every read is told with the write that it saw" {
    rounds=3000
    [ -z "${HEDDLE_TEST_LONG:-}" ] || rounds=200000
    run "$HEDDLE" record --limit=2000 -o t.htr -- java -XX:+UseSerialGC -cp trouble Storm $rounds
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == "heddle: recorded "* ]]
    [ "${#lines[@]}" -eq 1 ]
}

@test "a program that is stopped for a while keeps its order" {
    only_long
    "$HEDDLE" record --limit=2000 -o t.htr -- java -XX:+UseSerialGC -cp trouble Storm 600000 >out 2>&1 &
    recorder=$!
    until [ -n "${machine:-}" ]; do
        machine=$(pgrep -P $recorder java) || sleep 0.1
    done
    sleep 1
    kill -STOP "$machine"
    sleep 7
    kill -CONT "$machine"
    wait $recorder
    cat out
    [ "$(wc -l <out)" -eq 1 ]
}

@test "events are as many as another counter counts" {
    once
    [ -e /usr/share/java/asm.jar ] || skip "libasm-java is not installed"
    mkdir -p oracle
    javac -nowarn -cp /usr/share/java/asm.jar -d oracle "$SOURCES"/tools/Oracle.java
    printf 'Premain-Class: Oracle\nClass-Path: file:///usr/share/java/asm.jar\n' >manifest
    jar --create --file oracle.jar --manifest manifest -C oracle .
    set -- Kernel:trouble Exits:trouble Initialization:programs
    [ -z "${HEDDLE_TEST_LONG:-}" ] || set -- "$@" Checksum:programs LostUpdate:programs SorBarrier:programs Account:programs Accounts:programs SyncBench:programs Series:programs \
        RayTracer:programs
    for program in "$@"; do
        classes=${program#*:} program=${program%:*}
        java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -javaagent:oracle.jar=expected -cp $classes $program >/dev/null
        rm -f "$HEDDLE_JAVA_COUNTS"
        record -q -- $java -cp $classes $program >/dev/null
        echo "$program"
        echo "reads of another value 0" | cat expected - | diff - "$HEDDLE_JAVA_COUNTS"
        # What is not dropped is in the trace.
        "$HEDDLE" info t.htr >info
        accesses=$(($(sed -n 's/^  accesses *\([0-9]*\).*/\1/p' info) + $(sed -n 's/^dropped.* variables, \([0-9]*\) .*/\1/p' info)))
        [ "$accesses" -eq "$(awk '/^(field|static|element)/ { sum += $3 } END { print sum }' expected)" ]
        [ "$(sed -n 's/^  locks *//p' info)" -eq "$(awk '/^monitor/ { sum += $3 } END { print sum }' expected)" ]
    done
}

@test "the counts are told where they are wanted" {
    rm -f "$HEDDLE_JAVA_COUNTS"
    record -q -- $java -cp programs AccountLocked
    diff "$HEDDLE_JAVA_COUNTS" - <<'END'
field reads 3
field writes 2
static reads 0
static writes 0
element reads 4
element writes 2
monitor acquires 3
monitor releases 3
reads of another value 0
END
    HEDDLE_JAVA_COUNTS=no/counts run record -- $java -cp programs AccountLocked
    [ "$status" -eq 1 ]
    [[ "$output" == *"heddle: cannot write no/counts (HEDDLE_JAVA_COUNTS): No such file or directory" ]]
}

@test "rewritten classes of the JDK pass the verifier" {
    once
    step=301
    [ -z "${HEDDLE_TEST_LONG:-}" ] || step=1
    unset HEDDLE_JAVA_COUNTS # the machine itself writes what these classes read
    run "$HEDDLE" record -q --limit=200 '--include=*' -o t.htr -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xverify:all --add-modules ALL-SYSTEM \
        -cp tools VerifyAll $step
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *" linked, 0 refused, "* ]]
}

@test "rewritten classes of the JDK are sound to another library, java.lang and what no agent is shown included" {
    once
    asm=/usr/share/java
    asm=$asm/asm.jar:$asm/asm-tree.jar:$asm/asm-analysis.jar:$asm/asm-util.jar
    [ -e /usr/share/java/asm-util.jar ] || skip "libasm-java is not installed"
    step=331
    [ -z "${HEDDLE_TEST_LONG:-}" ] || step=1
    javac -nowarn -cp $asm -d tools "$SOURCES"/tools/CheckAll.java
    rm -rf jdk jdk-rewritten
    java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp tools CheckAll extract $step jdk
    hows="--grounds --explore" # which has gates, too
    [ -z "${HEDDLE_TEST_LONG:-}" ] || hows="$hows --gates ''"
    for how in $hows; do
        [ "$how" != "''" ] || how=
        run "$BUILD/java/heddle-rewrite" $how jdk jdk-rewritten
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == *" 0 left alone, "* ]]
        run java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC --add-modules ALL-SYSTEM -cp tools:$asm CheckAll check jdk jdk-rewritten
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == *"$(find jdk -name '*.class' | wc -l) checked, 0 refused, "* ]]
    done
}

@test "rewritten classes of Debian's packages pass the verifier" {
    once
    step=397
    [ -z "${HEDDLE_TEST_LONG:-}" ] || step=1
    folder=${JARS:-/usr/share/java}
    jars=$(find "$folder" -name '*.jar' -type f 2>/dev/null)
    [ -n "$jars" ] || skip "there are no jars in $folder"
    for jar in commons-pool2 logback-core log4j-core guava caffeine jctools-core h2 hsqldb jetty9-server netty-common ant groovy-all \
        jython lucene-core derby; do # all with make test-long (bench/java-programs)
        [ -z "${HEDDLE_TEST_LONG:-}" ] || grep -q "/$jar\(-[0-9].*\)\?[.]jar$" <<<"$jars" || echo "# $jar.jar is not installed" >&3
    done
    run "$HEDDLE" record -q --limit=200 -o t.htr -- java -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xverify:all -cp tools VerifyAll $step $jars
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *" linked, 0 refused, "* ]]
}

@test "class files of all versions" {
    once
    mkdir -p old
    javac -nowarn -Xlint:-options --release 8 -g -d old "$SOURCES"/trouble/Old.java
    versions="45 49 50"
    [ -z "${HEDDLE_TEST_LONG:-}" ] || versions="45 46 47 48 49 50 51 52"
    for version in $versions; do
        printf "\\$(printf %o $version)" | dd of=old/Old.class bs=1 seek=7 conv=notrunc 2>/dev/null
        record -- $java -cp old Old >out 2>err
        echo "$version: $(cat out err)"
        [ "$(cat out)" = 8 ]
        [ "$(wc -l <err)" -eq 1 ]
        run "$HEDDLE" check --property=race,unordered,deadlock t.htr
        echo "$output"
        [ "$status" -eq 0 ]
        [ "$("$HEDDLE" info t.htr | sed -n 's/^locks *//p')" -eq 4 ]
    done
}

@test "classes rewritten without a machine can be read again" {
    once
    run "$BUILD/java/heddle-rewrite" programs rewritten
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *" 0 left alone, 0 methods left alone, "* ]]
    java -Xverify:all -cp rewritten:programs:"$BUILD/java/runtime-classes" --add-exports java.base/jdk.internal.misc=ALL-UNNAMED Account
}

@test "however a program ends, the trace is there" {
    once
    ends="halt:8 memory:1 overflow:0 kill:137 daemon:0"
    [ -z "${HEDDLE_TEST_LONG:-}" ] || ends="exit:7 throw:1 $ends"
    for end in $ends; do
        rm -f t.htr
        run record -- $java -Xmx64m -cp trouble Endings ${end%:*}
        echo "$end: $output"
        [ "$status" -eq "${end#*:}" ]
        "$HEDDLE" check --property=race t.htr | grep -q 'Data race: .* Endings.shared'
    done
}

@test "a program that hangs is ended in time" {
    once
    run "$HEDDLE" record --timeout=3 -o t.htr -- $java -cp trouble Endings deadlock
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"ended after 3 seconds"* ]]
    [[ "$output" == *"main waits for lock "*", which Thread-1 holds, at Endings.java:"* ]]
    "$HEDDLE" info t.htr
}

@test "volatile fields that handles write keep their order" {
    unset HEDDLE_JAVA_COUNTS # what a handle writes is not seen
    record -q -- $java -cp trouble Handles
    run "$HEDDLE" check --property=race,unordered t.htr
    echo "$output"
    # A reader that saw the field before and after it was written noticed that the write is missing.
    [[ "$status" -eq 0 || "$status" -eq 3 && "$output" == *"those variables are left out; the first: Handles.flag@1 at "* ]]
}

@test "the log has a limit, and says so" {
    run "$HEDDLE" record --limit=1 -o t.htr -- $java -cp trouble Storm 3000
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"the log reached its limit of 1 MB"* ]]
    "$HEDDLE" info t.htr
}

@test "names, places and values" {
    record -q -- $java -cp programs Account
    "$HEDDLE" convert t.htr t.std
    grep -q '^Thread-[01]|r(Account.balance@1=0)|Account.java:7 Account.deposit|by - *' t.std
    grep -q '^main|fork(Thread-1)|Account.java:15 Account.main|by -$' t.std
    record -q -- $java -cp programs Checksum
    "$HEDDLE" convert t.htr t.std
    grep -q '^Thread-0|w(long\[\]@[0-9]*\[0\]=4)|Checksum.java:15 Checksum.lambda' t.std
    grep -q '^main|dbegin(sum)|Checksum.java:10 Checksum.sum|by -$' t.std
    grep -q '^main|dend(sum)|' t.std
}

@test "what events stand on" {
    record -q -- $java -cp programs GetSet
    "$HEDDLE" convert t.htr t.std
    cat t.std
    awk -F'[|]' '/^#/ { lines++ } /\|r\(GetSet.value/ { read[$1] = NR - lines }
        /\|w\(GetSet.value/ { writes++; if ($4 != "by - from " read[$1] "+1") wrong = 1 } END { exit wrong || writes != 2 }' t.std
    record -q -- $java -cp programs CounterFirst
    "$HEDDLE" convert t.htr t.std
    cat t.std
    [ "$(grep '^Thread' t.std | grep -vc '|by -')" -eq 0 ]
    record -q -- $java -cp programs ShopOneSection
    "$HEDDLE" convert t.htr t.std
    cat t.std
    [ "$(grep -c '|w(ShopOneSection.stock=[01])|.*|by [0-9]*\[1\.\.2147483647\] from [0-9]*-1$' t.std)" -eq 2 ]
    record -q -- $java -cp trouble Checks
    "$HEDDLE" convert t.htr t.std
    cat t.std
    [ "$(grep -c '|w(Checks.stock@1=[34])|.*|by [0-9]*\[1\.\.2147483647\] from [0-9]*-1$' t.std)" -eq 2 ]
    [ "$(grep -c '|w(Checks.waiting@1=[67])|.*|by - from [0-9]*+1$' t.std)" -eq 2 ]
    record -q -- $java -cp programs Counters
    "$HEDDLE" check t.htr >report || true
    cat report
    grep -q '^  Counters.shown  N1.*; reaches the output$' report
    ! grep -q '^  Counters.hits' report
    record -q --grounds=off -- $java -cp programs GetSet
    ! "$HEDDLE" info t.htr | grep -q '^grounds'
}

@test "grounds of random programs are enough" {
    once
    count=15
    [ -z "${HEDDLE_TEST_LONG:-}" ] || count=2000
    mkdir -p random
    PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCES/../grounds/check_java.py" "$HEDDLE" random $count 1
}

@test "blocks by a list of methods" {
    printf '# what is meant to be atomic\natomic AccountLocked.deposit\n\ndeterministic AccountLocked.main\n' >blocks
    record -q --blocks=blocks -- $java -cp programs AccountLocked
    "$HEDDLE" convert t.htr t.std
    [ "$(grep -c '|begin(deposit)|' t.std)" -eq 2 ]
    [ "$(grep -c '|dbegin(main)|' t.std)" -eq 1 ]
    echo 'atomic' >blocks
    run record --blocks=blocks -- java -cp programs AccountLocked
    [ "$status" -eq 1 ]
    [ "$output" = 'heddle: blocks:1: a line is `atomic CLASS.METHOD` or `deterministic CLASS.METHOD`' ]
    run record --blocks=none -- java -cp programs AccountLocked
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: none: "* ]]
}

@test "classes can be left out and chosen" {
    record -q --exclude=Acc* -- $java -cp programs Account
    [ "$("$HEDDLE" info t.htr | sed -n 's/^  accesses *\([0-9]*\).*/\1/p')" -eq 0 ]
    record -q --include=Other,Acc*nt -- $java -cp programs Account
    [ "$("$HEDDLE" info t.htr | sed -n 's/^  accesses *\([0-9]*\).*/\1/p')" -gt 0 ]
}

@test "input, output and arguments pass through; nothing is added" {
    mkdir -p echo
    cat >Echo.java <<'CODE'
public class Echo {
    public static void main(String[] args) throws Exception {
        System.in.transferTo(System.out);
        System.err.println(args[0]);
        System.exit(42);
    }
}
CODE
    javac -d echo Echo.java
    run sh -c 'printf "one\ntwo\n" | "$HEDDLE" record -q -o t.htr -- java -cp echo Echo "a word" 2>err'
    [ "$status" -eq 42 ]
    [ "$output" = "$(printf 'one\ntwo')" ]
    [ "$(cat err)" = "a word" ]
}

@test "a script that starts machines is recorded through the environment" {
    printf '#!/bin/sh\nexec java -cp programs Account\n' >mvnw
    chmod +x mvnw
    run record -- ./mvnw
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"heddle: recorded "* ]]
    printf '#!/bin/sh\njava -cp trouble Endings exit\njava -cp programs AccountLocked\n' >start
    chmod +x start
    run record --java -- ./start
    echo "$output"
    [[ "$output" == *"2 Java virtual machines ran"* ]]
}

@test "Gradle hands the agent to the machines of its tasks by a script, not by the environment of its daemon" {
    once
    cat >gradlew <<'END'
#!/bin/sh
[ "$1 $3" = "--init-script test" ] && [ -z "$JAVA_TOOL_OPTIONS" ] || exit 9
JAVA_TOOL_OPTIONS=$(sed -n "s/.*'JAVA_TOOL_OPTIONS', '\(.*\)'$/\1/p" "$2") exec java -cp programs Account
END
    chmod +x gradlew
    run record -- ./gradlew test
    echo "$output"
    [ "$status" -eq 0 ]
    "$HEDDLE" check --property=race t.htr | grep -q 'Data race: .* Account.balance'
}

@test "of a build tool and the machine it starts for tests, the latter is recorded" {
    once
    javac -nowarn -d tools "$SOURCES"/tools/Launcher.java
    printf '#!/bin/sh\nexec java -cp tools org.codehaus.plexus.classworlds.launcher.Launcher "$@"\n' >mvn
    chmod +x mvn
    run record -- ./mvn -cp programs Account
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"heddle: recorded "* && "$output" != *"virtual machines ran"* ]]
    "$HEDDLE" check --property=race t.htr | grep -q 'Data race: .* Account.balance'
}

@test "options of the other kind are refused; a missing machine is told" {
    run record --real-time -- java -cp programs Account
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: record: --real-time does not apply to Java programs, whose threads run freely" ]
    run record --blocks=x -- ls
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: record: --blocks applies to Java programs only" ]
    run record --java -- true
    [ "$status" -eq 1 ]
    [[ "$output" == *"true started no Java virtual machine"* ]]
    run record -- ./no/java
    [ "$status" -eq 1 ]
    [[ "$output" == *"./no/java: cannot be run: No such file or directory" ]]
}

@test "heddle run records and checks in one step" {
    run "$HEDDLE" run -o ran -- $java -cp programs Account
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"Data race: "*"Account.balance@1"* ]]
}

@test "other machines that are installed" {
    once
    newer=$(newer_jdks)
    [ -n "$newer" ] || skip "no JDK 21 or later in /usr/lib/jvm"
    for bin in $newer; do
        for program in Handovers Locks ForkJoin Containers Interrupted WorkQueue Cleaned CalledBack Served; do
            run "$SOURCES"/check-program "$SOURCES/$program.java" programs 1 "$bin/java"
            echo "$bin: $output"
            [ "$status" -eq 0 ]
        done
    done
}
