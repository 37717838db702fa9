#!/usr/bin/env bats
# What recorded events stand on: programs compiled by gcc with its plugin, at three levels of optimization.

bats_require_minimum_version 1.5.0
load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for level in $(levels); do
        for source in "$PROGRAMS"/grounds/*.c; do
            "$HEDDLE" cc -w -O$level "$source" -o "$(basename "$source" .c)$level" -lm
        done
        "$HEDDLE" c++ -w -std=c++17 -O$level "$PROGRAMS/grounds/shared_account.cpp" -o shared_account$level
        "$HEDDLE" cc -w -O$level -DSTOCK=1 "$PROGRAMS/grounds/shop_two_sections.c" -o last_item$level
        "$HEDDLE" c++ -w -std=c++17 -O$level "$PROGRAMS/grounds/crossed.cpp" -o crossed$level
        "$HEDDLE" c++ -w -std=c++17 -O$level "$PROGRAMS/grounds/counters.cpp" -o streamed$level
        "$HEDDLE" c++ -w -std=c++17 -O$level "$PROGRAMS/grounds/future.cpp" -o future$level
        "$HEDDLE" c++ -w -std=c++17 -O$level "$PROGRAMS/grounds/owners.cpp" -o owners$level
    done
}

setup() {
    [ -e "$(dirname "$HEDDLE")/runtime/heddle_gcc.so" ] || skip "no plugin for this gcc"
    cd "$BATS_FILE_TMPDIR"
}

# What a level changes is in the program and its runtime: the sanitized build reads the traces of one.
levels() {
    if sanitized; then echo 1; else seq 0 2; fi
}

# of recordings at this level
seeds() {
    if [ -n "${HEDDLE_TEST_LONG:-}" ]; then seq 20; else echo $((level + 1)); fi
}

# is_deadlock STATUS PROGRAM: whether the recording ended in the deadlock that the program has
is_deadlock() {
    case ${2%+} in abba_counter | crossed | philosophers_meals) ;; *) return 1 ;; esac
    [ "$1" -eq 2 ] && "$HEDDLE" check -p observed --format=json t.htr | jq -e '.findings[0].outcome == "deadlock"' >/dev/null
}

# each PROGRAM FUNCTION: calls it with every trace of the program as text in t.std
each() {
    for level in $(levels); do
        for seed in $(seeds); do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./$1$level >/dev/null 2>&1 || is_deadlock $? "$1" || return 1
            "$HEDDLE" convert t.htr t.std
            $2 || { echo "$1 at -O$level, seed $seed"; cat t.std; false; }
        done
    done
}

nothing_decides() {
    [ "$(grep -v '^#\|^main\||by -' t.std | grep -vc '|acq(guard)|\|acq(forks\[.\])|')" -eq 0 ] &&
        [ "$(grep -c '|w(\(active\|meals\)=.*|by - from [0-9]*+1$' t.std)" -ge 2 ]
}

@test "a counter that nobody looks at decides nothing" {
    each abba_counter nothing_decides
    each philosophers_meals nothing_decides
}

only_shown_is_printed() {
    [ "$(sed -n 's/^#output //p' t.std)" = "$(grep -v '^#' t.std | grep -n '^main|r(shown=' | cut -d: -f1)" ]
}

notes_on_shown_alone() {
    only_shown_is_printed
    "$HEDDLE" check t.htr >report
    grep -q '^  shown  N1.*; reaches the output$' report && ! grep -q '^  hits' report
    "$HEDDLE" check --format=json t.htr >report.json
    python3 - <<'END'
import json
r = json.load(open("report.json"))
assert r["findings"] and all(f["variable"] == "shown" and f["decides"] == {"what": "output"} for f in r["findings"]), r["findings"]
assert r["statistics"]["idle_reads"] > 0
END
    "$HEDDLE" check --all t.htr | grep -q '^  hits'
    "$HEDDLE" check --format=html -o report.html t.htr
    grep -q 'reaches the output' report.html
}

@test "a counter that is only printed reaches the output; one that nobody looks at gives no note" {
    each counters notes_on_shown_alone
    each streamed only_shown_is_printed
}

from_the_read() {
    awk -F'[|]' '/\|r\(value=/ { read[$1] = NR - types } /^#type/ { types++ }
        /\|w\(value=/ { writes++; if ($4 != "by - from " read[$1] "+1") wrong = 1 } END { exit wrong || writes != 2 }' t.std
}

@test "a value goes through two functions: from n+1" {
    each get_set from_the_read
}

checked_first() {
    awk -F'[|]' '/^#type/ { types++ } /\|r\(stock=/ { if (!($1 in first)) first[$1] = NR - types; last[$1] = NR - types }
        /\|w\(stock=/ { writes++; if ($4 !~ "^by .*" first[$1] "\\[1\\.\\.2147483647\\] from " last[$1] "-1$") wrong = 1 }
        END { exit wrong || writes != 2 }' t.std
}

@test "a check in another section is a ground of the write, with the values that pass it" {
    each shop_two_sections checked_first
}

swapped() {
    awk -F'[|]' '/\|cas/ { swaps++; if ($4 !~ "^by [0-9]+ from [0-9]+([+]1)?$") wrong = 1 } END { exit wrong || swaps != 2 }' t.std
}

both_act_or_one_is_told() {
    "$HEDDLE" check --format=json t.htr >report.json
    if [ "$(grep -c '|w(stock=' t.std)" -eq 2 ]; then
        [ "$(jq -r '.findings[0] | .property + " " + .variable' report.json)" = "stale stock" ]
    else # who finds nothing left takes nothing; the other one shows what that is
        [ "$(jq -r '.findings[0] | .property + " " + .decides.what + " " + .decides.variable' report.json)" = "nondeterminism event stock" ] &&
            [ "$(jq '.findings[0].read' report.json)" -eq "$(grep -v '^#' t.std | grep -n '|r(stock=0)|' | head -n 1 | cut -d: -f1)" ] &&
            "$HEDDLE" check t.htr | grep -A1 '^Notes' | grep -q '  stock  N1: .*; decides whether stock is written at .*shop_two_sections.c:2[0-9] '
    fi
}

@test "one item and two customers: both take it, or the read that found nothing left is the first note" {
    each last_item both_act_or_one_is_told
}

# The other count has the value that both were compared with.
one_count_decides() {
    local read
    read=$(grep -v '^#' t.std | grep -n '|r(state+2=3)|' | cut -d: -f1)
    [ "$(grep -c "|by $read\[1\.\.65535\]" t.std)" -eq 1 ]
}

@test "two counts in one word: the one that differs decides, with the values that do, whatever else its record tells" {
    each two_counts one_count_decides
}

all_bytes() {
    first=$(grep -v '^#' t.std | grep -n '^main|r(shared=' | cut -d: -f1)
    all=$(seq -s, "$first" $((first + 7)))
    grep -q "^main|w(product=.*|by - from $all\$" t.std && grep -q "^main|w(done=1).*|by $all from -\$" t.std
}

@test "a read of bytes that another thread writes one by one stands for eight events" {
    cat >bytes.c <<'C'
#include <pthread.h>
#include <stdint.h>
static union {
    unsigned char bytes[8];
    uint64_t word;
} shared;
static uint64_t product;
static int done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *p)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < 8; i++)
        shared.bytes[i] = (unsigned char)(i + (int)product + done);
    pthread_mutex_unlock(&lock);
    return p;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    uint64_t word = shared.word;
    product = word * 3;
    if (word * 5 % 7 < 7 - word % 2)
        done = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    return 0;
}
C
    for level in $(levels); do "$HEDDLE" cc -w -O$level bytes.c -o bytes$level -lpthread; done
    each bytes all_bytes
}

@test "compare-and-exchange: cas, from what was expected" {
    each cas_loop swapped
}

# One of three leaves 0; where it looks at that again, or at what was there before.
last_owner() {
    [ "$(grep -c '|by [0-9]*\[.*\]' t.std)" -eq 3 ] && [ "$(grep -c '|by [0-9]*\[\(0\.\.0\|1\.\.1\)\]' t.std)" -eq 1 ]
}

@test "the last owner frees: the count that it saw, as ranges" {
    each reference_count last_owner
}

# predicted PROGRAM WORDS: what the second line of every check says
predicted() {
    for level in $(levels); do
        for seed in $(seeds); do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./$1$level >/dev/null 2>&1 || {
                is_deadlock $? "$1" || return 1
                continue
            }
            run "$HEDDLE" check -p deadlock,stuck,race,stale t.htr
            [[ "${lines[1]}" == "$2"* ]] || { echo "$1 at -O$level, seed $seed: ${lines[1]}"; false; }
        done
    done
}

@test "what follows from grounds, from every recording" {
    predicted abba_counter "1 problem: 1 deadlock"
    predicted crossed "1 problem: 1 deadlock"
    predicted philosophers_meals "1 problem: 1 deadlock"
    predicted get_set "1 problem: 1 stale"
    predicted shared_account "1 problem: 1 stale"
    predicted put_back "1 problem: 1 stale"
    predicted config_ready "1 problem: 1 race"
    predicted shop_one_section "No problem predicted from this run"
    predicted count_down "No problem predicted from this run"
    predicted cas_loop "No problem predicted from this run"
    predicted reference_count "No problem predicted from this run"
    predicted looks_again "No problem predicted from this run"
    predicted future "No problem predicted from this run"
    predicted owners "No problem predicted from this run"
    predicted reused_block "No problem predicted from this run"
    predicted turns "No problem predicted from this run"
    predicted queue_lock "No problem predicted from this run"
    predicted handed_over "No problem predicted from this run"
    predicted struct_result "No problem predicted from this run"
    predicted ways "No problem predicted from this run"
    predicted ways_library "No problem predicted from this run"
}

@test "the same from programs compiled as C++, and nothing in programs that do it right" {
    only_long
    once
    for level in 0 1 2; do
        for name in abba_counter philosophers_meals get_set config_ready shop_one_section count_down reference_count looks_again turns \
            handed_over struct_result; do
            "$HEDDLE" c++ -w -std=c++23 -fpermissive -O$level -x c++ "$PROGRAMS/grounds/$name.c" -o $name+$level
        done
        for name in seqlock double_checked_atomic spsc_ring work_queue first-glance/pool first-glance/queue first-glance/ring; do
            "$HEDDLE" cc -w -O$level "$PROGRAMS/$name.c" -o "$(basename $name)$level"
            "$HEDDLE" c++ -w -std=c++23 -fpermissive -O$level -x c++ "$PROGRAMS/$name.c" -o "$(basename $name)+$level"
        done
    done
    predicted abba_counter+ "1 problem: 1 deadlock"
    predicted philosophers_meals+ "1 problem: 1 deadlock"
    predicted get_set+ "1 problem: 1 stale"
    predicted config_ready+ "1 problem: 1 race"
    for name in shop_one_section count_down reference_count looks_again turns handed_over struct_result \
        seqlock double_checked_atomic spsc_ring work_queue pool queue ring; do
        [ ! -e ${name}0 ] || predicted $name "No problem predicted from this run"
        predicted $name+ "No problem predicted from this run"
    done
}

only_the_balance() {
    [[ "$("$HEDDLE" check -p stale --format=json t.htr | jq -r '.findings[].variable')" == *balance ]]
}

@test "the balance is stale, the count of a shared pointer is not" {
    each shared_account only_the_balance
}

@test "a count of owners that is looked at in another section: a race with the free" {
    for level in $(levels); do
        for seed in $(seeds); do
            # both may free it, or use the lock of what is free: then the run itself does not end well
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./reference_count_split$level >/dev/null 2>&1 || ended=$?
            run "$HEDDLE" check -p race,stale,observed t.htr
            [[ "${lines[1]}" == *" race"* || "${lines[1]}" == *" stale"* || "${lines[1]}" == "1 problem: 1 observed" ]]
        done
    done
}

@test "off: no grounds" {
    "$HEDDLE" record -q --seed=1 --grounds=off -o t.htr -- ./get_set1
    [ "$("$HEDDLE" convert t.htr - | grep -c '|by \|from ')" -eq 0 ]
    run "$HEDDLE" check t.htr
    [[ "$output" == *"The recording does not say which reads events depend on"* ]]
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./cas_loop1
    run "$HEDDLE" check t.htr
    [[ "$output" == *"Not covered"* && "$output" != *"The recording does not say"* ]]
    run "$HEDDLE" record -q --grounds=maybe -o t.htr -- ./get_set1
    [ "$status" -eq 1 ]
    [[ "$output" == *"--grounds=maybe: expected on or off"* ]]
    run "$HEDDLE" run -q --grounds=maybe -o out -- ./get_set1
    [ "$status" -eq 1 ]
    [[ "$output" == *"--grounds=maybe: expected on, off or ignore"* ]]
    for how in on:true:null off:null:null ignore:true:true; do # in the trace, and dropped by the check
        "$HEDDLE" run -q --seed=1 --grounds="${how%%:*}" -o out -- ./get_set1 >/dev/null || [ $? -eq 2 ]
        [ "$("$HEDDLE" info --json out/trace.htr | jq 'if .grounds then true else null end'):$(jq 'if .options.grounds == "ignore" then true else null end' out/report.json)" = \
            "${how#*:}" ]
    done
}

@test "clang: no grounds, fewer findings, and the report and the doctor say so" {
    command -v clang >/dev/null || skip "clang is not installed"
    HEDDLE_CC=clang "$HEDDLE" cc -w "$PROGRAMS/grounds/get_set.c" -o clang
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./clang
    [ "$("$HEDDLE" convert t.htr - | grep -c '|by \|from ')" -eq 0 ]
    run "$HEDDLE" check -p deadlock,stuck,race,stale t.htr
    [[ "$output" == *"No problem predicted"*"The recording does not say which reads events depend on"* ]]
    run "$HEDDLE" doctor
    [[ "$output" == *"which reads events depend on; those built with clang lack the latter"* ]]
}

@test "two passes give the grounds of one" {
    for program in abba_counter get_set shop_two_sections cas_loop reference_count shared_account small_copy across_words; do
        "$HEDDLE" record -q --one-pass --seed=1 -o a.htr -- ./${program}1
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --two-pass --seed=1 -o b.htr -- ./${program}1
        "$HEDDLE" convert a.htr a.std
        "$HEDDLE" convert b.htr b.std
        cmp a.std b.std
    done
}

# random COUNT FIRST
random() {
    mkdir -p random
    PYTHONDONTWRITEBYTECODE=1 python3 "$SOURCE/tests/grounds/check_programs.py" "$HEDDLE" random "$1" "$2"
}

@test "random programs: threads do what was recorded as long as their grounds hold, and what findings claim can happen" {
    once
    random 30 1
}

@test "many random programs" {
    only_long
    once
    random 2000 10000
}
