#!/usr/bin/env bats
# Hooks in the place of calls (gcc/hooks_in_place.cc): the code around them keeps its registers, and is found by who looks for it.

load support

setup() {
    cd "$BATS_TEST_TMPDIR"
    export HEDDLE_NO_TRIAL=1
    [ "$(uname -m)" = x86_64 ] || skip "hooks are in place on x86-64 alone"
    [ -e "$(dirname "$HEDDLE")/runtime/heddle_gcc.so" ] || skip "no plugin for this gcc"
    unset HEDDLE_CC HEDDLE_CXX
}

# Sums that no compiler keeps in memory while it reads what others write, with the widths that a processor may have.
@test "registers of vectors, of x87 and flags are kept while a thread waits in a hook" {
    cat >sums.c <<'C'
#include <immintrin.h>
#include <pthread.h>
#include <stdio.h>
enum { CELLS = 64, ROUNDS = 400 };
static float cells[CELLS];
static volatile int shared, gate = 1;
static long own[2];
static __attribute__((noinline)) double plain(int which)
{
    __m128 a = _mm_set_ps(1, 2, 3, 4), b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        float x = cells[i % CELLS];
        if (gate)
            a = _mm_add_ps(a, _mm_set1_ps(x)), b = _mm_sub_ps(b, a), c = _mm_max_ps(c, b), d = _mm_add_ps(d, c);
        shared = i;
        e = _mm_add_ps(e, _mm_set1_ps((float)i)), f = _mm_sub_ps(f, e), g = _mm_min_ps(g, f), h = _mm_add_ps(h, g);
        own[which] += shared >= 0;
        sum += 0.5;
    }
    a = _mm_add_ps(_mm_add_ps(_mm_add_ps(a, b), _mm_add_ps(c, d)), _mm_add_ps(_mm_add_ps(e, f), _mm_add_ps(g, h)));
    return sum + a[0] + a[1] + a[2] + a[3];
}
static __attribute__((noinline, target("avx2"))) double wide(int which)
{
    __m256d a = _mm256_set_pd(1, 2, 3, 4), b = a;
    for (int i = 0; i < ROUNDS; i++) {
        a = _mm256_add_pd(a, _mm256_set1_pd(cells[i % CELLS]));
        shared = i;
        b = _mm256_add_pd(b, a);
        own[which] += shared >= 0;
    }
    a = _mm256_add_pd(a, b);
    return a[0] + a[1] + a[2] + a[3];
}
static __attribute__((noinline)) long double extended(int which)
{
    long double a = 1, b = 2, c = 3, d = 4;
    for (int i = 0; i < ROUNDS; i++) {
        a += cells[i % CELLS], b += a, c -= b;
        shared = i;
        d += c;
        own[which] += shared >= 0;
    }
    return a + b + c + d;
}
static double told[2][3];
static void *work(void *p)
{
    int which = (int)(long)p;
    told[which][0] = plain(which);
    told[which][1] = __builtin_cpu_supports("avx2") ? wide(which) : 0;
    told[which][2] = (double)extended(which);
    return 0;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < CELLS; i++)
        cells[i] = (float)i / 7;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    for (int i = 0; i < 2; i++)
        printf("%a %a %a %ld\n", told[i][0], told[i][1], told[i][2], own[i]);
    return 0;
}
C
    for level in -O1 -O2 -O3; do
        gcc $level -w sums.c -o native -lpthread
        ./native >expected
        "$HEDDLE" cc $level -w sums.c -o sums -lpthread
        for passes in one two; do
            for seed in 1 2; do
                "$HEDDLE" record -q --$passes-pass --seed=$seed -o sums.htr -- ./sums >output
                cmp expected output
            done
        done
    done
}

# What keeps no registers of vectors must not use any, nor call what might.
@test "what hooks in place call without keeping vectors uses none" {
    objects=$(dirname "$HEDDLE")/runtime/CMakeFiles/heddle-rt.dir
    [ -e "$objects/in_place.c.o" ] || skip "the objects of the runtime are not here"
    for object in grounds/decisions grounds/taint; do
        run objdump -d "$objects/$object.c.o"
        [ "$status" -eq 0 ]
        [[ "$output" != *mm[0-9]* ]]
    done
    for object in in_place grounds/decisions grounds/taint; do
        nm "$objects/$object.c.o"
    done | awk '$1 == "U" { wanted[$2] } NF == 3 && $2 ~ /[TtBbDd]/ { known[$3] }
        END { for (name in wanted) if (!(name in known)) print name }' | sort >outside
    # what thunks call, words, and the end of the program
    diff outside - <<'END'
_GLOBAL_OFFSET_TABLE_
heddle_hot_1
heddle_labelled_read_1
heddle_labelled_write_1
invariant_broken
local
log_next_chunk
rt
system_map
END
    objdump -d "$objects/in_place.c.o" | awk '/>:$/ { name = $2 } /mm[0-9]/ && name !~ /<kept_/ { print name; found = 1 } END { exit found }'
}

# Calls at -O0 and with long doubles, code in place otherwise.
@test "objects with calls of hooks and with hooks in place make one program, and the same trace in one pass and in two" {
    cat >one.c <<'C'
extern int shared, own[2][8];
void one(int which) { for (int i = 0; i < 8; i++) own[which][i] += shared, shared++; }
C
    sed 's/void one/void two/' one.c >two.c
    cat >main.c <<'C'
#include <pthread.h>
int shared, own[2][8];
void one(int), two(int);
static void *work(void *p) { for (int i = 0; i < 20; i++) one(p != 0), two(p != 0); return 0; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, &t), work(0), pthread_join(t, 0);
    return 0;
}
C
    "$HEDDLE" cc -O2 -c one.c
    "$HEDDLE" cc -O0 -c two.c
    nm one.o | grep -q ' U heddle_placed_read4_1'
    nm two.o | grep -q ' U heddle_label_read4_1'
    ! nm two.o | grep -q heddle_placed
    "$HEDDLE" cc -O2 main.c one.o two.o -o mixed -lpthread
    for seed in 1 2 3; do
        "$HEDDLE" record -q --one-pass --seed=$seed -o a.htr -- ./mixed
        "$HEDDLE" record -q --two-pass --seed=$seed -o b.htr -- ./mixed
        "$HEDDLE" convert a.htr a.std
        "$HEDDLE" convert b.htr b.std
        cmp a.std b.std
    done
    grep -q 'one.c:2' a.std
    grep -q 'two.c:2' a.std
}

@test "stacks and cancellation pass through a hook in place" {
    cat >cancelled.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int cells[16];
static volatile int begun;
static int cleaned;
static void clean(void *p) { cleaned = *(int *)p; }
static __attribute__((noinline)) void leaf(int i) { cells[i & 15] += i; }
static __attribute__((noinline)) void spin(void) { for (int i = 0;; i++) leaf(i), begun = 1; }
static void *work(void *p)
{
    int kept = 7;
    pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, 0);
    pthread_cleanup_push(clean, &kept);
    spin();
    pthread_cleanup_pop(0);
    return p;
}
int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, 0, work, 0);
    while (!begun)
        ;
    leaf(3);
    pthread_cancel(t);
    pthread_join(t, &result);
    printf("%d %d\n", cleaned, result == PTHREAD_CANCELED);
    return 0;
}
C
    "$HEDDLE" cc -O2 cancelled.c -o cancelled -lpthread
    for seed in 1 2 3; do
        "$HEDDLE" record -q --one-pass --seed=$seed -o c.htr -- ./cancelled >output
        [ "$(cat output)" = "7 1" ]
    done
    "$HEDDLE" check --property=race c.htr >told || true
    cat told
    grep -q 'main at .*called from\|leaf' told
}

# A register that held where a thread's words are would be the old thread's after the switch: its marks would hide the new one.
@test "a stack that goes on in another thread counts as that one" {
    cat >moved.c <<'C'
#include <pthread.h>
#include <ucontext.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t fiber, home[2];
static char stack[1 << 18];
static int cells[64], busy, at;
static long own[2][1024];
static __attribute__((noinline)) void yield(void) { swapcontext(&fiber, &home[at]); }
static void body(void)
{
    for (int round = 0;; round++) {
        for (int i = 0; i < 64; i++)
            cells[i] += round;
        yield();
    }
}
static void *work(void *p)
{
    int self = p != 0;
    for (int round = 0; round < 40; round++) {
        pthread_mutex_lock(&lock);
        int got = !busy && ((round == 0 && self == 0) || (round == 15 && self == 1));
        busy = got;
        pthread_mutex_unlock(&lock);
        if (got) {
            at = self;
            swapcontext(&home[self], &fiber);
            pthread_mutex_lock(&lock);
            busy = 0;
            pthread_mutex_unlock(&lock);
        }
        for (int i = 0; i < 20 * 1024; i++)
            own[self][i % 1024] += i;
    }
    return 0;
}
int main(void)
{
    pthread_t t, u;
    getcontext(&fiber);
    fiber.uc_stack.ss_sp = stack;
    fiber.uc_stack.ss_size = sizeof stack;
    makecontext(&fiber, body, 0);
    pthread_create(&t, 0, work, 0);
    pthread_create(&u, 0, work, &u);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}
C
    "$HEDDLE" cc -O2 moved.c -o moved -lpthread
    for seed in 1 2 3 4 5 6; do
        "$HEDDLE" record -q --one-pass --seed=$seed -o a.htr -- ./moved
        "$HEDDLE" record -q --two-pass --seed=$seed -o b.htr -- ./moved
        "$HEDDLE" convert a.htr a.std
        "$HEDDLE" convert b.htr b.std
        cmp a.std b.std
    done
}
