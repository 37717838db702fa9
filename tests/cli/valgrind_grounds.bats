#!/usr/bin/env bats
# What recorded events stand on: programs that are not instrumented, recorded under Valgrind.

bats_require_minimum_version 1.5.0
load support

# Of optimization.
levels() {
    if [ -n "${HEDDLE_TEST_LONG:-}" ]; then seq 0 2; else echo 0 2; fi
}

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for level in $(levels); do
        for source in "$PROGRAMS"/grounds/*.c "$PROGRAMS"/seqlock.c "$PROGRAMS"/double_checked_atomic.c; do
            gcc -w -g -O$level -I"$INCLUDE" "$source" -o "$(basename "$source" .c)$level" -pthread -lm
        done
        gcc -w -g -O$level -DSTOCK=1 "$PROGRAMS/grounds/shop_two_sections.c" -o last_item$level -pthread
        g++ -w -g -std=c++17 -O$level "$PROGRAMS/grounds/shared_account.cpp" -o shared_account$level -pthread
    done
}

setup() {
    needs_valgrind
    cd "$BATS_FILE_TMPDIR"
}

runs() {
    if [ -n "${HEDDLE_TEST_LONG:-}" ]; then seq 20; else seq 1; fi
}

# predicted PROGRAM WORDS: what the second line of every check says
predicted() {
    for level in $(levels); do
        for run in $(runs); do
            "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./$1$level >/dev/null
            run "$HEDDLE" check -p deadlock,stuck,race,stale t.htr
            [[ "${lines[1]}" == "$2"* ]] || { echo "$1 at -O$level, run $run: ${lines[1]}"; false; }
        done
    done
}

@test "what follows from grounds, from every recording" {
    predicted abba_counter "1 problem: 1 deadlock"
    predicted philosophers_meals "1 problem: 1 deadlock"
    predicted get_set "1 problem: 1 stale"
    predicted shared_account "1 problem: 1 stale"
    predicted config_ready "1 problem: 1 race"
    predicted reference_count_split "1 problem: 1 race"
}

@test "a counter that is only printed reaches the output; one that nobody looks at gives no note" {
    for level in $(levels); do
        "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./counters$level
        "$HEDDLE" check t.htr >report
        grep -q '^  shown  N1.*; reaches the output$' report
        ! grep -q '^  hits' report
    done
}

@test "one item and two customers: both take it, or the read that found nothing left is the first note" {
    for level in $(levels); do
        "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./last_item$level
        "$HEDDLE" check t.htr >report || [ $? -eq 2 ]
        words="whether stock is written at "
        [ $level -gt 0 ] || words=how # ranges do not pass through locals in memory
        grep -q '1 stale' report || grep -A1 '^Notes' report | grep -q "^  stock  N1.*; decides $words"
    done
}

@test "programs that do it right" {
    predicted shop_one_section "No problem predicted from this run"
    predicted cas_loop "No problem predicted from this run"
    predicted reference_count "No problem predicted from this run"
    predicted seqlock "No problem predicted from this run"
    predicted double_checked_atomic "No problem predicted from this run"
    predicted ways "No problem predicted from this run"
    predicted ways_library "No problem predicted from this run"
}

@test "more programs that do it right" {
    only_long
    for name in looks_again count_down turns handed_over spsc_ring work_queue first-glance/pool first-glance/queue first-glance/ring; do
        for level in $(levels); do
            source=$PROGRAMS/grounds/$name.c
            [ -e "$source" ] || source=$PROGRAMS/$name.c
            gcc -w -g -O$level -I"$INCLUDE" "$source" -o "$(basename $name)$level" -pthread
        done
        predicted "$(basename $name)" "No problem predicted from this run"
    done
}

@test "values plus constants, and ranges" {
    "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./get_set2
    [ "$("$HEDDLE" convert t.htr - | grep -c '|w(value=.*|by - from [0-9]*+1$')" -eq 2 ]
    "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./shop_two_sections2
    [ "$("$HEDDLE" convert t.htr - | grep -c '|w(stock=.*|by [0-9]*\[1\.\.2147483647\] from [0-9]*-1$')" -eq 2 ]
}

@test "a program without any symbols has the same grounds" {
    strip -o stripped abba_counter2
    "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./stripped
    run "$HEDDLE" check -p deadlock,stuck,race,stale t.htr
    [ "${lines[1]}" = "1 problem: 1 deadlock" ]
    [ "$("$HEDDLE" convert t.htr - | grep -c '|by - from [0-9]*+1$')" -eq 2 ]
}

@test "off: no grounds" {
    "$HEDDLE" record -q --tool=valgrind --grounds=off -o t.htr -- ./get_set2
    [ "$("$HEDDLE" convert t.htr - | grep -c '|by \|from ')" -eq 0 ]
}

# random COUNT FIRST
random() {
    mkdir -p random
    PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/grounds/check_binaries.py" "$HEDDLE" random "$1" "$2"
}

@test "random programs: threads do what was recorded as long as their grounds hold, and what findings claim can happen" {
    once
    random 10 1
}

@test "many random programs" {
    only_long
    once
    random 500 10000
}
