#!/usr/bin/env bats
# heddle record --tool=valgrind: programs without hooks, what their traces hold, trouble.

load support

setup_file() {
    has_valgrind || return 0
    cd "$BATS_FILE_TMPDIR"
    for program in deadlock end spin signals two_processes; do
        gcc -O1 -g -w -pthread "$PROGRAMS/trouble/$program.c" -o $program
    done
    gcc -O0 -g -w -pthread "$PROGRAMS/trouble/callers.c" -o callers
    gcc -O1 -g -pthread "$PROGRAMS/work_queue.c" -o work_queue
    gcc -O1 -g -pthread "$PROGRAMS/account.c" -o account
}

setup() {
    needs_valgrind
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr
}

record() {
    "$HEDDLE" record --tool=valgrind "$@"
}

@test "a program without hooks that makes threads is recorded under Valgrind, with a note" {
    run "$HEDDLE" record -o t.htr -- ./account
    [ "$status" -eq 0 ]
    [[ "$output" == *"note: ./account is not instrumented; recording it under Valgrind"* ]]
    run "$HEDDLE" check t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"R1  Data race: T"*" deposit writes account.balance while T"*" deposit reads it"* ]]
    [[ "$output" == *"Note: recorded from a program that was not instrumented."* ]]
    "$HEDDLE" info t.htr | grep -q '^recorded by  Valgrind'
    "$HEDDLE" check --format=json -o t.json t.htr || true
    grep -q '"binary": true' t.json
    "$HEDDLE" verify t.htr t.json
}

@test "heddle run on a program without hooks: the reports say so, nobody is told to replay it" {
    run "$HEDDLE" run -o out -- ./account
    [ "$status" -eq 2 ]
    [[ "$output" == *"note: ./account is not instrumented; recording it under Valgrind"* ]]
    [[ "$output" == *"R1  Data race: "*"Next: make R1 happen: build the program with \`heddle cc\` or \`heddle c++\`, then"*"heddle run -- ./account"* ]]
    [[ "$output" != *"heddle replay"* ]]
    grep -q '"binary":true' out/report.html
    grep -q 'Recorded from a program that was not instrumented' out/report.sarif
    "$HEDDLE" report --format=sarif -o again.sarif out/report.json
    grep -q 'Recorded from a program that was not instrumented' again.sarif
    run "$HEDDLE" replay out/report.json R1 -- ./account
    [ "$status" -eq 1 ]
    [[ "$output" == *"was recorded from a program that is not instrumented"*"heddle cc"* ]]
    run "$HEDDLE" run --confirm -o out -- ./account
    [ "$status" -eq 1 ]
    [[ "$output" == *"run: --confirm needs an instrumented program"* ]]
}

@test "the recorder of hooks by choice" {
    run "$HEDDLE" record --tool=compiler -o t.htr -- ./account
    [ "$status" -eq 1 ]
    [[ "$output" == *"./account is not instrumented"*"--tool=valgrind"* ]]
    [ ! -e t.htr ]
}

@test "what Valgrind schedules itself cannot be asked for" {
    for option in --seed=1 --policy=pct --two-pass; do
        run record $option -o t.htr -- ./account
        [ "$status" -eq 1 ]
        [[ "$output" == *"record: ${option%=*} needs an instrumented program"* ]]
    done
    run "$HEDDLE" record --tool=magic -- ./account
    [ "$status" -eq 1 ]
    [[ "$output" == *"--tool: expected compiler or valgrind, not magic"* ]]
}

@test "exit status, output and input pass through" {
    cat >echo.c <<'END'
#include <stdio.h>
int main(int argc, char **argv)
{
    char line[64];
    while (fgets(line, sizeof line, stdin))
        fputs(line, stdout);
    fprintf(stderr, "%s\n", argv[1]);
    return argc + 40;
}
END
    gcc echo.c -o echo
    run sh -c 'printf "one\ntwo\n" | "$HEDDLE" record --tool=valgrind -q -o t.htr -- ./echo word 2>err'
    [ "$status" -eq 42 ]
    [ "$output" = "$(printf 'one\ntwo')" ]
    [ "$(cat err)" = word ]
}

@test "names: fields, heap blocks, places, values" {
    record -q -o t.htr -- ./work_queue
    "$HEDDLE" convert --grounds=drop t.htr t.std
    grep -q 'acq(queue.lock)|.*work_queue.c:[0-9]* take$' t.std
    grep -q 'r(queue.first=0x[0-9a-f]*)|.*work_queue.c:[0-9]* take$' t.std
    grep -q 'w(heap block of 16 bytes allocated at .*work_queue.c:[0-9]*\( #[0-9]*\)\? +8\( #[0-9]*\)\?=' t.std
    grep -q '^T1 work|' t.std
}

@test "LOCK-prefixed instructions are one event each; plain ones on the same word are atomic; so are atomic types" {
    cat >atomic.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static int word, lost;
static _Atomic int typed;
static struct { char pad; _Atomic long field[2]; } inner;
static void *change(void *unused)
{
    int expected = 100;
    __atomic_fetch_add(&word, 2, __ATOMIC_SEQ_CST);
    __atomic_store_n(&word, 7, __ATOMIC_RELEASE);
    __atomic_compare_exchange_n(&word, &expected, 9, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    atomic_store_explicit(&typed, __atomic_load_n(&word, __ATOMIC_ACQUIRE), memory_order_release);
    atomic_store_explicit(&inner.field[1], 3, memory_order_release);
    __sync_synchronize();
    __asm__ volatile("mfence");
    lost++;
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, change, 0);
    pthread_create(&two, 0, change, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
END
    for level in -O0 -O2; do
        gcc -g $level -pthread atomic.c -o atomic
        record -q -o t.htr -- ./atomic
        "$HEDDLE" convert --grounds=drop t.htr t.std
        [ "$(grep -c '^T[12] change|rmw' t.std)" -eq 2 ]
        grep -q '^T[12] change|rmw.sc(word=2)|atomic.c:9 change' t.std
        grep -q '^T[12] change|aw.rel(word=7)|atomic.c:10 change' t.std
        grep -q '^T[12] change|ar.sc(word=7)|atomic.c:11 change' t.std
        grep -q '^T[12] change|ar.acq(word=7)|atomic.c:12 change' t.std
        grep -q '^T[12] change|aw.rel(typed=7)|atomic.c:12 change' t.std
        grep -q '^T[12] change|aw.rel(inner.field\[1\]=3)|atomic.c:13 change' t.std
        grep -q '^T[12] change|fence.sc|atomic.c:15 change' t.std
        grep -q '^T[12] change|w(lost=1)|atomic.c:16 change' t.std
        "$HEDDLE" check --property=race t.htr >t.txt || true
        grep -q '^R1 .* lost' t.txt
        ! grep -q '^R2' t.txt
    done
}

@test "a sequentially consistent store is one, an exchange whose result is used is not" {
    cat >store.c <<'END'
#include <pthread.h>
#include <stdatomic.h>
static atomic_int flag;
int got;
static void *set(void *unused)
{
    atomic_store(&flag, 1);
    got = atomic_exchange(&flag, 2);
    return unused;
}
int main(void)
{
    pthread_t one, two;
    pthread_create(&one, 0, set, 0);
    pthread_create(&two, 0, set, 0);
    pthread_join(one, 0);
    pthread_join(two, 0);
    return 0;
}
END
    gcc -g -O2 -pthread store.c -o store
    record -q -o t.htr -- ./store
    "$HEDDLE" convert --grounds=drop t.htr t.std
    grep -q '^T1 set|aw.sc(flag=1)|store.c:7 set' t.std
    grep -q '^T1 set|rmw.sc(flag=2)|store.c:8 set' t.std
}

@test "atomic variables on the heap, by the C++ library's header" {
    cat >heap.cpp <<'END'
#include <atomic>
#include <memory>
#include <thread>
struct box { int pad; std::atomic<int> ready{0}; int data; };
int main()
{
    auto b = std::make_unique<box>();
    std::thread t([&] { b->data = 1; b->ready.store(1, std::memory_order_release); });
    while (!b->ready.load(std::memory_order_acquire))
        std::this_thread::yield();
    int seen = b->data;
    t.join();
    return seen - 1;
}
END
    for level in -O0 -O2; do
        g++ -std=c++17 -g $level -pthread heap.cpp -o heap
        record -q -o t.htr -- ./heap
        run "$HEDDLE" check --property=race,unordered t.htr
        echo "$output"
        [ "$status" -eq 0 ]
    done
}

@test "an atomic variable that nothing tells from a plain one is noted" {
    cat >unknown.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int *flag;
static void *set(void *unused)
{
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    return unused;
}
int main(void)
{
    pthread_t one;
    flag = malloc(sizeof *flag);
    pthread_create(&one, 0, set, 0);
    int seen = __atomic_load_n(flag, __ATOMIC_ACQUIRE);
    pthread_join(one, 0);
    return seen & 0;
}
END
    gcc -g -pthread unknown.c -o unknown
    run record -o t.htr -- ./unknown
    [ "$status" -eq 0 ]
    [[ "$output" == *"look like plain accesses; 1 shared variables may be atomic in the source, the first: "* ]]
}

@test "without debug information: functions and offsets" {
    gcc -O1 -pthread "$PROGRAMS/account.c" -o bare
    strip bare
    record -q -o t.htr -- ./bare
    run "$HEDDLE" check --property=race t.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"bare+0x"* ]]
}

@test "memory functions are accesses of their caller, without their neighbours" {
    cat >copy.c <<'END'
#include <pthread.h>
#include <string.h>
static char from[64] = "some words", to[64];
static size_t length;
static void *copy(void *unused)
{
    memcpy(to, from, 11);
    length = strlen(to);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, copy, 0);
    to[11] = 'x';
    to[40] = 'y';
    pthread_join(thread, 0);
    return length != 10 || to[0] != 's';
}
END
    gcc -O0 -fno-builtin -g -pthread copy.c -o copy
    record -q -o t.htr -- ./copy
    "$HEDDLE" convert --grounds=drop t.htr t.std
    grep -q '^T1 copy|w(to.*|copy.c:7 copy' t.std
    run "$HEDDLE" check --property=race t.htr
    echo "$output"
    [ "$status" -eq 0 ]
}

@test "library functions touch memory for their caller: formats, searches, sorting, streams" {
    cat >library.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char text[64] = "17 words", line[64];
static int number, list[4] = {5, 3, 1, 4};
static char *copy;
static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static void *work(void *unused)
{
    sscanf(text, "%d", &number);
    qsort(list, 4, sizeof *list, compare);
    copy = strdup(text);
    return fgets(line, sizeof line, stdin) ? unused : unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    snprintf(text, sizeof text, "%d apples", 3);
    number = 2;
    list[3] = 4;
    fputs(line, stderr);
    pthread_join(thread, 0);
    printf("%s %d\n", copy, number);
    return 0;
}
END
    gcc -O0 -g -pthread library.c -o library
    echo words | record -q -o t.htr -- ./library
    "$HEDDLE" convert --grounds=drop t.htr t.std
    grep -q '^T1 work|r(text.*|library.c:14 work' t.std
    grep -q '^T1 work|w(number)|library.c:14 work' t.std
    grep -q '^T1 work|w(list.*|library.c:15 work' t.std
    grep -q '^T1 work|r(text.*|library.c:16 work' t.std
    grep -q '^T1 work|w(copy\[0\].*|library.c:16 work' t.std
    grep -q '^T1 work|w(line.*|library.c:17 work' t.std
    grep -q '^main|w(text.*|library.c:23 main' t.std
    grep -q '^main|r(line.*|library.c:26 main' t.std
    grep -q '^main|r(copy\[0\].*|library.c:28 main' t.std
    [ "$(grep -c _rtld t.std)" -le 2 ] # the exit of the program, not our own lookups
    "$HEDDLE" check --property=race t.htr >t.txt || true
    for name in text number list line; do
        grep -q "^R[0-9]* .* $name" t.txt
    done
    ! grep -q '^R[0-9]* .* copy' t.txt
}

# read_stacks: the events with their stacks, without their grounds, in stacks.txt
read_stacks() {
    python3 "$BATS_TEST_DIRNAME/read_htr.py" --stacks t.htr |
        sed -E 's/\|(by [^ ]+)?( ?from [^ ]+)?( <|$)/\3/' >stacks.txt
}

# stack FUNCTION: the functions that called it, as the trace tells it, the innermost first; one line for each way
stack() {
    sed -n "s/.* $1 < //p; s/.* $1\$/nobody/p" stacks.txt | sed 's/[^ ]*:[0-9]* //g' | sort -u
}

# without_stacks IN OUT: a native trace without its blocks of stacks
without_stacks() {
    python3 - "$@" <<'END'
import sys
data = open(sys.argv[1], "rb").read()
kept, at = data[:16], 16
while at < len(data):
    end = at + 32 + int.from_bytes(data[at + 8:at + 12], "little")
    kept += data[at:end] if data[at] != 6 else b""
    at = end
open(sys.argv[2], "wb").write(kept)
END
}

@test "who called: each path to a function, its recursion once, whatever calls it" {
    run record -q -o t.htr -- ./callers
    [ "$status" -eq 0 ]
    read_stacks
    cat stacks.txt
    [ "$(stack touch)" = "$(printf 'again < again < right\nonce < left')" ]
    [ "$(stack after_jump)" = "odd_ways < left" ]
    [ "$(stack compare)" = "sort < odd_ways < left" ]
    [ "$(stack after_library_call)" = "odd_ways < left" ]
    # By a signal; on another stack nothing is known.
    [ "$(stack handler)" = "$(printf 'nobody\nodd_ways < left')" ]
    [ "$(stack in_away)" = nobody ]
    # main has no callers; a call of the thread library is where main is, not who calls it.
    [ "$(grep '^main|' stacks.txt | grep -c ' < ')" -eq 0 ]
    [ "$(grep -c '^main|fork(T[12] [a-z]*)|[^ ]* main$' stacks.txt)" -eq 2 ]
}

@test "who called: in all reports of a finding, which stay what they are otherwise" {
    run record -q -o t.htr -- ./callers
    [ "$status" -eq 0 ]
    run "$HEDDLE" check t.htr
    [ "$status" -eq 2 ]
    # Who comes first is for Valgrind to say.
    [[ "$output" == *" at "*"callers.c:"*" touch (event "*")
      called from "*"callers.c:"*" once
             from "*"callers.c:"*" left
"* ]]
    [[ "$output" == *"    T2 right "*" at "*" touch (event "*")
      called from "*" again
             from "*" again
             from "*" right
"* ]]
    "$HEDDLE" info t.htr | grep -q '^stacks       recorded$'
    "$HEDDLE" check --format=json -o with.json t.htr || true
    grep -q '"callers": \[.*\["[^"]* once", "[^"]* left"\]' with.json
    grep -q '"callers": \[.*\["[^"]* again", "[^"]* again", "[^"]* right"\]' with.json
    "$HEDDLE" verify t.htr with.json
    "$HEDDLE" check --format=html t.htr | grep -q '^"stacks":{.*[0-9]* once"'
    # The same findings, fingerprints and schedules without them.
    without_stacks t.htr plain.htr
    "$HEDDLE" check --format=json -o without.json plain.htr || true
    [ "$(grep -c '"callers": ' with.json)" -ge 1 ]
    [ "$(grep -c '"callers": ' without.json)" -eq 0 ]
    cmp <(sed 's/, "callers": \[\(\[[^]]*\]\(, \)*\)*\]//' with.json | grep '"id"') <(grep '"id"' without.json)
    cmp <("$HEDDLE" check t.htr | grep -v '^ *\(called\|      \) from \|^t.htr\|t.htr') \
        <("$HEDDLE" check plain.htr | grep -v '^plain.htr\|plain.htr')
    cmp <("$HEDDLE" convert t.htr -) <("$HEDDLE" convert plain.htr -)
    # Native files keep them, unless places are left out.
    "$HEDDLE" convert t.htr again.htr
    "$HEDDLE" check --format=json again.htr | grep '"id"' | cmp - <(grep '"id"' with.json)
    "$HEDDLE" convert --without=locations t.htr again.htr
    [ "$("$HEDDLE" info again.htr | grep -c stacks)" -eq 0 ]
}

@test "who called: known when the program is killed" {
    run record -q -o t.htr -- ./callers kill
    [ "$status" -eq 137 ]
    read_stacks
    [ "$(stack touch)" = "$(printf 'again < again < right\nonce < left')" ]
}

@test "who called: functions that were inlined count" {
    cat >inlined.c <<'END'
#include <pthread.h>
static int counter;
static inline __attribute__((always_inline)) void touch(void)
{
    counter++;
}
static inline __attribute__((always_inline)) void middle(void)
{
    touch();
}
static __attribute__((noinline)) void outer(void)
{
    middle();
}
static void *work(void *unused)
{
    outer();
    return unused;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return counter != 2;
}
END
    for level in -O0 -O2; do
        gcc $level -g -pthread inlined.c -o inlined
        record -q -o t.htr -- ./inlined
        read_stacks
        cat stacks.txt
        grep -q '(counter=[01])|inlined.c:5 touch < inlined.c:9 middle < inlined.c:13 outer' stacks.txt
    done
}

@test "a deadlock: the cycle, status 2" {
    run timeout 60 "$HEDDLE" record --tool=valgrind -o t.htr -- ./deadlock
    [ "$status" -eq 2 ]
    [[ "$output" == *"main waits for lock b, which T1 other holds, at "*"deadlock.c:23 main"* ]]
    [[ "$output" == *"T1 other waits for lock a, which main holds, at "*"deadlock.c:11 other"* ]]
    [ "$(events t.htr)" -ge 3 ]
}

@test "a thread that still runs when the process ends has no end of its own, one that returned has" {
    cat >killed.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t ready, never;
static int count;
static void *holds(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    sem_post(&ready);
    sem_wait(&never);
    return unused;
}
static void *returns(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, returns, NULL);
    pthread_join(one, NULL);
    pthread_create(&other, NULL, holds, NULL);
    sem_wait(&ready);
    return 0;
}
END
    gcc -g -pthread killed.c -o killed
    record -q -o t.htr -- ./killed
    [ "$("$HEDDLE" convert t.htr - | grep '|exit|')" = "T1 returns|exit||by -" ]
}

@test "a thread that is joined before it begins, and never ends" {
    cat >early_join.c <<'END'
#include <pthread.h>
#include <semaphore.h>
static sem_t never;
static void *waits(void *unused)
{
    sem_wait(&never);
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL);
    return pthread_join(thread, NULL);
}
END
    gcc -g -pthread early_join.c -o early_join
    for i in 1 2 3; do
        run record --timeout=20 -o t.htr -- ./early_join
        [ "$status" -eq 2 ]
        [[ "$output" == *"main joins T1 waits, at early_join.c:"* ]]
    done
}

@test "however the program ends, the trace is there" {
    for end in exit:6 _exit:7 abort:134 crash:139 kill:137 exec:9 fork:11; do
        rm -f t.htr
        run record -o t.htr -- ./end "${end%:*}"
        echo "$end: $status $output"
        [ "$status" -eq "${end#*:}" ]
        [ "$(events t.htr)" -ge 1 ]
        [ $end != exec:9 ] || [[ "$output" == *"the program called exec; the new program "*"/sh was not recorded"* ]]
    done
    [[ "$output" == *"1 child process"*"not recorded"* ]]
}

@test "order by files, names of files and the environment is seen" {
    gcc -g -O1 "$PROGRAMS/trouble/unseen_order.c" -o unseen_order -pthread
    for way in content folder environment spelling at moved stream size clear flock closed fcntl; do
        "$HEDDLE" record --tool=valgrind -q -o t.htr -- ./unseen_order $way </dev/null
        "$HEDDLE" check --property=race,unordered t.htr
    done
}

@test "waits that are ended from outside: input, a signal handler, another process" {
    run sh -c '{ sleep 0.3; echo; } | timeout 60 "$HEDDLE" record --tool=valgrind -q -o t.htr -- ./spin input'
    [ "$status" -eq 0 ]
    run timeout 60 "$HEDDLE" record --tool=valgrind -q -o t.htr -- ./signals
    [ "$status" -eq 0 ]
    [ "$output" = 1 ]
    run timeout 60 "$HEDDLE" record --tool=valgrind -q -o t.htr -- ./two_processes
    [ "$status" -eq 0 ]
    [ "$output" = both ]
}

@test "a program that never ends is ended, and what it does is named" {
    for seconds in 3 30; do # the longer one where the machine is too busy to reach main in the shorter one
        run timeout 90 "$HEDDLE" record --tool=valgrind --timeout=$seconds -o t.htr -- ./spin forever
        [ "$status" -eq 137 ]
        [[ "$output" == *"ended after $seconds second"* ]]
        [[ "$output" == *"last seen at its start"* ]] || break
    done
    # Valgrind may be between two turns of the one thread there is.
    [[ "$output" =~ "main "(has the turn|waits for its turn)", last seen at "[^$'\n']*"spin.c:" ]]
}

@test "a library loaded on the way" {
    gcc -g -fPIC -shared "$PROGRAMS/trouble/plug.c" -o plug.so
    gcc -g "$PROGRAMS/trouble/load.c" -o load -pthread
    record -q -o t.htr -- ./load
    "$HEDDLE" convert t.htr - | grep -q 'w(value=2)|.*plug.c:8 plug'
}

@test "no such program, a static one" {
    run record -o t.htr -- ./nowhere
    [ "$status" -eq 1 ]
    [[ "$output" == *"./nowhere"*"cannot be run: No such file"* ]]
    printf 'int main(void) { return 0; }\n' >empty.c
    gcc -static empty.c -o static || skip "no static C library"
    run record -o t.htr -- ./static
    [ "$status" -eq 1 ]
    [[ "$output" == *"./static is linked statically"* ]]
}

@test "the end of a function is a write to threads that know its variables" {
    cd "$BATS_TEST_TMPDIR"
    for level in 0 2; do
        gcc -g -O$level "$PROGRAMS/frames/left_scope.c" -o left -pthread
        g++ -g -O$level "$PROGRAMS/frames/parameter_ends.cpp" -o ends -pthread
        gcc -g -O$level "$PROGRAMS/frames/sized_at_run_time.c" -o sized -pthread
        for program in left ends "sized array" "sized memory"; do
            "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./$program >out
            run "$HEDDLE" check --property=race t.htr
            echo "-O$level, $program: $output"
            [ "$status" -eq 2 ]
            [[ "$output" == *"Data race: "*"main frees "*"start"*" (event "* ]]
        done
    done
}

# Local variables that are used again after their end: none of them had one.
@test "other stacks that lie in a frame, and jumps, end nothing" {
    cd "$BATS_TEST_TMPDIR"
    for level in 0 2; do
        gcc -g -O$level "$PROGRAMS/kept_stacks.c" -o stacks -pthread
        g++ -g -O$level "$PROGRAMS/kept_frames.cpp" -o frames -pthread
        for program in stacks frames; do
            "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./$program >out
            "$HEDDLE" check --property=race,unordered t.htr
            "$HEDDLE" convert t.htr t.std
            grep -q '^#free' t.std
            awk -F'|' '/^#free/ { freed[$0] = 1; next } /^#/ { next } { split($2, name, "[(=)]"); event++ }
                name[1] ~ /^(r|ar)/ && name[2] in gone { print event ": " $0; found = 1 }
                { delete gone[name[2]] } ("#free " event) in freed { gone[name[2]] = 1 }
                END { exit found }' <(grep '^#free' t.std) <(grep -v '^#free' t.std)
        done
    done
}

@test "a flag that is stored by xchg is atomic, also in a local variable that has no name" {
    cd "$BATS_TEST_TMPDIR"
    gcc -g -O2 -fno-omit-frame-pointer "$PROGRAMS/kept_scope.c" -o kept -pthread
    objdump -d kept --disassemble=set | grep -q xchg || skip "this compiler stores in another way"
    "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./kept >out
    "$HEDDLE" check --property=race,unordered t.htr
}
