#!/usr/bin/env bats
# heddle check on declared blocks: what is asked for, how it is reported, how it exits.

setup() {
    cd "$BATS_TEST_TMPDIR"
    cat >team.std <<'END'
M|dbegin(sum)|sum.c:1
M|fork(A)|sum.c:2
A|w(total)|sum.c:9
M|r(total)|sum.c:3
M|join(A)|sum.c:4
M|dend(sum)|sum.c:5
END
    cat >split.std <<'END'
A|begin|pay.c:1
A|acq(l)|pay.c:2
A|r(x)|pay.c:3
A|rel(l)|pay.c:4
A|acq(l)|pay.c:5
A|w(x)|pay.c:6
A|rel(l)|pay.c:7
A|end|pay.c:8
B|acq(l)|pay.c:20
B|w(x)|pay.c:21
B|rel(l)|pay.c:22
END
}

check() {
    run "$HEDDLE" check "$@"
}

@test "determinism is checked by default, serializability on demand" {
    check --format=json team.std
    [ "$status" -eq 2 ]
    [[ "$output" == *'"property": "determinism", "kind": "conflict", "block": 1, "first": 3, "second": 4'* ]]
    [[ "$output" != *'"serializability"'* ]]
    check --property=all --format=json team.std
    [[ "$output" == *'"serializability": {"subjects": 0'* ]]
}

@test "a conflict in words: which block, which operations, why" {
    check --property=determinism team.std
    [ "$status" -eq 2 ]
    [[ "$output" == *"D1  Block is not deterministic: A and M race for total in it"* ]]
    [[ "$output" == *"in M's block sum that begins at sum.c:1 (event 1)"* ]]
    [[ "$output" == *"orders the two"* ]]
}

@test "serializable as observed, not in another run" {
    check --property=serializability split.std
    [ "$status" -eq 0 ]
    [[ "$output" == *"No violation of serializability in this run."* ]]
    check --property=serializability --predict --format=json -o r.json split.std
    [ "$status" -eq 2 ]
    grep -q '"property": "serializability", "cycle": \[1, 10\], "edges": \[\[3, 10\], \[10, 6\]\]' r.json
    grep -q '"schedule": {"prefix": 4, "then": \[9,10,11,5,6' r.json
    run "$HEDDLE" verify split.std r.json
    [ "$status" -eq 0 ]
    [ "$output" = "1 finding, all accepted" ]
    sed 's/\[9,10,11,5,6/[5,6,9,10,11/' r.json >bad.json
    run "$HEDDLE" verify split.std bad.json
    [ "$status" -eq 1 ]
}

@test "no blocks: nothing to say about them" {
    echo 'A|w(x)|' >plain.std
    check --property=determinism,serializability plain.std
    [ "$status" -eq 0 ]
    [[ "$output" == *"no deterministic blocks to check"* ]]
    [[ "$output" == *"no atomic blocks to check"* ]]
}

@test "the report does not depend on the number of workers" {
    "$GENERATE" blocks 20000 6 1 b.std
    "$HEDDLE" check --property=determinism,serializability,unordered --predict --format=json -j 1 -o 1.json b.std || true
    "$HEDDLE" check --property=determinism,serializability,unordered --predict --format=json -j 4 -o 4.json b.std || true
    cmp 1.json 4.json
}

@test "generated transfers are serializable, the team is deterministic" {
    "$GENERATE" blocks 20000 9 3 b.std
    check --property=determinism,serializability b.std
    [ "$status" -eq 0 ]
    "$GENERATE" team 20000 9 3 t.std
    check --property=determinism t.std
    [ "$status" -eq 0 ]
    sed '/benter\|bexit/d' t.std >broken.std
    check --property=determinism broken.std
    [ "$status" -eq 2 ]
}
