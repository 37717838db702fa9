#!/usr/bin/env bats
# heddle explore: what threads learn of each other by other ways than memory. Each such way is explored, or the
# exploration says that it is not complete, and why.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    "$HEDDLE" cc -g -O1 "$PROGRAMS/effects/surroundings.c" -o surroundings
    "$HEDDLE" cc -g -O1 "$PROGRAMS/effects/memory.c" -o memory
    "$HEDDLE" c++ -g -O1 "$PROGRAMS/effects/streams.cpp" -o streams
    "$HEDDLE" cc -g -O1 "$PROGRAMS/effects/parts.c" -o parts
    "$HEDDLE" cc -g -O0 "$PROGRAMS/effects/parts.c" -o parts0
    "$HEDDLE" cc -g -O1 "$PROGRAMS/effects/futex.c" -o futex
    "$HEDDLE" cc -g -O1 "$PROGRAMS/trouble/unseen_order.c" -o unseen_order
    if command -v clang >/dev/null; then
        HEDDLE_CC=clang "$HEDDLE" cc -g -O1 "$PROGRAMS/effects/parts.c" -o parts-clang
    fi
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-explore lock meeting
}

# all_of PROGRAM ARGUMENT OUTPUT...: the exploration is complete and has exactly these outputs
all_of() {
    printf 'ab\n' | "$HEDDLE" explore --format=json -- "./$1" "$2" >found || true
    cat found
    grep -q '"complete": true' found
    diff <(grep -o '"stdout": "[^"]*' found | sed 's/"stdout": "//; s/\\u000a$//' | sort) <(printf '%s\n' "${@:3}" | sort)
}

# not_all PROGRAM ARGUMENT WORDS: it is not complete, for that reason
not_all() {
    run "$HEDDLE" explore -- "./$1" "$2" </dev/null
    echo "$output"
    [[ "${lines[0]}" == "not complete after "*$3* ]]
}

# not_modelled PROGRAM ARGUMENT FUNCTION: because that function is called, and where
not_modelled() {
    not_all "$1" "$2" "not explored: the effects of $3 at "
    [[ "${lines[0]}" == *"$1.c"*:* ]]
}

@test "the order of random numbers" {
    printf 'ab\n' | "$HEDDLE" explore --format=json -- ./surroundings random >found || true
    grep -q '"complete": true' found
    [ "$(grep -c '"ending"' found)" -eq 2 ]
}

@test "environment, working folder, mask, descriptors" {
    all_of surroundings environment "0 0" "1 0"
    TZ= all_of surroundings zone "0 0" "5 0"
    all_of surroundings working-folder "0 0" "1 0"
    all_of surroundings mask "18 0" "63 0"
    printf 'ab\n' | "$HEDDLE" explore --format=json -- ./surroundings descriptor >found || true
    grep -q '"complete": true' found
    [ "$(grep -c '"ending"' found)" -eq 2 ]
}

@test "folders and files that only one can make" {
    all_of surroundings folder "0 1" "1 0"
    all_of surroundings exclusive "0 1" "1 0"
}

@test "positions in files and streams" {
    all_of surroundings position "97 98" "98 97"
    all_of surroundings place "97 1" "120 1"
    all_of surroundings character "97 98" "98 97"
    all_of surroundings input "97 98" "98 97"
    all_of surroundings seek "0 0" "1 0"
}

@test "the count of a semaphore, the end of a thread" {
    all_of surroundings semaphore "0 0" "1 0"
    all_of surroundings try-join "0 0" "1 0"
}

@test "who waits at a futex, and whom it wakes" {
    all_of futex all "0 0: 0 0" "0 1: 0 1" "0 1: 1 0" "0 2: 1 1"
    all_of futex one "" "0 0: 0 0" "0 1: 0 1" "0 1: 1 0"
    all_of futex early "" "0 0: 0 0" "0 1: 0 1" "0 1: 1 0" "1 0: 0 1" "1 0: 1 0" "1 1: 0 2" "1 1: 1 1" "1 1: 2 0"
    not_all futex timed "not explored: the effects of a futex wait with a time-out at "
}

@test "what cannot be explored is named, with its place" {
    not_modelled surroundings locale setlocale
    not_modelled surroundings child fork
    not_modelled surroundings mapping mmap
    not_modelled surroundings signal pthread_kill
    not_modelled surroundings cancel pthread_cancel
}

@test "memory that the C library reads and writes for a call" {
    all_of memory seconds 0 1
    all_of memory day 1 4
    not_all memory clock "in the middle of the 16-byte access"
    not_all memory signals "in the middle of the 128-byte access"
    not_all memory attributes "in the middle of the 56-byte access"
}

@test "a time that one thread gets while another looks at it is a race" {
    run "$HEDDLE" run --seed=1 -- ./memory clock
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"clock_time"* ]]
}

@test "what the C library keeps for the process, and memory that it goes on using" {
    not_modelled memory text open_memstream
    not_modelled memory buffer setvbuf
    not_modelled memory output dup2
    not_modelled memory environ setenv
    not_modelled memory replaced getenv
    not_modelled memory key pthread_key_delete
    not_modelled memory numbers lrand48
    not_modelled memory policy pthread_getschedparam
}

@test "streams of C++" {
    all_of streams output ab ba
    all_of streams guarded b
    all_of streams errors "" ""
    not_all streams text "in the middle of the 3-byte access"
    for scene in flags precision fill state shared; do
        not_all streams $scene "in the middle of the 218-byte access"
    done
    not_modelled streams line "_ZSt7getline*"
    not_modelled streams buffered "_ZNSt8ios_base15sync_with_stdio*"
}

@test "files that a run leaves behind are noticed" {
    not_all surroundings left-behind "files that an earlier run left behind"
}

@test "a schedule of an outcome that depends on files can be followed again" {
    printf 'ab\n' | "$HEDDLE" explore -q -- ./surroundings exclusive || true
    grep -qx effects heddle-explore/outcome-1.schedule
    [ "$("$HEDDLE" replay -q --script=heddle-explore/outcome-1.schedule -- ./surroundings exclusive)" != \
      "$("$HEDDLE" replay -q --script=heddle-explore/outcome-2.schedule -- ./surroundings exclusive)" ]
}

@test "accesses that the machine may make in parts are named" {
    not_all parts structure "not explored: other threads running in the middle of the 48-byte access at "
    [[ "${lines[0]}" == *"parts.c:"* ]]
    not_all parts bytes "in the middle of the 64-byte access"
    not_all parts pair "in the middle of the 16-byte access"
    not_all parts number "in the middle of the 16-byte access"
}

@test "such accesses are whole where a lock, a flag or a join keeps others away" {
    all_of parts structure-locked "0 0" "5 5"
    all_of parts structure-published "0 0" "5 5"
    all_of parts structure-joined "5 5"
}

@test "a write to a bit-field reads the bits beside it" {
    for program in parts parts0 parts-clang; do
        [ -x $program ] || continue
        all_of $program bit-fields "0 1" "1 0" "1 1"
        all_of $program volatile-bit-fields "0 1" "1 0" "1 1"
    done
}

@test "inline assembly that touches memory is named" {
    not_all parts assembly "not explored: the effects of inline assembly at "
}

@test "times to get a lock or a semaphore may be over at any moment" {
    all_of parts timed-lock "0 0" "0 2" "1 0"
    all_of parts timed-semaphore "0 0" "1 0"
    not_all parts timed-wait "not explored: other moments for the time-out of the wait at "
}

@test "order outside memory is seen in the traces of explored runs" {
    for way in content name folder environment semaphore flock closed fcntl; do
        run "$HEDDLE" explore --max-runs=5 -- ./unseen_order $way </dev/null
        echo "$way: $output"
        [ "$status" -eq 3 ]
        [[ "$output" != *"problem"* ]]
    done
}
