#!/usr/bin/env bats
# Calls under way at events, and names by types: what the compiler recorder says of who did what.

bats_require_minimum_version 1.5.0

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    cat >calls.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static int shared;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void touch(int by) { shared += by; }
__attribute__((noinline)) static void early(int by) { touch(by); __asm__(""); }
__attribute__((noinline)) static void late(int by) { touch(by); __asm__(""); }
__attribute__((noinline)) static void locked(void) { pthread_mutex_lock(&lock); early(1); pthread_mutex_unlock(&lock); }
static int compare(const void *a, const void *b) { shared++; return *(const int *)a - *(const int *)b; }
static void *work(void *unused)
{
    int list[] = {2, 1};
    early(1);
    late(2);
    locked();
    qsort(list, 2, sizeof *list, compare);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}
C
    "$HEDDLE" cc -g -O1 calls.c -o calls
    "$HEDDLE" record -q --seed=1 -o calls.htr -- ./calls
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "both accesses of a race say who called" {
    run "$HEDDLE" check -p race --all calls.htr
    [ "$status" -eq 2 ]
    grep -q "^      called from calls.c:6 early$" <<<"$output"
    grep -q "^      called from calls.c:7 late$" <<<"$output"
    grep -A1 "called from calls.c:6 early" <<<"$output" | grep -q "from calls.c:\(8 locked\|13 work\)$"
    ! grep -A1 "called from calls.c:7 late" <<<"$output" | grep locked
}

@test "without stacks there are none" {
    "$HEDDLE" record -q --seed=1 --stacks=off -o none.htr -- ./calls
    run "$HEDDLE" check -p race --all none.htr
    [[ "$output" != *"called from calls.c:7"* ]]
    run "$HEDDLE" record --stacks=perhaps -- ./calls
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: record: --stacks=perhaps: on or off?" ]
    diff <("$HEDDLE" convert none.htr -) <("$HEDDLE" convert calls.htr -) # the events are the same
}

@test "code without frame pointers ends a stack, and makes none up" {
    "$HEDDLE" cc -g -O2 -fomit-frame-pointer calls.c -o bare
    "$HEDDLE" record -q --seed=1 -o bare.htr -- ./bare
    run "$HEDDLE" check -p race --all bare.htr
    [ "$status" -eq 2 ]
    [[ "$output" != *"called from"* ]]
}

@test "a function that was left by a jump is not under way any more" {
    cat >jump.c <<'C'
#include <pthread.h>
#include <setjmp.h>
static int shared;
static jmp_buf back[2];
__attribute__((noinline)) static void out(int me) { longjmp(back[me], 1); }
__attribute__((noinline)) static void deep(int me) { out(me); __asm__(""); }
__attribute__((noinline)) static void after(void) { shared++; __asm__(""); }
static void *work(void *me)
{
    if (setjmp(back[me != NULL]) == 0)
        deep(me != NULL);
    after();
    return NULL;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &a);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
C
    "$HEDDLE" cc -g -O0 jump.c -o jump
    "$HEDDLE" record -q --seed=1 -o jump.htr -- ./jump
    run "$HEDDLE" check -p race jump.htr
    [ "$status" -eq 2 ]
    [[ "$output" == *"called from jump.c:12 work"* ]]
    [[ "$output" != *deep* ]]
}

@test "members of heap objects, locks and lambdas by the names people wrote" {
    for level in -O0 -O2; do
        "$HEDDLE" c++ -g $level "$PROGRAMS/pool_names.cpp" -o pool
        "$HEDDLE" record -q --seed=1 -o pool.htr -- ./pool
        "$HEDDLE" convert --grounds=drop pool.htr pool.std
        for name in 'w(Pool::tasks_\[2\].state=busy)' 'w(Account::balance_=[123])' 'w(Pool::arr_\[1\]=[123])' 'acq(Pool::mutex_)' \
            'notifyall(Pool::cv_)' 'w(Pool::own_->balance_=-[123])' 'w(Pool::count_=2)' \
            'w(tree node allocated at .*pool_names.cpp:[0-9]*: second=[12])'; do
            grep -q "|$name|" pool.std || { echo "$level: no $name"; false; }
        done
        grep -q '^T1 main::<lambda>|' pool.std
        grep -q 'pool_names.cpp:[0-9]* main::<lambda()>' pool.std
        run "$HEDDLE" check pool.htr
        [[ "$output" != */usr/include* ]]
        # the read that decides first, the library's bookkeeping last
        grep -A1 "^Notes, order-dependent reads" <<<"$output" | grep -q "^  Pool::count_  N1.*; decides whether "
        ! grep "_M_.*N1[,:;]" <<<"$output"
    done
}

@test "blocks by the variables that point to them, containers by their own names, threads by what they run" {
    cat >shapes.cpp <<'C'
#include <cstdio>
#include <deque>
#include <iterator>
#include <mutex>
#include <thread>
#include <vector>

struct Task { int state, turns; };
struct Pool { Task *tasks = new Task[4](); std::deque<int> jobs; std::mutex mutexes[3]; };
struct Adder {
    int &sum;
    void operator()() const { sum++; }
};
static int total;

template <class Iterator> void add(Iterator from, Iterator to)
{
    for (; from != to; ++from)
        total += *from;
}

int main()
{
    Pool *pool = new Pool;
    int *raw = new int[8](), sum = 0;
    std::vector<int> numbers(8), some{1, 2};
    auto body = [&](int k) {
        pool->tasks[2].state = k;
        raw[5] = k;
        numbers[6] = k;
        pool->jobs.push_back(k);
    };
    std::thread a(body, 1), b(body, -2);
    std::thread c(Adder{sum}), d(Adder{sum});
    std::thread e(add<std::reverse_iterator<std::vector<int>::iterator>>, some.rbegin(), some.rend());
    std::thread f([&] {
        std::lock_guard<std::mutex> one(pool->mutexes[0]);
        std::lock_guard<std::mutex> two(pool->mutexes[1]);
    });
    std::thread g([&] {
        std::lock_guard<std::mutex> one(pool->mutexes[1]);
        std::lock_guard<std::mutex> two(pool->mutexes[0]);
    });
    std::thread h([&] {
        std::lock_guard<std::mutex> one(pool->mutexes[2]);
        std::lock_guard<std::mutex> two(pool->mutexes[0]);
    });
    std::thread i([&] {
        std::lock_guard<std::mutex> one(pool->mutexes[0]);
        std::lock_guard<std::mutex> two(pool->mutexes[2]);
    });
    for (std::thread *t : {&a, &b, &c, &d, &e, &f, &g, &h, &i})
        t->join();
    printf("%d\n", total);
}
C
    for level in -O0 -O2; do
        "$HEDDLE" c++ -g $level shapes.cpp -o shapes
        run "$HEDDLE" run -p race,deadlock --seed=2 -o out ./shapes
        [ "$status" -eq 2 ]
        for name in 'Pool::tasks[2].state' 'main: raw[5]' 'main: numbers[6]' 'Pool::jobs' 'main: sum'; do
            grep -qF "writes $name while" <<<"$output" || { echo "$level: no $name"; echo "$output"; false; }
        done
        "$HEDDLE" convert out/trace.htr - >t.std
        [ "$(cut -d'|' -f1 t.std | grep '^T' | sort -u | tr '\n' ,)" = \
            "T1 main::<lambda>,T2 main::<lambda>,T3 Adder,T4 Adder,T5 add<...>,T6 main::<lambda>,T7 main::<lambda>,T8 main::<lambda>,T9 main::<lambda>," ]
        # Two deadlocks on four lines are two findings, also where the locks are taken in a header.
        [ "$(grep -c '^L[0-9]  Deadlock' <<<"$output")" -eq 2 ]
    done
}

@test "threads by the names that the program gives them" {
    cat >named.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
static int shared;
static void *work(void *name) { pthread_setname_np(pthread_self(), name); shared++; return NULL; }
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, "reader");
    pthread_create(&b, NULL, work, "writer (2)");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
C
    "$HEDDLE" cc -g named.c -o named
    for passes in one two; do
        "$HEDDLE" record -q --seed=1 --$passes-pass -o named.htr -- ./named
        "$HEDDLE" convert --grounds=drop named.htr - | grep -q '^T1 reader|w(shared='
        "$HEDDLE" convert --grounds=drop named.htr - | grep -q '^main|fork(T2 writer \[2\])'
    done
}
