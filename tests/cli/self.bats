#!/usr/bin/env bats
# Heddle on itself: a check with several workers has no race, no unordered accesses and no deadlock.
load support

# usage: build_with COMPILER FOLDER [flags]: the program alone, built by the compiler.
build_with() {
    CC="$1" cmake -S "$SOURCE" -B "$2" -G Ninja -DCMAKE_BUILD_TYPE=None -DHEDDLE_WERROR=OFF \
        -DCMAKE_C_FLAGS="${3:-}" -DCMAKE_EXE_LINKER_FLAGS="${3:-}" >/dev/null
    nice ninja -C "$2" --quiet heddle
}

@test "a check with four workers, recorded by heddle cc, is free of races and deadlocks" {
    cd "$BATS_TEST_TMPDIR"
    build_with "$HEDDLE-cc" self
    for trace in account lost-update; do
        "$HEDDLE" record --seed=3 -o self.htr -- self/heddle check -j4 -o report.txt "$TRACES/$trace.std" || true
        [ -s report.txt ]
        "$HEDDLE" check --property=race,unordered,deadlock --format=json self.htr >self.json
        grep -q '"findings": \[\]' self.json
        grep -q '"complete": true' self.json
    done
    # It has something to look at: workers that share the model and a queue of work.
    [ "$("$HEDDLE" info self.htr | sed -n 's/^threads  *//p')" -ge 3 ]
}

@test "ThreadSanitizer finds nothing in a check with four workers either" {
    cd "$BATS_TEST_TMPDIR"
    echo 'int main(void) { return 0; }' >empty.c
    gcc -fsanitize=thread empty.c -o empty && ./empty || skip "gcc has no sanitizer runtime"
    build_with gcc tsan -fsanitize=thread
    TSAN_OPTIONS=exitcode=66 run tsan/heddle check -j4 "$TRACES/mergesort.std"
    [ "$status" -ne 66 ]
    [[ "$output" != *"ThreadSanitizer"* ]]
}
