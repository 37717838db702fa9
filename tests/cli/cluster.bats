#!/usr/bin/env bats
# Several ranks under MPI: the same result as one, on one machine and over a network.
load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in "$PROGRAMS"/hunt/shop.c "$PROGRAMS"/explore/counter.c "$PROGRAMS"/lost_update.c; do
        "$HEDDLE" cc -g -O1 "$program" -o "$(basename "$program" .c)"
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-hunt heddle-explore one
    command -v mpirun >/dev/null || skip "no mpirun"
    [ -e "$(dirname "$HEDDLE")/runtime/heddle-mpi.so" ] || skip "built without MPI"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0 # of MPI
}

ranks() { # COUNT COMMAND …
    local count=$1
    shift
    timeout 60 mpirun --quiet -n "$count" "$@" </dev/null
}

# What of a hunt does not depend on time and rank.
search_of() { # FOLDER
    sed -n 's/, "second".*//p' "$1/hunt.json"
}

@test "a hunt of several ranks makes the same runs and finds the same as one of one rank" {
    run "$HEDDLE" hunt --runs=30 --seed=3 -o one -- ./shop </dev/null
    [ "$status" -eq 2 ]
    run ranks 3 "$HEDDLE" hunt --runs=30 --seed=3 -- ./shop
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"3 ranks; rank 0 was busy"* ]]
    [ "$(search_of one | wc -l)" -ge 30 ]
    diff <(search_of one) <(search_of heddle-hunt)
    grep -q '"rank": 1' heddle-hunt/hunt.json
    grep -q '"rank": 2' heddle-hunt/hunt.json
    run "$HEDDLE" verify heddle-hunt
    echo "$output"
    [ "$status" -eq 0 ]
    run "$HEDDLE" replay heddle-hunt H1 -- ./shop </dev/null
    [[ "$output" == *"followed; outcome: same"* ]]
}

@test "an exploration by several ranks tells the same as one by one rank" {
    "$HEDDLE" explore -- ./lost_update </dev/null >told || [ $? -eq 2 ]
    run ranks 3 "$HEDDLE" explore -- ./lost_update
    echo "$output"
    [ "$status" -eq 2 ]
    diff told <(echo "$output")
    "$HEDDLE" explore -- ./counter 2 3 </dev/null >told
    run ranks 2 "$HEDDLE" explore -j2 -- ./counter 2 3
    [ "$status" -eq 0 ]
    diff told <(echo "$output")
}

@test "a check of several traces tells the same as on one machine" {
    traces=("$TRACES"/*.std)
    "$HEDDLE" check -j1 "${traces[@]:0:12}" >told || [ $? -ne 1 ]
    run ranks 3 "$HEDDLE" check -j1 "${traces[@]:0:12}"
    echo "$output"
    diff told <(echo "$output")
    for format in json html; do
        "$HEDDLE" check -j1 --format=$format -o told "${traces[@]:0:4}" || [ $? -ne 1 ]
        ranks 3 "$HEDDLE" check -j1 --format=$format -o shared "${traces[@]:0:4}" || [ $? -ne 1 ]
        diff told shared
    done
    run ranks 3 "$HEDDLE" check -j1 "${traces[0]}"
    "$HEDDLE" check -j1 "${traces[0]}" >told || [ $? -eq 2 ]
    diff told <(echo "$output")
    run ranks 3 "$HEDDLE" check -j1 "${traces[0]}" absent.std "${traces[1]}"
    [ "$status" -eq 1 ]
    [[ "$output" == *"absent.std: No such file or directory"* ]]
}

@test "ranks share the units of one trace and tell the same as one machine" {
    "$GENERATE" hot 4000 4 1 hot.std
    for how in "--all --format=json" "--property=all --format=json" --format=text; do
        "$HEDDLE" check -j1 $how -o told hot.std || [ $? -ne 1 ]
        run ranks 3 "$HEDDLE" check -j1 $how -o shared hot.std
        echo "$output"
        [ "$status" -ne 1 ]
        cmp told shared
        run ranks 2 "$HEDDLE" check -j2 $how -o shared hot.std
        [ "$status" -ne 1 ]
        cmp told shared
    done
    run ranks 3 "$HEDDLE" check -j1 --stats -o shared hot.std
    [[ "$output" == *"hot.std: other ranks did "*" parts of the check"* ]]
}

@test "a trace larger than its share is split, the others are handed out whole" {
    "$GENERATE" hot 4000 4 1 large.std
    for seed in 1 2 3 4; do
        "$GENERATE" hot 500 4 $seed small$seed.std
    done
    traces=(small1.std small2.std large.std small3.std small4.std)
    for format in text json; do
        "$HEDDLE" check -j1 --format=$format -o told "${traces[@]}" || [ $? -ne 1 ]
        run ranks 3 "$HEDDLE" check -j1 --stats --format=text -o shared "${traces[@]}"
        [ "$(grep -c 'other ranks did' <<<"$output")" -eq 1 ]
        [[ "$output" == *"large.std: other ranks did"* ]]
        ranks 3 "$HEDDLE" check -j1 --format=$format -o shared "${traces[@]}" || [ $? -ne 1 ]
        cmp told shared
    done
}

# Kills the hand of the last rank when it is there: a child of the rank, which is a child of the guard that mpirun started.
kill_hand() { # LAUNCHER
    local guard hand=
    for _ in $(seq 200); do
        guard=$(pgrep -P "$1" -f 'heddle check' | tail -n 1)
        hand=$([ -z "$guard" ] || pgrep -P "$(pgrep -P "$guard" | head -n 1)" 2>/dev/null | tail -n 1)
        [ -z "$hand" ] || break
        sleep 0.05
    done
    kill -KILL "$hand"
}

@test "a rank that loses its hand costs its part, not the check" {
    "$GENERATE" hot 8000 4 1 hot.std
    for count in 1 6; do # by units, and whole
        traces=()
        for _ in $(seq $count); do
            traces+=(hot.std)
        done
        "$HEDDLE" check -j1 --all --property=nondet "${traces[@]}" >told || [ $? -ne 1 ]
        mpirun --quiet -n 3 "$HEDDLE" check -j1 --all --property=nondet "${traces[@]}" </dev/null >shared 2>said &
        launcher=$!
        kill_hand "$launcher"
        wait "$launcher" || [ $? -ne 1 ]
        cat said
        cmp told shared
    done
}

@test "a rank that has another file, or none, does not help" {
    mkdir -p here there nowhere
    "$GENERATE" hot 4000 4 1 here/hot.std
    "$GENERATE" hot 4000 4 2 there/hot.std
    (cd here && "$HEDDLE" check -j1 --all --format=json -o told hot.std) || [ $? -ne 1 ]
    run timeout 60 mpirun --quiet -n 1 -wdir "$PWD/here" "$HEDDLE" check -j1 --all --format=json -o shared hot.std : \
        -n 1 -wdir "$PWD/there" "$HEDDLE" check -j1 --all --format=json -o shared hot.std : \
        -n 1 -wdir "$PWD/nowhere" "$HEDDLE" check -j1 --all --format=json -o shared hot.std </dev/null
    echo "$output"
    [ "$status" -ne 1 ]
    cmp here/told here/shared
    [[ "$output" == *"hot.std: No such file or directory; this rank does not help"* ]]
}

@test "standard input reaches the runs of all ranks" {
    printf '#include <stdio.h>\nint main(void) { int n = 0; while (getchar() != EOF) n++; printf("%%d\\n", n); return n != 5; }\n' >count.c
    "$HEDDLE" cc count.c -o count
    run bash -c 'printf 12345 | timeout 60 mpirun --quiet -n 3 "$HEDDLE" hunt --runs=12 -- ./count'
    echo "$output"
    [ "$status" -eq 3 ] # there is one thread only
}

@test "a rank that dies costs its run, not the hunt" {
    mpirun --quiet -n 3 "$HEDDLE" hunt --for=40s --runs=60 --seed=3 -- ./shop </dev/null >told 2>&1 &
    launcher=$!
    for _ in $(seq 100); do
        [ -e heddle-hunt/run-1.htr ] && break
        sleep 0.1
    done
    guard=$(pgrep -P "$launcher" -f 'heddle hunt' | tail -n 1)
    kill -KILL "$(pgrep -P "$guard" | head -n 1)"
    wait "$launcher" || true
    cat told
    grep -q '^heddle: rank 2 was killed by signal 9$' told
    grep -q '1 rank was lost' told
    grep -q '^H1  Failed assertion' told
}

@test "MPICH, too" {
    command -v mpicc.mpich >/dev/null && command -v mpirun.mpich >/dev/null || skip "no MPICH"
    mkdir -p mpich/runtime
    cp "$HEDDLE" mpich/heddle
    ln -sf "$(dirname "$HEDDLE")"/runtime/* mpich/runtime/
    rm mpich/runtime/heddle-mpi.so
    mpicc.mpich -fPIC -shared -I"$PROGRAMS/../../src" "$PROGRAMS/../../mpi/mpi_link.c" -o mpich/runtime/heddle-mpi.so
    "$HEDDLE" hunt --runs=12 --seed=3 -o one -- ./shop </dev/null >/dev/null || [ $? -eq 2 ]
    run timeout 60 mpirun.mpich -n 2 mpich/heddle hunt --runs=12 --seed=3 -- ./shop </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"2 ranks; rank 0 was busy"* ]]
    diff <(search_of one) <(search_of heddle-hunt)
}

@test "started as one of several ranks without the plug-in: an error, not several hunts" {
    mkdir -p bare/runtime
    cp "$HEDDLE" bare/heddle
    ln -sf "$(dirname "$HEDDLE")"/runtime/* bare/runtime/
    rm bare/runtime/heddle-mpi.so
    run env OMPI_COMM_WORLD_SIZE=2 bare/heddle hunt --runs=2 -- ./shop
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"started as one of several ranks, but MPI cannot be used"*"libopenmpi-dev"* ]]
    bare/heddle --version | grep -q '^  MPI  *no$'
}

@test "ranks in two network namespaces, by a file of hosts" {
    only_long
    a=heddle-a-$$ b=heddle-b-$$
    ip netns add "$a" 2>/dev/null || skip "network namespaces are not permitted"
    ip netns add "$b"
    ip link add va netns "$a" type veth peer name vb netns "$b"
    ip -n "$a" address add 10.99.0.1/24 dev va
    ip -n "$b" address add 10.99.0.2/24 dev vb
    for end in "$a va" "$b vb"; do
        ip -n "${end% *}" link set "${end#* }" up
        ip -n "${end% *}" link set lo up
    done
    printf '#!/bin/sh\n[ "$1" = 10.99.0.1 ] && there=%s || there=%s\nshift\nexec ip netns exec $there sh -c "$*"\n' "$a" "$b" >agent
    chmod +x agent
    printf '10.99.0.1 slots=1\n10.99.0.2 slots=2\n' >hosts
    "$HEDDLE" hunt --runs=20 --seed=3 -o one -- ./shop </dev/null >/dev/null || [ $? -eq 2 ]
    run timeout 100 ip netns exec "$a" mpirun --quiet --hostfile hosts -n 3 --mca plm_rsh_agent "$PWD/agent" \
        --mca oob_tcp_if_include 10.99.0.0/24 --mca btl_tcp_if_include 10.99.0.0/24 --mca btl tcp,self \
        "$HEDDLE" hunt --runs=20 --seed=3 -- "$PWD/shop" </dev/null
    ip netns del "$a"
    ip netns del "$b"
    echo "$output"
    [ "$status" -eq 2 ]
    diff <(search_of one) <(search_of heddle-hunt)
    grep -q '"rank": 2' heddle-hunt/hunt.json
}
