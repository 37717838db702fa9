#!/usr/bin/env bats
# What a reader sees at first glance: of twelve programs, six correct and six broken, the problems, the place of the
# planted bug and the exit status.

load support

@test "no problem in a correct program; the planted bug first or second in a broken one" {
    once
    cd "$BATS_TEST_TMPDIR"
    run "$PROGRAMS/first-glance/check-table" 1 3
    echo "$output"
    [ "$status" -eq 0 ]
    [ "${#lines[@]}" -eq 25 ]
}

@test "locks and members of objects on the stack have the names that people wrote, and threads wait in the program's own code" {
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" c++ -g -O1 -DBROKEN "$PROGRAMS/first-glance/server.cpp" -o server 2>/dev/null
    for seed in 1 4 9; do
        "$HEDDLE" run -q --seed=$seed -o out ./server >/dev/null || [ $? -eq 2 ]
        "$HEDDLE" convert out/trace.htr t.std
        run grep 'stack of\|local of' t.std
        [ -z "$output" ]
        grep -q '|acq(main: server.statistics_.mutex_)|' t.std
        grep -q '|acq(main: log.mutex_)|\|^#wait .*|lock main: log.mutex_|' t.std
        # SARIF's places are in the project, too.
        run python3 -c '
import json
for result in json.load(open("out/report.sarif"))["runs"][0]["results"]:
    print(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"])'
        [ "$status" -eq 0 ]
        [ -n "$output" ]
        [ -z "$(grep -v 'server\.cpp$' <<<"$output")" ]
        [ -z "$(grep '^#wait' t.std | grep -v '|[^|]*server\.cpp:[0-9]* [^|]*|')" ]
    done
}

@test "a problem has one fingerprint, whatever the seed and wherever its function moves" {
    once
    mkdir -p "$BATS_TEST_TMPDIR/moved" && cd "$BATS_TEST_TMPDIR/moved"
    run "$PROGRAMS/first-glance/check-baselines" "$PROGRAMS"/first-glance/{pool,unjoined}.c "$PROGRAMS"/first-glance/{server,singleton}.cpp \
        "$PROGRAMS"/{account,airline,philosophers}.c
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "a deadlock that happens is known to a baseline that predicts it" {
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" c++ -g -O1 -DBROKEN "$PROGRAMS/first-glance/server.cpp" -o server 2>/dev/null
    "$HEDDLE" run -q --seed=1 -o main ./server >/dev/null || [ $? -eq 2 ]
    happened=0
    for seed in 2 3 4 5 6 7 8 9; do
        run "$HEDDLE" run --seed=$seed --baseline=main/report.json -o out ./server
        [[ "$output" == *"no new problem"* ]]
        if [[ "$output" == *"O1  The recorded run stopped in a deadlock"*"(in the baseline)"* ]]; then
            [ "$status" -eq 3 ] # the run was cut short
            happened=1
        else
            [ "$status" -eq 0 ]
        fi
    done
    [ $happened -eq 1 ]
}

@test "the folder of a hunt is a baseline that holds whatever the seed" {
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" cc -g -O1 "$PROGRAMS/airline.c" -o airline
    "$HEDDLE" hunt -q --seed=1 --runs=20 -o main -- ./airline >/dev/null || [ $? -eq 2 ]
    for seed in 1 2 3 4 5; do
        run "$HEDDLE" run --seed=$seed --baseline=main -o out ./airline
        echo "$output"
        [ "$status" -eq 0 ]
        [[ "$output" == *" problem"*"; no new problem, "*" in the baseline"* ]]
    done
    run "$HEDDLE" run -q --baseline="$PROGRAMS" -o out ./airline
    [ "$status" -eq 1 ]
    [[ "$output" == "heddle: $PROGRAMS/hunt.json: "* ]]
}

@test "gdb at a replay stands in the program's own code" {
    command -v gdb >/dev/null || skip "gdb is not installed"
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" c++ -g -O1 -DBROKEN "$PROGRAMS/first-glance/server.cpp" -o server 2>/dev/null
    "$HEDDLE" run -q --seed=1 -o out ./server >/dev/null || [ $? -eq 2 ]
    run timeout 60 "$HEDDLE" replay --gdb out/report.json L1 -- ./server <<<$'frame\nquit'
    echo "$output"
    [[ "$output" == *"(gdb) #"*"server.cpp:"* ]]
    [[ "$output" != *"(gdb) #"*"/usr/include/"* ]]
}

@test "objects in chunks of the program's own allocator are named by the types that accesses show" {
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" cc -g -O1 "$PROGRAMS/trouble/slab.c" -o slab
    for passes in one two; do
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=1 -o t.htr -- ./slab
        run "$HEDDLE" check -p race t.htr
        [ "$(echo "$output" | sed -n 's/^R.*work writes \(.*\) while.*/\1/p' | sed 's/conn.*\(->\|\.\)/conn->/' | sort | tr '\n' ' ')" = \
            "conn->bytes conn->state item->flags item->hits item->refs timer->armed " ]
        # All six items, each with three members; the arena's objects by their own types.
        [ "$("$HEDDLE" convert t.htr - | grep -o 'w(item->[a-z]*\( #[2-6]\)\?=' | sort -u | wc -l)" -eq 18 ]
        [ "$("$HEDDLE" convert t.htr - | grep -o 'w(timer->armed\( #[23]\)\?=' | sort -u | wc -l)" -eq 3 ]
        run grep 'heap block' <<<"$("$HEDDLE" convert t.htr -)"
        [ -z "$output" ]
    done
}
