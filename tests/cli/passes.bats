#!/usr/bin/env bats
# heddle record --two-pass: threads run ahead of their turn, and the trace is that of one pass all the same.

setup() {
    cd "$BATS_TEST_TMPDIR"
    export HEDDLE_NO_TRIAL=1 # in all runs: what is in the environment moves the stack
}

# same PROGRAM SEED: two passes without a trial give the events of one pass
same() {
    "$HEDDLE" record -q --one-pass --seed="$2" -o a.htr -- "./$1" >/dev/null || true
    "$HEDDLE" record -q --two-pass --seed="$2" -o b.htr -- "./$1" >/dev/null || true
    "$HEDDLE" convert a.htr a.std
    "$HEDDLE" convert b.htr b.std
    cmp a.std b.std
}

@test "racy, locked, atomic, waiting, allocating programs: the events of one pass" {
    for program in account quicksort spinlock_atomic philosophers bounded_buffer heap_reuse replaced_blocks seqlock timed_wait; do
        "$HEDDLE" cc -O2 -w "$PROGRAMS/$program.c" -o $program
        for seed in 1 2 3; do
            same $program $seed
        done
    done
    "$HEDDLE" c++ -O2 -w "$PROGRAMS/shared_pointer.cpp" -o shared_pointer
    same shared_pointer 1
}

# An access that reaches into the next word is no access to the first alone, even where that is known to be private.
@test "accesses of all sizes, aligned or across two words, with labels or without: the events of one pass" {
    cat >sizes.c <<'END'
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
static _Alignas(8) char rows[2][64];
static int choice = 1, total;
static jmp_buf back;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define FUNCTIONS(type)                                                                                                \
    __attribute__((noinline)) static void put_##type(type *at, type value) { *at = value; }                            \
    __attribute__((noinline)) static type get_##type(type *at) { return *at; }
FUNCTIONS(char) FUNCTIONS(short) FUNCTIONS(int) FUNCTIONS(long)
__attribute__((noinline)) static void count(char *at) /* gets no labels */
{
    if (setjmp(back) == 0)
        for (int i = 56; i < 60; i++)
            at[i]++;
}
static void *work(void *row)
{
    char *at = row;
    long sum = 0;
    pthread_mutex_lock(&lock);
    int chosen = choice++;
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 40; i++) {
        put_long((long *)at, i);
        put_long((long *)(at + 4), i);
        put_int((int *)(at + 16), i * chosen);
        put_int((int *)(at + 22), i);
        put_short((short *)(at + 32), (short)(i - chosen));
        put_short((short *)(at + 39), (short)i);
        put_char(at + 48, (char)(i + chosen));
        count(at);
        sum += get_long((long *)(at + 4)) + get_int((int *)(at + 22)) + get_short((short *)(at + 39));
        if (get_char(at + 48) > 20)
            sum += get_long((long *)at);
    }
    pthread_mutex_lock(&lock);
    total += (int)sum + rows[0][8] + rows[1][24] + rows[0][40] + rows[1][56];
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, rows[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", total);
    return 0;
}
END
    "$HEDDLE" cc -O2 -g sizes.c -o sizes
    same sizes 1
    for type in long int short; do
        [ "$(grep -c "w(.*put_$type" a.std)" -ge 40 ]
    done
}

# Batches of records that seem to be of no interest are passed over unless what they touch turns out to be shared.
@test "what was private for long, and is shared in the end, has all its events" {
    cat >late.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int cells[2][512], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *row)
{
    int *own = row;
    for (int round = 0; round < 150; round++) {
        for (int i = 1; i < 500; i++)
            own[i] = own[i - 1] + round;
        if (round % 50 == 20)
            own[505]++; /* in few batches */
    }
    pthread_mutex_lock(&lock);
    sum += cells[0][505] + cells[1][505] + cells[0][7];
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
END
    "$HEDDLE" cc -O1 -g late.c -o late
    sed 's/ + cells\[0\]\[7\]//' late.c >never.c
    "$HEDDLE" cc -O1 -g never.c -o never
    for program in late never; do
        for seed in 1 2; do
            same $program $seed
            [ "$(grep -c 'w(.*late.c:12 \|w(.*never.c:12 ' a.std)" -eq 6 ]
        done
        [ "$("$HEDDLE" info a.htr | grep dropped | sed 's/.*variables, //')" = \
            "$("$HEDDLE" info b.htr | grep dropped | sed 's/.*variables, //')" ]
    done
    [ "$(grep -c 'never.c:10 ' a.std)" -eq 0 ] # the loop's own cells
}

@test "a block that a pointer held after private ones has the same name in one pass and two" {
    for level in -O0 -O2; do
        "$HEDDLE" cc $level -w "$PROGRAMS/names.c" -o names
        same names 1
        grep -q 'queue->items\[1\]\.key' b.std
        [ "$(grep -c 'head->key' b.std)" -eq 0 ]
    done
}

# Functions that measure a text first do so at their turn, and what a function wrote is known before another one writes.
@test "texts that others change, measured by threads that run ahead: the events and values of one pass" {
    cat >texts.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
extern char *__strcpy_chk(char *, const char *, size_t), *__strcat_chk(char *, const char *, size_t);
static char text[64], label[8];
static int sum;
static int work(int rounds)
{
    static _Thread_local int own[64];
    for (int i = 0; i < rounds; i++)
        own[i % 64] += i;
    return own[5];
}
static void *change(void *unused)
{
    for (int i = 0; i < 60; i++) {
        work(700);
        text[i * 7 % 60] = i % 3 ? 'x' : 0;
    }
    return unused;
}
static void *measure(void *unused)
{
    char own[160];
    int same = 0;
    for (int i = 0; i < 40; i++) {
        work(1000);
        char *copy = strdup(text);
        sum += (int)strlen(copy);
        free(copy);
        work(500);
        __strcpy_chk(own, text, sizeof own);
        work(500);
        __strcat_chk(own, text, sizeof own);
        for (int k = 0; k < 3; k++) { /* nothing but reads of what is shared in between */
            snprintf(label, sizeof label, "%d", (i + k) % 10);
            same += strcmp(label, label) == 0;
        }
    }
    sum += same;
    return unused;
}
int main(void)
{
    pthread_t threads[3];
    memset(text, 'y', 63);
    pthread_create(&threads[0], NULL, change, NULL);
    pthread_create(&threads[1], NULL, measure, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %s\n", sum, label);
    return 0;
}
END
    "$HEDDLE" cc -O1 texts.c -o texts
    for seed in 1 2 3 4; do
        same texts $seed
    done
    grep -q 'w(label.*=' b.std
    for passes in --one-pass --two-pass; do
        run "$HEDDLE" record $passes --seed=1 -o a.htr -- ./texts
        [[ "$output" == *" recorded "* && "$output" != *"uninstrumented"* ]]
    done
}

@test "numbers drawn and lines printed by threads that run ahead are in the order of turns" {
    cat >draw.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int drawn[4];
static int work(int rounds)
{
    static _Thread_local int own[64];
    for (int i = 0; i < rounds; i++)
        own[i % 64] += i;
    return own[5];
}
static void *draw(void *number)
{
    int *mine = number;
    for (int i = 0; i < 50; i++) {
        work(1000 * (int)(mine - drawn));
        *mine = rand() % 1000;
        drawn[3] = *mine;
    }
    printf("%d\n", *mine);
    return NULL;
}
int main(void)
{
    pthread_t threads[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, draw, &drawn[i]);
    work(100000);
    printf("main\n");
    exit(3);
}
END
    "$HEDDLE" cc -O2 draw.c -o draw
    for seed in 1 2 3; do
        same draw $seed
        cp b.htr c.htr
        "$HEDDLE" record -q --two-pass --seed=$seed -o b.htr -- ./draw >/dev/null || [ $? -eq 3 ]
        cmp b.htr c.htr
    done
}

@test "a long run is run again, shown once, and only what is shared is kept" {
    cat >long.c <<'END'
#include <pthread.h>
#include <stdio.h>
static long total, rows[2][1000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *row)
{
    long *cells = row;
    for (int round = 0; round < 500; round++)
        for (int i = 1; i < 1000; i++)
            cells[i] = cells[i - 1] + i;
    pthread_mutex_lock(&lock);
    total += cells[999];
    pthread_mutex_unlock(&lock);
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    FILE *log = fopen("runs", "a");
    fprintf(log, "run\n");
    fclose(log);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, rows[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 4;
}
END
    unset HEDDLE_NO_TRIAL
    "$HEDDLE" cc -O2 long.c -o long
    run "$HEDDLE" record -q --two-pass --seed=1 -o b.htr -- ./long
    [ "$status" -eq 4 ]
    [ "$output" = 999000 ]
    [ "$(wc -l <runs)" -eq 2 ]
    "$HEDDLE" record -q --one-pass --seed=1 -o a.htr -- ./long || [ $? -eq 4 ]
    "$HEDDLE" convert a.htr a.std
    "$HEDDLE" convert b.htr b.std
    cmp a.std b.std
    "$HEDDLE" info b.htr | grep -q '^dropped  *[0-9]* thread-local variables, [0-9]\{7\} events'
}

@test "runs that share other memory than the one before are repeated, then recorded as a whole" {
    cat >other.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int cells[1000], at;
static void *touch(void *unused)
{
    cells[at * 2]++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t thread;
    FILE *log = fopen("runs", "a");
    at = (int)ftell(log);
    if (argc > 1 && at > 1)
        at = 1;
    fputc('x', log);
    fclose(log);
    cells[at * 2]++;
    pthread_create(&thread, NULL, touch, NULL);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$HEDDLE" cc -O1 other.c -o other
    run "$HEDDLE" record --two-pass --seed=1 -o b.htr -- ./other settles
    [ "$status" -eq 0 ]
    [ "$(cat runs)" = xxx ]
    [[ "$output" != *"other memory"* ]]
    "$HEDDLE" convert b.htr - | grep -q 'w(cells\[2\]=2)'
    rm runs
    run "$HEDDLE" record --two-pass --seed=1 -o b.htr -- ./other
    [ "$status" -eq 0 ]
    [ "$(cat runs)" = xxxxx ]
    [[ "$output" == *"each run shared other memory than the one before"* ]]
    "$HEDDLE" convert b.htr - | grep -q 'w(cells\[8\]=2)'
}

@test "programs built with plain gcc -fsanitize=thread take the same way" {
    gcc -O2 -g -fsanitize=thread "$PROGRAMS/quicksort.c" -o quicksort
    same quicksort 4
}

# Work that is private for the most part; then, or before it, something that happens once.
once_program() {
    cat >once.c <<'ENDC'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
static unsigned cells[2][4096], shared[1000], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *what = "";
static void *work(void *row)
{
    unsigned *own = row, at = strcmp(what, "differs") == 0 ? (unsigned)getpid() % 1000 : 7;
    for (int round = 0; round < 40; round++)
        for (int i = 1; i < 4096; i++)
            own[i] += own[i - 1] + round;
    pthread_mutex_lock(&lock);
    sum += own[4095];
    shared[at]++;
    pthread_mutex_unlock(&lock);
    return NULL;
}
static void append(const char *text)
{
    FILE *file = fopen("made", "a");
    fputs(text, file);
    fclose(file);
}
int main(int argc, char **argv)
{
    pthread_t threads[2];
    char line[100];
    if (argc > 1)
        what = argv[1];
    if (strcmp(what, "early") == 0)
        append("once\n");
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    if (strcmp(what, "late") == 0)
        append("once\n");
    if (strcmp(what, "rename") == 0 && rename("before", "made") != 0)
        abort();
    if (strcmp(what, "child") == 0 && system("echo once >>made") != 0)
        abort();
    if (strcmp(what, "socket") == 0 && close(socket(AF_INET, SOCK_DGRAM, 0)) == 0)
        append("once\n");
    if (strcmp(what, "inherited") == 0 && write(8, "once\n", 5) != 5)
        abort();
    FILE *input = strcmp(what, "read") == 0     ? stdin
                  : strcmp(what, "named") == 0  ? fopen("/dev/stdin", "r")
                  : strcmp(what, "reopen") == 0 ? freopen("/dev/stdin", "r", stdin)
                                                : NULL;
    if (input && fgets(line, sizeof line, input))
        append(line);
    int on = 1;
    if (strcmp(what, "request") == 0 && ioctl(0, FIONBIO, &on) == 0)
        append("once\n");
    printf("%d\n", sum == 0 ? 0 : 1);
    return 0;
}
ENDC
    "$HEDDLE" cc -O1 -g once.c -o once
}

@test "heddle run takes two passes by itself where nothing is done twice, and one where something would be" {
    once_program
    unset HEDDLE_NO_TRIAL
    "$HEDDLE" record -q --seed=1 -o one.htr -- ./once </dev/null
    "$HEDDLE" convert one.htr one.std
    for input in /dev/null pipe; do
        if [ $input = pipe ]; then # it is not read
            sleep 1 | "$HEDDLE" run -q --seed=1 -- ./once >out
        else
            "$HEDDLE" run -q --seed=1 -- ./once </dev/null >out
        fi
        [ "$(cat out)" = 1 ]
        "$HEDDLE" convert heddle-out/trace.htr auto.std
        cmp one.std auto.std
        "$HEDDLE" replay --script=script.txt heddle-out/report.json N1 -- ./once >/dev/null </dev/null
        grep -q '^passes 2' script.txt
    done
    for what in early late rename child socket inherited read named reopen request; do
        rm -f made
        echo once >before
        echo once | "$HEDDLE" run -q --seed=1 -- ./once $what 8>>made >out || [ $? -eq 3 ]
        [ "$(cat out)" = 1 ]
        [ "$(cat made)" = once ]
        "$HEDDLE" replay --script=script.txt heddle-out/report.json N1 -- ./once $what >/dev/null 8>>made </dev/null || true
        grep -q '^passes 1' script.txt
    done
}

@test "a run that shares other memory than the one that marked it is recorded once more, unseen" {
    once_program
    "$HEDDLE" run -q --seed=1 -- ./once differs </dev/null >out
    [ "$(cat out)" = 1 ]
    "$HEDDLE" convert heddle-out/trace.htr auto.std
    [ "$(grep -c 'w(shared\[' auto.std)" -eq 2 ]
    [ "$(grep -c 'r(shared\[' auto.std)" -eq 2 ]
    "$HEDDLE" record -q --passes=auto --seed=1 -o auto.htr -- ./once differs </dev/null >out
    [ "$(cat out)" = 1 ]
}

@test "a program that only waits is not run unseen for long; options for passes exclude each other" {
    cat >waits.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static void *work(void *set)
{
    int got;
    sigwait(set, &got);
    printf("got %d\n", got == SIGUSR1);
    return NULL;
}
int main(void)
{
    sigset_t set;
    pthread_t thread;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    pthread_create(&thread, NULL, work, &set);
    puts("ready");
    fflush(stdout);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$HEDDLE" cc -O1 -g waits.c -o waits
    : >out
    "$HEDDLE" run -q --seed=1 -- ./waits </dev/null >out &
    for _ in $(seq 100); do
        ! grep -q ready out || break
        sleep 0.1
    done
    kill -USR1 $!
    wait $!
    [ "$(cat out)" = "ready
got 1" ]
    run "$HEDDLE" run --passes=auto --two-pass -- ./waits
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: run: --passes and --two-pass exclude each other" ]
    run "$HEDDLE" run --passes=three -- ./waits
    [ "$status" -eq 1 ]
    [[ "${lines[0]}" == *"--passes"*"three"* ]]
}

@test "a signal that is sent while nobody sees the program reaches the run that is seen" {
    cat >told.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static unsigned cells[2][4096];
static volatile sig_atomic_t told;
static void handler(int signal)
{
    told = signal;
}
static void *work(void *row)
{
    unsigned *own = row;
    while (!told)
        for (int i = 1; i < 4096; i++)
            own[i] += own[i - 1];
    return NULL;
}
int main(void)
{
    pthread_t threads[2];
    signal(SIGUSR1, handler);
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, cells[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("told %d\n", told == SIGUSR1);
    return 0;
}
END
    "$HEDDLE" cc -O1 -g told.c -o told
    "$HEDDLE" record --passes=auto --seed=1 -o told.htr -- ./told </dev/null >out 2>err &
    for _ in $(seq 300); do
        ! grep -q unseen err || break
        sleep 0.1
    done
    kill -USR1 $!
    wait $!
    [ "$(cat out)" = "told 1" ]
    grep -q '^heddle: the program runs unseen first, .*; --one-pass prevents that$' err
}
