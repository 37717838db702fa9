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
