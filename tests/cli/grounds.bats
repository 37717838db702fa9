#!/usr/bin/env bats
# What grounds, counted tokens and freely matched notifies let happen, by hand-made traces: what each one has to give.

bats_require_minimum_version 1.5.0

setup() {
    cd "$BATS_TEST_TMPDIR"
}

# found PROPERTY…: the findings of t.std, one a line: property and events
found() {
    run --separate-stderr "$HEDDLE" check --all --format=json -o t.json -p "$1" t.std
    [ -z "$stderr" ]
    "$HEDDLE" verify t.std t.json >/dev/null
    sed -n 's/.*"id": "[A-Z][0-9]*", "property": "\([a-z-]*\)", \(.*\), "group".*/\1 \2/p' t.json |
        sed 's/"[a-z]*": //g; s/,/ /g; s/  */ /g; s/[][]//g'
}

# inversion GROUNDS GROUNDS: two threads take locks in either order, each between n += 1 and n -= 1
inversion() {
    cat >t.std <<END
T1|rmw(n=1)|a.c:1|by - from 1+1
T1|acq(a)|a.c:2|$1
T1|acq(b)|a.c:3|$1
T1|rel(b)|a.c:4|$1
T1|rel(a)|a.c:5|$1
T1|rmw(n=0)|a.c:6|by - from 6-1
T2|rmw(n=1)|b.c:1|by - from 7+1
T2|acq(b)|b.c:2|$2
T2|acq(a)|b.c:3|$2
T2|rel(a)|b.c:4|$2
T2|rel(b)|b.c:5|$2
T2|rmw(n=0)|b.c:6|by - from 12-1
END
}

@test "a counter that nobody looks at does not hide a deadlock" {
    inversion "by -" "by -"
    [ "$(found deadlock)" = "deadlock 3 9" ]
}

@test "a counter that decides whether locks are taken does" {
    inversion "by 1" "by 7"
    [ "$(found deadlock)" = "" ]
    inversion "by -" "by -"
    run "$HEDDLE" check --grounds=ignore -p deadlock t.std
    [ "$status" -eq 0 ]
}

# explained CANDIDATE LINES: why the candidate of t.std is infeasible, the last lines of it
explained() {
    run --separate-stderr "$HEDDLE" check --explain="$1" t.std
    [ "$status" -eq 0 ]
    [ -z "$stderr" ]
    [[ "$output" == "infeasible: "*$'\n'"$2" ]]
}

@test "what is refuted only because a read must be as observed: the read and who stands on it" {
    inversion "by 1" "by 7"
    explained deadlock:3,9 "  only because event 7, T2|rmw(n), must be as observed: event 8, T2|acq(b), depends on it"
    inversion "by -" "by 7"
    explained deadlock:3,9 "  only because event 7, T2|rmw(n), must be as observed: event 8, T2|acq(b), depends on it"
    inversion "by 1" "by -"
    run "$HEDDLE" check --explain=deadlock:3,9 t.std
    [[ "$status" -eq 2 && "$output" == "feasible; "* ]]

    cat >t.std <<'END'
T0|fork(T1)|
T0|w(x=1)||by - from -
T0|aw(go=1)||by - from -
T1|ar(go=1)|
T1|w(y=1)||by - from -
T1|begin||by -
T1|r(x=1)||by 4[1..]
T1|w(x=2)||by 7 from 7+1
T1|end||by -
T1|w(z=1)||by 7
END
    explained race:2,7 "  only because event 4, T1|ar(go), must be as observed: event 7, T1|r(x), depends on it"
    explained nondet:7,0 "  only because event 4, T1|ar(go), must be as observed: event 7, T1|r(x), depends on it"
    explained atomicity:7,2,8 "  only because event 4, T1|ar(go), must be as observed: event 7, T1|r(x), depends on it,
  and event 7, T1|r(x), must be as observed: event 8, T1|w(x), depends on it"
    sed -i '8s/by 7/by -/' t.std
    explained stale:7,2,8 "  only because event 4, T1|ar(go), must be as observed: event 7, T1|r(x), depends on it"
    explained atomicity:7,2,8 "  only because event 4, T1|ar(go), must be as observed: event 7, T1|r(x), depends on it"

    cat >t.std <<'END'
T1|acq(l)|
T1|r(full=0)|
T1|waitpre(c)|
T1|rel(l)|
T2|acq(l)|
T2|w(full=1)|
T2|notify(c)|
T2|rel(l)|
T1|acq(l)|
T1|waitpost(c)|
T1|r(full=1)|
T1|rel(l)|
T1|exit|
T2|exit|
END
    explained stuck:9 "  only because event 2, T1|r(full), must be as observed: event 3, T1|waitpre(c), depends on it"
}

@test "the end of a thread depends on its reads; what no read is to blame for blames none" {
    cat >t.std <<'END'
T0|fork(T1)|
T1|w(data=2)|
T1|aw(flag=1)|
T0|fork(T2)|
T2|ar(flag=1)|
T0|join(T2)|
T0|w(data=3)|
T0|join(T1)|
T0|w(data=4)|
END
    explained race:2,7 "  only because event 5, T2|ar(flag), must be as observed: the end of its thread depends on it"
    run "$HEDDLE" check --explain=race:2,9 t.std
    [ "$status" -eq 0 ]
    [[ "$output" == "infeasible: "* && "$output" != *"only because"* ]]
    printf 'T1|w(x=1)|\nT2|r(x=1)|\nT2|w(x=2)|\n' >t.std
    run "$HEDDLE" check --explain=nondet:2,3 t.std
    [ "$status" -eq 0 ]
    [[ "$output" == "infeasible: program order: the run would have to hold event 3, T2|w(x),"* ]]
}

@test "a notify before the waitpre wakes nobody: stuck" {
    cat >t.std <<'END'
T1|acq(l)|q.c:10
T1|waitpre(ready)|q.c:11
T1|rel(l)|q.c:11
T2|acq(l)|q.c:20
T2|notify(ready)|q.c:21
T2|rel(l)|q.c:22
T1|acq(l)|q.c:11
T1|waitpost(ready)|q.c:11
T1|rel(l)|q.c:12
T1|exit|
T2|exit|
END
    [ "$(found stuck,deadlock)" = "stuck 7" ]
    run "$HEDDLE" check -p stuck t.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"K1  Stuck: T1 can wait forever for a signal on ready"* ]]
    [[ "$output" == *"T1 waits for a signal on ready at q.c:11 (event 7)"* ]]
    [[ "$output" == *"T2 signals it at q.c:21 (event 5), before T1 waits"* ]]
}

@test "who tests under the lock before it waits misses no notify" {
    cat >t.std <<'END'
T1|acq(l)|
T1|r(full=0)|
T1|waitpre(c)|
T1|rel(l)|
T2|acq(l)|
T2|w(full=1)|
T2|notify(c)|
T2|rel(l)|
T1|acq(l)|
T1|waitpost(c)|
T1|r(full=1)|
T1|rel(l)|
T1|exit|
T2|exit|
END
    [ "$(found stuck,stale,deadlock)" = "" ]
}

@test "two references: who drops the last one frees, in either order; both do not" {
    cat >t.std <<'END'
T1|rmw(refs=1)|r.c:1|by - from 1-1
T1|w(log=1)|r.c:2|by 1[2..] from -
T2|rmw(refs=0)|r.c:1|by - from 3-1
T2|w(freed=1)|r.c:3|by 3[1..1] from -
T2|exit|
T1|exit|
END
    sed -i '1i T0|aw(refs=2)|r.c:0\nT0|fork(T1)|\nT0|fork(T2)|\nT0|exit|' t.std
    sed -i 's/from 1-1/from 5-1/; s/by 1\[2/by 5[2/; s/from 3-1/from 7-1/; s/by 3\[1/by 7[1/' t.std
    [ "$(found deadlock,stuck,stale)" = "" ]
    run "$HEDDLE" check --all --format=json -o n.json -p nondet t.std
    [ "$status" -eq 0 ]
    grep -q '"read": 5, "observed": 1, "alternative": 7' n.json
}

@test "a flag that any value but zero raises" {
    cat >t.std <<'END'
T1|w(flag=1)||from -
T2|w(flag=2)||from -
T3|ar(flag=2)|
T3|w(x=1)||by 3[1..] from -
T1|w(x=2)||by - from -
END
    [[ "$(found race)" == *"race 4 5"* ]]
    sed -i 's/by 3\[1..\]/by 3[2..2]/' t.std
    [[ "$(found race)" == *"race 4 5"* ]]
}

# shop LOCKS: check and act, in two sections or one
shop() {
    cat >t.std <<END
T1|acq(l)|shop.c:11
T1|r(stock=1)|shop.c:12
$1
T1|w(stock=0)|shop.c:20|by 2[1..] from 2-1
T1|rel(l)|shop.c:21
T2|acq(l)|shop.c:11
T2|r(stock=0)|shop.c:12
T2|rel(l)|shop.c:13
T3|acq(l)|shop.c:30
T3|w(stock=9)|shop.c:31|by - from -
T3|rel(l)|shop.c:32
END
}

@test "check and act in two sections: stale; in one: not" {
    shop "T1|rel(l)|shop.c:13
T1|acq(l)|shop.c:19"
    [ "$(found stale)" = "stale 2 11 5" ]
    shop ""
    sed -i '/^$/d' t.std
    [ "$(found stale)" = "" ]
}

@test "both threads check and then act" {
    cat >t.std <<'END'
T1|acq(l)|shop.c:11
T1|r(stock=1)|shop.c:12
T1|rel(l)|shop.c:13
T2|acq(l)|shop.c:11
T2|r(stock=1)|shop.c:12
T2|rel(l)|shop.c:13
T1|acq(l)|shop.c:19
T1|w(stock=0)|shop.c:20|by 2[1..] from 2-1
T1|rel(l)|shop.c:21
T2|acq(l)|shop.c:19
T2|w(stock=0)|shop.c:20|by 5[1..] from 5-1
T2|rel(l)|shop.c:21
END
    [ "$(found stale)" = "stale 2 11 8
stale 5 8 11" ]
    run "$HEDDLE" check -p stale t.std
    [[ "$output" == *"T1  Stale read: T2 writes stock = 0 because it read stock = 1; meanwhile T1 can write 0"* ]]
    [[ "$output" == *"what T1 wrote is lost: the new value is computed from the one read before"* ]]
}

@test "a cas loop, a second look, an update that compares again: not stale" {
    cat >t.std <<'END'
T1|ar(x=0)|
T2|cas(x=1)||by - from 2+1
T1|ar(x=1)|
T1|cas(x=2)||by 3 from 3+1
END
    [ "$(found stale)" = "" ]
    cat >t.std <<'END'
T1|r(init=0)|
T1|acq(l)||by 1[0..0]
T1|r(init=0)||by 1[0..0]
T1|w(init=1)||by 1[0..0],3[0..0] from -
T1|rel(l)||by 1[0..0]
T2|acq(l)|
T2|w(init=1)||by - from -
T2|rel(l)|
END
    [ "$(found stale)" = "" ]
    cat >t.std <<'END'
T1|r(x=5)|
T1|acq(l)|
T1|r(x=5)|
T1|w(x=6)||by 1[5..5],3[5..5] from 1+1
T1|rel(l)|
T2|acq(l)|
T2|w(x=7)||by - from -
T2|rel(l)|
END
    [ "$(found stale)" = "" ]
}

# turns: seven sections of a hand-made lock, thread by thread in turn; in the last its thread had to wait
turns() {
    for i in 0 1 2 3 4 5; do
        echo "T$((i % 3 + 1))|cas(m=1)||by - from -
T$((i % 3 + 1))|r(x=$i)||by -
T$((i % 3 + 1))|w(x=$((i + 1)))||by - from $((4 * i + 2))+1
T$((i % 3 + 1))|rmw(m=0)||by - from -"
    done
    echo "T1|rmw(m=2)||by - from -
T1|r(x=6)||by 25[0..0]
T1|w(x=0)||by - from -
T1|rmw(m=0)||by - from -"
}

@test "a counter under a hand-made lock is not stale, and no search is needed for that" {
    turns >t.std
    [ "$(found stale,race)" = "" ]
    "$HEDDLE" check --all --stats --format=json -p stale -o t.json t.std
    sed -n '/"stale": {/,/"undecided"/p' t.json | tr -d ' \n' |
        grep -F '"candidates":28,"feasible":0,"refuted":{"must_order":28,"causality_cycle":0,'
}

@test "a locked counter is not stale, nor an atomic one" {
    cat >t.std <<'END'
T1|acq(l)|
T1|r(x=0)|
T1|w(x=1)|
T1|rel(l)|
T2|acq(l)|
T2|r(x=1)|
T2|w(x=2)|
T2|rel(l)|
T1|acq(l)|
T1|r(x=2)|
T1|w(x=3)|
T1|rel(l)|
T1|rmw(y=1)|
T2|rmw(y=2)|
T1|rmw(y=3)|
END
    [ "$(found stale)" = "" ]
}

@test "two posts and two waits that cross threads are counted" {
    cat >t.std <<'END'
T1|post(s)|
T2|semwait(s)|
T2|w(x)|
T2|post(s)|
T3|semwait(s)|
T3|w(x)|
T1|post(s)|
END
    [[ "$(found race)" == *"race 3 6"* ]]
    sed -i '$d' t.std
    [ "$(found race)" = "" ]
}

@test "values that are made of many others over and over are no reason to hang" {
    # Each value is made of two reads of the one before: 2^40 ways lead from the last to the first.
    awk 'BEGIN {
        print "T1|w(x0)||by - from -"
        for (i = n = 1; i <= 40; i++) {
            t = i % 2 ? "T2" : "T1"
            print t "|r(x" i - 1 ")||by -\n" t "|r(x" i - 1 ")||by -\n" t "|w(x" i ")||by - from " n + 1 "," n + 2
            n += 3
        }
        print "T3|r(x40)||by -\nT3|w(y)||by " n + 1 " from -\nT1|r(y)||by -"
    }' >"$BATS_TEST_TMPDIR/made.std"
    run timeout 60 "$HEDDLE" check "$BATS_TEST_TMPDIR/made.std"
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"42 problems: 42 race"* ]]
}

@test "threads that wait at different places are different findings" {
    cat >t.std <<'END'
T2|acq(l)|a.c:1
T2|waitpre(c)|a.c:2
T2|rel(l)|a.c:2
T1|notify(c)|a.c:20
T2|acq(l)|a.c:2
T2|waitpost(c)|a.c:2
T2|waitpre(d)|a.c:3
T2|rel(l)|a.c:3
T1|notify(d)|a.c:21
T2|acq(l)|a.c:3
T2|waitpost(d)|a.c:3
T2|rel(l)|a.c:4
T2|exit|
T1|exit|
END
    run "$HEDDLE" check -p stuck t.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"K1  Stuck: T2 can wait forever for a signal on c"*"K2  Stuck: T2 can wait forever for a signal on d"* ]]
}

@test "one notify ends one of two waits" {
    cat >t.std <<'EOF'
T4|w(x=1)|a.c:1|by - from -
T1|waitpre(c)|a.c:3|by -
T2|waitpre(c)|a.c:4|by -
T3|notify(c)|a.c:5|by -
T1|waitpost(c)|a.c:3|by -
T1|aw(y=1)|a.c:6|by - from -
T4|notify(c)|a.c:7|by -
T2|waitpost(c)|a.c:4|by -
T2|ar(y=1)|a.c:8|by -
T2|w(x=2)|a.c:2|by 9 from -
EOF
    [ "$(found race)" = "" ]
    grep '"undecided": \[\]' t.json
}

@test "producers and consumers that wait for each other: decided whether they can be stuck, however long the trace" {
    for events in 3000 20000 50000; do
        "$GENERATE" producer-consumer "$events" 8 1 plain.std
        "${GENERATE%generate}ground" plain.std >t.std
        run --separate-stderr "$HEDDLE" check -p stuck --format=json t.std
        [ "$status" -eq 2 ]
        [[ "$output" == *'"complete": true'*'"id": "K1"'*'"undecided": []'* ]]
    done
}

@test "sums of a variable in which no number can have been serve no read" {
    # T5 stands on a number in hot22; until T3, which has stopped, writes one there, others add to what nobody knows.
    "$GENERATE" hot 20000 8 1 plain.std
    "${GENERATE%generate}ground" plain.std >t.std
    for events in 61,494 1768,0; do
        run timeout 30 "$HEDDLE" check --explain=nondet:$events t.std
        [ "$status" -eq 0 ]
        [[ "$output" == "infeasible: "* ]]
    done
}
