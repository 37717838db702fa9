#!/usr/bin/env bats
# heddle hunt: from one run to the bugs it can lead to.
load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in "$PROGRAMS"/hunt/*.c "$PROGRAMS"/philosophers.c "$PROGRAMS"/lost_update.c; do
        "$HEDDLE" cc -g -O1 "$program" -o "$(basename "$program" .c)"
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-hunt
}

@test "a check that no longer holds leads to the failed assertion, and to a schedule that shows it" {
    run "$HEDDLE" hunt --runs=40 --stop-at-first --seed=1 -- ./shop </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Failed assertion"* ]]
    run "$HEDDLE" replay heddle-hunt H1 -- ./shop </dev/null
    [[ "$output" == *"Assertion"* ]]
    [[ "$output" == *"followed; outcome: same"* ]]
}

@test "a deadlock that is predicted is made to happen" {
    run "$HEDDLE" hunt --runs=40 --seed=1 -- ./philosophers </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Deadlock: no thread could continue"* ]]
    [[ "$output" == *"followed P1: Deadlock: "* ]]
    run "$HEDDLE" replay heddle-hunt P1 -- ./philosophers </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"confirmed"* ]]
    run "$HEDDLE" replay heddle-hunt P9 -- ./philosophers
    [ "$output" = "heddle: replay: heddle-hunt/hunt.json: has no problem P9" ]
    run "$HEDDLE" verify heddle-hunt/run-1.htr heddle-hunt/run-1.json
    [ "$status" -eq 0 ]
}

@test "other output is a problem; a correct program has none, and the hunt ends by itself" {
    run "$HEDDLE" hunt --runs=40 --seed=1 -- ./lost_update </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"The output differs from that of the first run"* ]]
    run "$HEDDLE" hunt --for=0 --seed=1 -- ./careful_shop </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "The hunt ended because nothing new came up"* ]]
}

@test "the same seed gives the same search" {
    for i in 1 2; do
        "$HEDDLE" hunt --runs=25 --seed=7 -o "again$i" -- ./shop </dev/null >/dev/null || true
        sed "s/again$i/again/g; s/\"seconds\": [0-9.]*//" "again$i/hunt.json" >"search$i"
    done
    cmp search1 search2
}

@test "several runs at a time; interrupted, it reports what it has" {
    run "$HEDDLE" hunt --runs=30 -j3 --seed=1 -- ./shop </dev/null
    [ "$status" -eq 2 ]
    grep -q '"kind": "happened"' heddle-hunt/hunt.json
    rm -rf heddle-hunt
    "$HEDDLE" hunt --for=0 --seed=1 -- "$BATS_FILE_TMPDIR/shop" </dev/null >told &
    pid=$!
    until [ -e heddle-hunt/run-1.json ]; do sleep 0.05; done
    kill -INT $pid 2>/dev/null || true
    wait $pid || true
    grep -q '^The hunt ended because' told
    [ -s heddle-hunt/hunt.json ]
}

@test "Java programs, too" {
    needs_java
    cat >Shop.java <<'END'
public class Shop {
    static int stock = 1;
    static synchronized int look() { return stock; }
    static synchronized void sell() { if (--stock < 0) throw new IllegalStateException("sold twice"); }
    public static void main(String[] args) throws Exception {
        Runnable customer = () -> { if (look() > 0) sell(); };
        Thread a = new Thread(customer), b = new Thread(customer);
        a.start(); b.start(); a.join(); b.join();
    }
}
END
    javac Shop.java
    run "$HEDDLE" hunt --runs=12 --stop-at-first --timeout=60 -- java -cp . Shop </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"Uncaught exception: java.lang.IllegalStateException"* ]]
}

@test "what is wrong with the command line is said" {
    run "$HEDDLE" hunt
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: hunt: no program given: heddle hunt -- PROGRAM ARGUMENTS" ]
    run "$HEDDLE" hunt --for=soon -- ./shop
    [ "$output" = "heddle: hunt: --for=soon: expected a time like 60s, 5m or 1h" ]
    run "$HEDDLE" hunt -o /nowhere/at/all -- ./shop
    [ "$status" -eq 1 ]
    run "$HEDDLE" hunt -- ./no-such-program
    [ "$status" -eq 1 ]
    [[ "$output" == *"no-such-program"* ]]
}
