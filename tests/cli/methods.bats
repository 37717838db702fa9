#!/usr/bin/env bats
# The published methods: check --method=graph, check --method=ucg, compare.

setup() {
    cd "$BATS_TEST_TMPDIR"
    # CAV'10, Fig. 1, with sh = sh + 1 as a read and a write.
    cat >fig1.std <<'END_OF_TRACE'
T1|acq(l3)|a0
T1|acq(l1)|a1
T1|waitpre(c)|a2
T1|rel(l1)|a3
T2|acq(l1)|b0
T2|notify(c)|b1
T2|rel(l1)|b2
T1|acq(l1)|a4
T1|waitpost(c)|a5
T1|acq(l2)|a6
T1|rel(l3)|a7
T1|rel(l1)|a8
T1|r(sh)|a9
T1|w(sh)|a9
T1|rel(l2)|a10
T2|acq(l1)|b3
T2|acq(l3)|b4
T2|rel(l1)|b5
T2|acq(l2)|b6
T2|rel(l2)|b7
T2|rel(l3)|b8
T2|r(sh)|b9
T2|w(sh)|b9
END_OF_TRACE
    # Two threads that add to x under a lock, one after the other.
    cat >add.std <<'END_OF_TRACE'
T1|acq(l)|1
T1|r(x)|2
T1|w(x)|3
T1|rel(l)|4
T2|acq(l)|5
T2|r(x)|6
T2|w(x)|7
T2|rel(l)|8
END_OF_TRACE
}

# field NAME: its first value in $output
field() {
    echo "$output" | grep -o "\"$1\": [0-9][0-9.]*" | head -n 1 | sed 's/.*: //'
}

funnel() {
    run "$HEDDLE" check --method=ucg --property=race --format=json "$1"
    for name in total lsa mhb ucg; do printf '%s ' "$(field $name)"; done
    field witnesses
}

@test "causality graphs: locks and wait/notify together exclude the race of the paper's example" {
    [ "$(funnel fig1.std)" = "3 3 3 0 0" ]
    run "$HEDDLE" check --method=ucg fig1.std
    [ "$status" -eq 0 ]
}

@test "causality graphs: without wait/notify there is a race" {
    grep -v 'wait\|notify' fig1.std >locks.std
    [ "$(funnel locks.std)" = "3 3 3 3 1" ]
    run "$HEDDLE" check --method=ucg --format=json -o report.json locks.std
    [ "$status" -eq 2 ]
    "$HEDDLE" verify locks.std report.json
}

@test "causality graphs: without locks there is a race" {
    grep -v 'acq\|rel' fig1.std >waits.std
    [ "$(funnel waits.std)" = "3 3 3 3 1" ]
}

@test "causality graphs: atomicity has a funnel of its own" {
    printf 'T1|begin|\nT1|r(x)|\nT1|w(x)|\nT1|end|\nT2|w(x)|\n' >block.std
    run "$HEDDLE" check --method=ucg --property=atomicity --format=json block.std
    [ "$status" -eq 2 ]
    [[ "$output" == *'"atomicity": {"total": 1, "lsa": 1, "mhb": 1, "ucg": 1, "witnesses": 1'* ]]
    [[ "$output" != *'"race": {"total"'* ]]
    [[ "$output" == *'"first": 2, "remote": 5, "second": 3'* ]]
}

@test "graph: the columns of Table A1" {
    run "$HEDDLE" check --method=graph --format=json add.std
    [ "$status" -eq 0 ]
    run "$HEDDLE" check --method=graph --fail-on=nondet --format=json add.std
    [ "$status" -eq 2 ]
    [[ "$output" == *'"method": "graph"'* ]]
    # T1's read saw 0; of the two writes its own comes later, and T2's is made from what T1 wrote. T2's read saw T1's
    # write and could see 0, with T1's write after it or absent; its own write comes later.
    [ "$(field possible)" = 12 ]
    [ "$(field cyclic)" = 10 ]
    [ "$(field no_choice)" = 2 ]
    [ "$(field with_choice)" = 0 ]
    [ "$(field choice_graphs_possible)" = 0 ]
    [ "$(field choice_graphs_explored)" = 0 ]
    [[ "$output" == *'"graph": {'*'"feasible": 2, "infeasible": 10,'*'"graphs_per_witness": 1.000000, "seconds": '* ]]
}

@test "graph: --all lists witnesses by kind" {
    run "$HEDDLE" check --method=graph --all --format=json add.std
    [[ "$output" == *'"read": 6, "observed": 3, "alternative": 0, "kind": "k1"'* ]]
    [[ "$output" == *'"read": 6, "observed": 3, "alternative": 0, "kind": "k3"'* ]]
    [[ "$output" != *'"kind": "k2"'* ]]
    [[ "$output" != *'"schedule"'* ]]
}

@test "graph: --stats prints a row of the table" {
    run "$HEDDLE" check --method=graph --stats add.std
    [[ "$output" == *"thrds: 2, evs: 8, l-evs: 4, l-vars: 1, rw-evs: 4, rw-vars: 1, wn-evs: 0 | 12 | 10 (83.3) | 2 (16.7) | 0 (0.0) | - | - | "*" | 2 (16.7) | 10 (83.3) | 1"* ]]
}

@test "ucg: --stats prints a row of the table" {
    run "$HEDDLE" check --method=ucg --stats fig1.std
    [[ "$output" == *"2 | 23 | 16 | 3 | 3 | 1 | 3 | 3 | 3 | 0 | 0 | "*" | 0 | 0 | 0 | 0 | 0 | "* ]]
}

@test "methods that are not known, and properties a method does not know, are refused" {
    run "$HEDDLE" check --method=guess add.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --method=guess: expected exact, graph, ucg or csp" ]
    run "$HEDDLE" check --method=graph --property=nondet,race add.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --method=graph is for nondet only, not for race" ]
    run "$HEDDLE" check --method=ucg --property=nondet add.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --method=ucg is for race and atomicity only, not for nondet" ]
}

@test "the published methods know nothing of values" {
    run "$HEDDLE" check --method=graph --values=ignore add.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: check: --values and --grounds need --method=exact; the other methods use neither values nor grounds" ]
}

@test "graph and ucg: a budget that runs out, an empty trace" {
    echo '# no events' >empty.std
    for method in graph ucg; do
        run "$HEDDLE" check --method=$method --stats empty.std
        [ "$status" -eq 3 ] # such a trace is not the whole run
    done
    run "$HEDDLE" compare empty.std
    [ "$status" -eq 0 ]
    # With the read before the write, T3's sections of m and n can each come before or after the others', but not m's
    # after and n's before.
    printf 'T1|w(x)|\nT1|acq(m)|\nT1|rel(m)|\nT3|acq(m)|\nT3|rel(m)|\nT3|acq(n)|\nT3|rel(n)|\n' >choice.std
    printf 'T2|acq(n)|\nT2|rel(n)|\nT2|r(x)|\n' >>choice.std
    run "$HEDDLE" check --method=graph --format=json choice.std
    [ "$(field with_choice)" = 1 ]
    [ "$(field choice_graphs_possible)" = 4 ]
    [ "$(field choice_graphs_explored)" = 1 ]
    run "$HEDDLE" check --method=graph --budget=0 --format=json choice.std
    [[ "$output" == *'"undecided": 1, "graphs_per_witness"'* ]]
    [[ "$output" == *'"complete": false'* ]]
}

@test "compare: agreement" {
    run "$HEDDLE" compare add.std
    [ "$status" -eq 0 ]
    [[ "${lines[0]}" == "add.std: 4 pairs of a read and another write to its variable" ]]
    [[ "${lines[1]}" == *"feasible by both "*" 1" ]]
}

@test "compare: a write that would come between a couple, in its smallest form" {
    { cat fig1.std; printf 'T3|acq(l)|\nT3|r(y)|\nT3|r(y)|\nT3|rel(l)|\nT4|acq(l)|\nT4|w(y)|\nT4|rel(l)|\n'; } >t.std
    run "$HEDDLE" compare t.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"1  a write between a couple"* ]]
    [[ "$output" == *"7 of the 30 events are enough:"* ]]
    [[ "$output" == *"3  T3|r(y)|   <- read"* ]]
    [[ "$output" == *"6  T4|w(y)|   <- challenger"* ]]
    run "$HEDDLE" compare --no-examples t.std
    [ "$status" -eq 2 ]
    [[ "$output" != *"are enough"* ]]
}

@test "compare: errors" {
    run "$HEDDLE" compare missing.std
    [ "$status" -eq 1 ]
    [[ "$output" == *"missing.std"* ]]
    run "$HEDDLE" compare --budget=many add.std
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: compare: --budget=many is not a number" ]
}

@test "every example of docs/methods.md is one" {
    awk '/^<!-- compare: /{name = $0; sub(/^<!-- compare: /, "", name); sub(/ -->$/, "", name); want = 1; next}
         /^```/{if (in_block) in_block = 0
                else if (want) {in_block = 1; want = 0; n++; print name >("name" n)}
                next}
         in_block{print >("example" n ".std")}' "$TRACES/../../docs/methods.md"
    [ -e example5.std ] && [ ! -e example6.std ]
    for i in 1 2 3 4 5; do
        run "$HEDDLE" compare example$i.std
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *" 1  $(cat name$i)"* ]]
        events=$(wc -l <example$i.std)
        [[ "$output" == *"$events of the $events events are enough"* ]]
    done
}
