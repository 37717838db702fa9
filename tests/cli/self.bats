#!/usr/bin/env bats
# Heddle on itself: a check with several workers has no race, no unordered accesses and no deadlock.
load support

# The rooms whose code workers run, and the files of the command that starts, watches and stops them. Only these are built
# anew; the rest of the program, which one thread runs, is linked as it was built.
ROOMS="base trace model finding solve property certify"
FILES="src/method/method.c src/cli/main.c src/cli/arguments.c src/cli/checking.c src/cli/check_options.c
    src/cli/cmd_check.c src/cli/progress.c"

# usage: build_with COMPILER FOLDER [flags]: the program in FOLDER/heddle, those rooms built by the compiler.
build_with() {
    local compiler=$1 folder=$2 built rest="" object
    shift 2
    built=$(dirname "$HEDDLE")
    mkdir -p "$folder"
    { for room in $ROOMS; do ls "$SOURCE/src/$room/"*.c; done; printf "$SOURCE/%s\n" $FILES; } |
        nice xargs -P2 -I{} sh -c 'out=$1/$(basename "$2" .c).o; src=$2; shift 2; exec "$@" -c "$src" -o "$out"' sh "$folder" {} \
            "$compiler" "$@" -std=gnu17 -D_GNU_SOURCE -DHEDDLE_VERSION='"0"' -I"$SOURCE/src" -I"$SOURCE/include" -I"$SOURCE"
    for object in "$built"/CMakeFiles/heddle.dir/src/cli/*.o "$built"/CMakeFiles/libheddle.dir/src/library/*.o; do
        [ -e "$folder/$(basename "$object" .c.o).o" ] || rest="$rest $object"
    done
    "$compiler" "$@" -o "$folder/heddle" "$folder"/*.o $rest "$built/libheddle_config.a" "$built/libheddle_core.a" \
        -lzstd -lxxhash -ljansson -lyaml -lz -ldw -lelf -lpthread -lm
}

setup() {
    ! sanitized || skip "its objects cannot be linked without the sanitizers"
    cd "$BATS_TEST_TMPDIR"
}

@test "a check with four workers, recorded by heddle cc, is free of races and deadlocks" {
    build_with "$HEDDLE-cc" self
    for trace in account lost-update; do
        "$HEDDLE" record --seed=3 -o self.htr -- self/heddle check -j4 -o report.txt "$TRACES/$trace.std" || true
        "$HEDDLE" check -j4 -o expected.txt "$TRACES/$trace.std" || true
        diff report.txt expected.txt
        "$HEDDLE" check --property=race,unordered,deadlock --format=json self.htr >self.json
        grep -q '"findings": \[\]' self.json
        grep -q '"complete": true' self.json
    done
    # It has something to look at: workers that share the model and a queue of work.
    [ "$("$HEDDLE" info self.htr | sed -n 's/^threads  *//p')" -ge 3 ]
    [ "$("$HEDDLE" info self.htr | sed -n 's/^variables  *\([0-9]*\).*/\1/p')" -gt 300 ]
}

@test "ThreadSanitizer finds nothing in a check with four workers either" {
    only_long
    echo 'int main(void) { return 0; }' >empty.c
    gcc -fsanitize=thread empty.c -o empty && ./empty || skip "gcc has no sanitizer runtime"
    build_with gcc tsan -fsanitize=thread
    "$GENERATE" queue 30000 4 1 long.std # two threads build its model
    for trace in "$TRACES/mergesort.std" long.std; do
        run --separate-stderr "$HEDDLE" check -j4 $trace
        expected=$output expected_status=$status
        TSAN_OPTIONS=exitcode=66 run --separate-stderr tsan/heddle check -j4 $trace
        [ "$status" -eq "$expected_status" ]
        [ "$stderr" = "" ]
        [ "$output" = "$expected" ]
    done
}
