#!/usr/bin/env bats
# What is recorded is what happened: programs run as they do unrecorded, and what they do is in the trace.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$HEDDLE" cc -O1 "$PROGRAMS/trouble/waits.c" -o waits
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr t.json
}

@test "every wait ends by its time, by a handler or by another thread, as it does unrecorded" {
    for handler in none plain restart; do
        for seed in 1 2; do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./waits $handler >ended
            diff "$SOURCE/tests/golden/waits-$handler.txt" ended
        done
    done
    if [ -n "${HEDDLE_TEST_LONG:-}" ]; then # the texts are the system's own
        gcc -O1 -pthread "$PROGRAMS/trouble/waits.c" -o waits-plain
        for handler in none plain restart; do
            ./waits-plain $handler >ended
            diff "$SOURCE/tests/golden/waits-$handler.txt" ended
        done
    fi
}
