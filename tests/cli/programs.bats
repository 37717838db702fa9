#!/usr/bin/env bats
# Programs with known verdicts, built, recorded and checked: no false alarm on a correct one, nothing missed.

load support

# The sanitized build records and checks every third once; which compiler made a program and by which schedule it ran is the
# normal build's matter.

# corpus COMPILER LEVEL SEED…: every program, or every `step`th, as many at once as there are processors
corpus() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
    cd "$BATS_TEST_TMPDIR"
    ! sanitized || step=3
    run sh -c 'ls "$0"/*.c "$0"/*.cpp | sed -n "1~'${step:-1}'p" | xargs -P "$(nproc)" -I{} "$0"/check-program {} "$@"' "$PROGRAMS" "$@"
    echo "$output"
    [ "$status" -eq 0 ]
    [ -z "$output" ]
}

@test "gcc -O2: verdicts are right" {
    if sanitized; then corpus gcc -O2 1; else corpus gcc -O2 1 2; fi
}

@test "clang -O0: verdicts are right" {
    once
    [ -n "${HEDDLE_TEST_LONG:-}" ] || step=2
    corpus clang -O0 3 4
}

@test "gcc -O0: verdicts are right" {
    only_long
    corpus gcc -O0 5 6 7 8
}

@test "clang -O2: verdicts are right" {
    only_long
    corpus clang -O2 9 10 11 12
}
