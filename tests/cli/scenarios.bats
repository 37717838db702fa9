#!/usr/bin/env bats
# The scenarios: from one run all races that can be known, and no other.

load support

# races_of RECORD-OPTIONS…: records and checks ./program, prints the pairs found
races_of() {
    "$HEDDLE" record -q -o t.htr "$@" -- ./program
    "$HEDDLE" check --property=race t.htr >t.txt || [ $? -eq 2 ]
    "$PROGRAMS/scenarios/races" found "$source" t.txt
}

@test "there are twenty, some without a race" {
    [ "$(ls "$PROGRAMS"/scenarios/*.c | wc -l)" -eq 20 ]
    [ "$(grep -l 'races: none' "$PROGRAMS"/scenarios/*.c | wc -l)" -ge 5 ]
}

@test "built with hooks" {
    cd "$BATS_TEST_TMPDIR"
    for source in "$PROGRAMS"/scenarios/*.c; do
        "$HEDDLE" cc -O1 "$source" -o program
        for seed in 1 2; do
            found=$(races_of --seed=$seed)
            echo "$source, seed $seed: $found"
            [ "$found" = "$("$PROGRAMS/scenarios/races" expected "$source")" ]
        done
    done
}

@test "all races, and no other: found with data ignored in one run, confirmed by replaying" {
    cd "$BATS_TEST_TMPDIR"
    for source in "$PROGRAMS"/scenarios/*.c; do
        "$HEDDLE" cc -O1 "$source" -o program
        "$HEDDLE" record -q --seed=1 -o t.htr -- ./program
        "$HEDDLE" check --method=csp --property=race --confirm t.htr -- ./program >t.txt 2>t.err || [ $? -eq 2 ]
        confirmed=$("$PROGRAMS/scenarios/races" confirmed "$source" t.txt)
        echo "$source: $confirmed; $(cat t.err)"
        [ "$confirmed" = "$("$PROGRAMS/scenarios/races" expected "$source")" ]
    done
}

@test "a race that only another path could lead to is not confirmed when the program does something else there" {
    cd "$BATS_TEST_TMPDIR"
    source=$PROGRAMS/scenarios/06_flag_atomic.c
    "$HEDDLE" cc -O1 "$source" -o program
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./program
    "$HEDDLE" check --method=csp --property=race --format=json -o t.json t.htr || [ $? -eq 2 ]
    "$HEDDLE" check --method=csp --property=race --confirm t.htr -- ./program >t.txt || [ $? -eq 2 ]
    grep -q '^    replayed: not confirmed, needs another path$' t.txt
    run "$HEDDLE" replay t.json R1 -- ./program
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *"R1: needs another path: "*" expected T2 second: r(data) at "*"; got something else"* ]]
}

@test "built plainly, recorded under Valgrind" {
    needs_valgrind
    cd "$BATS_TEST_TMPDIR"
    for source in "$PROGRAMS"/scenarios/*.c; do
        gcc -O1 -g -pthread "$source" -o program
        for run in 1 2 3 4 5; do # who comes first is a matter of sleeping long enough, which a busy machine upsets
            found=$(races_of --tool=valgrind)
            echo "$source: $found"
            [ -z "$(comm -23 <(echo "$found") <("$PROGRAMS/scenarios/races" expected "$source"))" ]
            [ "$found" != "$("$PROGRAMS/scenarios/races" expected "$source")" ] || break
        done
        [ "$found" = "$("$PROGRAMS/scenarios/races" expected "$source")" ]
    done
}
