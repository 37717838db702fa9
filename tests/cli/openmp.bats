#!/usr/bin/env bats
# OpenMP: its library is replaced while a program is recorded, so that what orders threads is seen. No false alarm on
# correct uses of each construct, and the race of each mistake is found.

load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    sources=$PROGRAMS/openmp
    export OMP_NUM_THREADS=3
    [ -e "$(dirname "$HEDDLE")/runtime/openmp/libgomp.so.1" ] || skip "gcc has no omp.h"
    if sanitized; then seeds=1; else seeds="1 2 3"; fi
}

@test "correct uses: the results of gcc's own library, and nothing found" {
    "$HEDDLE" cc -O1 -fopenmp "$sources/correct.c" -o correct
    for name in $(./correct); do
        ./correct "$name" >native.txt
        for seed in $seeds; do
            "$HEDDLE" record --seed=$seed -o t.htr -- ./correct "$name" >out.txt 2>err.txt
            cmp native.txt out.txt
            run cat err.txt
            [[ "$output" != *"note:"* ]]
            run "$HEDDLE" check --property=race,unordered,deadlock,atomicity,stale,stuck t.htr
            echo "$name, seed $seed: $output"
            [ "$status" -eq 0 ]
        done
    done
}

@test "mistakes: the race of each is found in a few runs, and no other" {
    "$HEDDLE" cc -O1 -fopenmp "$sources/racy.c" -o racy
    for name in $(./racy); do
        found=
        for seed in 1 2 3; do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./racy "$name"
            "$HEDDLE" check --property=race,unordered t.htr >t.txt || [ $? -eq 2 ]
            run grep '^[RU][0-9]' t.txt
            echo "$name, seed $seed: $output"
            [ -z "$(grep -v shared_value <<<"$output")" ]
            found+=$output
            [ -z "$found" ] || break
        done
        [ -n "$found" ]
    done
}

@test "a region has the name of the function it is written in" {
    "$HEDDLE" cc -O1 -fopenmp "$sources/racy.c" -o racy
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./racy half_locked
    "$HEDDLE" convert t.htr t.std
    grep -q 'racy.c:[0-9]* half_locked' t.std
    ! grep -q '_omp_fn' t.std
    cat >region.cpp <<'END'
namespace deep {
template <class T> struct Adder {
    T sum = 0;
    void add(T one)
    {
#pragma omp parallel num_threads(2)
        sum += one;
    }
};
}
int main()
{
    deep::Adder<int> a;
    a.add(1);
}
END
    "$HEDDLE" c++ -O1 -g -fopenmp region.cpp -o region
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./region
    "$HEDDLE" convert t.htr t.std
    grep -q 'region.cpp:7 add' t.std
    ! grep -q '_omp_fn' t.std
    grep -q '^T1 openmp_worker|' t.std
    run "$HEDDLE" check --property=race,unordered t.htr
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" != *"called from"* ]] # a worker calls the region
}

@test "a race between members of a team happens in a replay" {
    "$HEDDLE" cc -O1 -fopenmp "$sources/racy.c" -o racy
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./racy half_locked
    run "$HEDDLE" check --property=race --confirm t.htr -- ./racy half_locked
    echo "$output"
    [[ "$output" == *"replayed: confirmed"* ]]
}

@test "programs that plain gcc built take the same way" {
    gcc -O1 -g -fopenmp -fsanitize=thread "$sources/correct.c" -o correct
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./correct barriers
    "$HEDDLE" check --property=race,unordered,deadlock t.htr
}

@test "a construct that the library lacks is named" {
    printf 'int main(void)\n{\n    int x = 0;\n#pragma omp target map(x)\n    x = 1;\n    return x - 1;\n}\n' >target.c
    "$HEDDLE" cc -fopenmp target.c -o target
    run "$HEDDLE" record -o t.htr -- ./target
    echo "$output"
    [ "$status" -ne 0 ]
    [[ "$output" == *"heddle: OpenMP's target region cannot be recorded"* ]]
}

@test "what cannot be recorded is said" {
    command -v clang >/dev/null || skip "clang is not installed"
    HEDDLE_CC=clang run "$HEDDLE" cc -fopenmp -c "$PROGRAMS/account.c" -o account.o
    echo "$output"
    [[ "$output" == *"-fopenmp is ignored: synchronization inside clang's OpenMP library is not recorded"* ]]
}
