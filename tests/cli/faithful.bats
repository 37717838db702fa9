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

# kinds TRACE: how many events of each kind it has, in a line
kinds() {
    "$HEDDLE" convert "$1" - | grep -v '^#' | cut -d'|' -f2 | sed 's/[.(].*//' | sort | uniq -c | tr -s ' \n' ' '
}

@test "a wait never seems too short to a program that rounds the time" {
    cd "$BATS_TEST_TMPDIR"
    "$HEDDLE" cc -O1 "$PROGRAMS/rounded.c" -o rounded
    for seed in 1 2 3; do
        [ "$("$HEDDLE" record -q --seed=$seed -o t.htr -- ./rounded)" -eq 0 ]
    done
}

# A thousand signals of the kernel for a thread that does not run: as long as one waits, the others are the same to the thread.
@test "signals of a timer that their thread does not get to take no others' room" {
    cd "$BATS_TEST_TMPDIR"
    cat >flood.c <<'C'
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
static volatile sig_atomic_t ticks, raised;
static long first;
static void tick(int number) { ticks = number; }
static void count(int number) { raised += number == SIGUSR1; }
__attribute__((no_sanitize_thread)) static void flood(void)
{
    struct timespec little = {0, 100000};
    for (int i = 0; i < 1000; i++) {
        syscall(SYS_tgkill, getpid(), first, SIGALRM);
        syscall(SYS_nanosleep, &little, 0);
    }
}
static void *work(void *p)
{
    flood();
    for (int i = 0; i < 5; i++)
        raise(SIGUSR1);
    return p;
}
int main(void)
{
    pthread_t t;
    first = syscall(SYS_gettid);
    signal(SIGALRM, tick);
    signal(SIGUSR1, count);
    pthread_create(&t, 0, work, 0);
    pthread_join(t, 0);
    printf("%d %d\n", raised, ticks > 0);
    return 0;
}
C
    "$HEDDLE" cc -w flood.c -o flood
    for seed in 1 2 3 4 5; do
        "$HEDDLE" record -q --seed=$seed -o t.htr -- ./flood >output
        [ "$(cat output)" = "5 1" ]
    done
}

@test "a compare-and-exchange is a cas when it succeeds, a load when it fails" {
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        HEDDLE_CC=$compiler "$HEDDLE" cc -O1 -w "$PROGRAMS/trouble/compare.c" -o compare -latomic
        "$HEDDLE" record -q -o t.htr -- ./compare
        [ "$(kinds t.htr)" = " 5 ar 6 cas 2 exit 2 fork 2 join 4 rmw " ]
    done
    gcc -O1 -g -w -pthread "$PROGRAMS/trouble/compare.c" -o compare-plain -latomic
    run "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./compare-plain
    [[ "$output" != *"needs Valgrind"* ]] || skip "$output"
    [ "$status" -eq 0 ]
    [[ "$(kinds t.htr)" == *" 4 ar 2 aw 5 cas 2 exit 2 fork 2 join"* ]] # the widest is the library's
}

@test "the same of Java's atomic variables" {
    command -v javac >/dev/null || skip "no JDK"
    cat >Compare.java <<'END'
import java.util.concurrent.atomic.*;

public class Compare {
    static final AtomicInteger number = new AtomicInteger();
    static final AtomicLong large = new AtomicLong();
    static final AtomicReference<String> text = new AtomicReference<>("a");
    static final AtomicIntegerArray many = new AtomicIntegerArray(2);

    static void run() {
        number.compareAndSet(0, 1);
        large.compareAndExchange(0L, 1L);
        text.compareAndExchange("a", "b");
        many.compareAndExchange(1, 0, 1);
        number.updateAndGet(x -> x + 1);
        number.incrementAndGet();
        many.getAndSet(0, 3);
    }

    public static void main(String[] words) throws Exception {
        for (int i = 0; i < 2; i++) {
            Thread thread = new Thread(Compare::run);
            thread.start();
            thread.join();
        }
    }
}
END
    javac Compare.java
    run "$HEDDLE" record -q -o t.htr -- java Compare
    [ "$status" -eq 0 ] || skip "$output"
    [[ "$(kinds t.htr)" == *" 6 ar 6 cas 3 exit 2 fork 2 join"*" 4 rmw"* ]]
}

@test "a semaphore's count is in the trace, unless more was taken than was seen" {
    cat >count.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>
static sem_t tokens;
static void on_signal(int number) { (void)number; sem_post(&tokens); }
static void *take(void *unused) { while (sem_wait(&tokens) != 0) ; return unused; }
int main(int count, char **words)
{
    pthread_t thread;
    (void)words;
    sem_init(&tokens, 0, 2);
    take(NULL);
    take(NULL);
    signal(SIGUSR1, on_signal);
    if (count > 2) /* the library's own, past the recorder */
        ((int (*)(sem_t *))dlsym(dlopen("libc.so.6", RTLD_NOW), "sem_post"))(&tokens);
    pthread_create(&thread, NULL, take, NULL);
    usleep(1000);
    if (count == 2)
        pthread_kill(thread, SIGUSR1);
    else if (count == 1)
        sem_post(&tokens);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$HEDDLE" cc -O1 count.c -o count -ldl
    "$HEDDLE" record -q -o t.htr -- ./count
    "$HEDDLE" convert t.htr - | grep -q 'seminit(tokens=2)'
    "$HEDDLE" record -q -o t.htr -- ./count signal
    "$HEDDLE" convert t.htr t.std
    [ "$(grep -c 'semwait(tokens' t.std)" -eq 3 ] # one of them took what the handler gave, in the middle of the wait
    [ "$(grep -c 'post(tokens' t.std)" -eq 1 ]
    grep -q 'seminit(tokens=2)' t.std
    "$HEDDLE" record -q -o t.htr -- ./count past it
    "$HEDDLE" convert t.htr t.std
    [ "$(grep -c 'semwait(tokens' t.std)" -eq 3 ]
    [ "$(grep -c 'post(tokens\|seminit' t.std)" -eq 0 ]
}

@test "every thread's end is in the trace" {
    "$HEDDLE" cc -O1 "$PROGRAMS/heap_reuse.c" -o heap_reuse
    "$HEDDLE" record -q -o t.htr -- ./heap_reuse
    [ "$("$HEDDLE" convert t.htr - | grep -c '|exit|')" -eq 9 ]
}

@test "what is given back is written: a use at the same moment is a race" {
    "$HEDDLE" cc -O1 "$PROGRAMS/trouble/given_back.c" -o given_back
    for way in free resize unmap destroy end; do
        for passes in one two; do
            HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=2 -o t.htr -- ./given_back $way || [ $? -ge 128 ]
            "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -eq 2 ]
            echo "$way, $passes pass"
            grep -q '"property": *"race"' t.json
            if [ $way = free ]; then
                "$HEDDLE" check -p race t.htr >told || [ $? -eq 2 ]
                grep -q '^R1  Data race: main frees node->value while T1 use reads it$' told
                [ "$(grep -c '  *called from \|  *from ' told)" -eq 1 ] # by main, no call that is over
            fi
            HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=2 -o t.htr -- ./given_back $way ordered
            "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -eq 2 ]
            ! grep -q '"property": *"\(race\|unordered\)"' t.json
        done
    done
}

@test "the same in a program without hooks" {
    gcc -O1 -g -w -pthread "$PROGRAMS/trouble/given_back.c" -o given_back-plain
    for way in free resize; do
        run "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./given_back-plain $way
        [[ "$output" != *"needs Valgrind"* ]] || skip "$output"
        "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -ge 2 ]
        grep -q '"property": *"\(race\|unordered\)"' t.json
        "$HEDDLE" convert t.htr - | grep -q '^#free [0-9]*$'
        "$HEDDLE" record -q --tool=valgrind -o t.htr -- ./given_back-plain $way ordered
        "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -ge 2 ]
        ! grep -q '"property": *"\(race\|unordered\)"' t.json
    done
}

@test "a block that C++ deletes" {
    cat >deleted.cpp <<'END'
#include <memory>
#include <thread>
struct thing { int value = 1; virtual ~thing() = default; };
static int sums[2];
int main(int count, char **)
{
    auto shared = std::make_shared<thing>();
    thing *plain = new thing;
    std::thread owner([shared] { sums[0] += shared->value; });
    shared.reset(); // whoever is last deletes it, and comes after the other
    std::thread user([plain] { sums[1] += plain->value; });
    if (count > 1)
        user.join();
    owner.join();
    delete plain;
    if (count <= 1)
        user.join();
}
END
    "$HEDDLE" c++ -O1 deleted.cpp -o deleted
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./deleted
    "$HEDDLE" check --property=race --format=json -o t.json t.htr || [ $? -eq 2 ]
    grep -q '"property": *"race"' t.json
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./deleted ordered
    "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -eq 2 ]
    ! grep -q '"property": *"\(race\|unordered\)"' t.json
}

@test "threads that nobody joins run before the process ends, in an order of the seed" {
    cat >left.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static int done[3], sum;
static void *set(void *at) { *(int *)at = 1; sum++; return at; }
int main(int count, char **words)
{
    pthread_t thread;
    (void)words;
    for (int i = 0; i < 3; i++)
        pthread_create(&thread, NULL, set, &done[i]);
    if (count > 1)
        exit(0);
    return 0;
}
END
    "$HEDDLE" cc -O1 left.c -o left
    for policy in random pct round-robin; do
        for seed in 1 2 3 4 5 6; do
            "$HEDDLE" record -q --policy=$policy --seed=$seed -o t.htr -- ./left
            "$HEDDLE" convert t.htr - | grep 'w(sum' | cut -d'|' -f1 | tr '\n' ' ' >>order.$policy
            echo >>order.$policy
        done
        [ "$(grep -c 'T1' order.$policy)" -eq 6 ]
        [ "$(grep -c 'T2' order.$policy)" -eq 6 ]
        [ "$(grep -c 'T3' order.$policy)" -eq 6 ]
    done
    [ "$(sort -u order.random | wc -l)" -gt 1 ]
    "$HEDDLE" record -q --seed=2 -o t.htr -- ./left exit
    [ "$("$HEDDLE" convert t.htr - | grep -c 'w(sum')" -eq 3 ]
    "$HEDDLE" record -q --replay=t.htr -o again.htr -- ./left exit
    cmp t.htr again.htr
}

@test "a program that has more rights than who starts it is not recorded" {
    [ "$(id -u)" -eq 0 ] || skip "needs the right to give rights"
    printf 'int main(void) { return 0; }\n' >rights.c
    "$HEDDLE" cc -O1 rights.c -o rights
    "$HEDDLE" record -q -o t.htr -- ./rights
    chown nobody rights
    chmod u+s rights
    run "$HEDDLE" record -q -o t.htr -- ./rights
    [ "$status" -ne 0 ]
    [[ "$output" == *"heddle:"* ]]
}

@test "bytes of a file that are mapped at two addresses are one variable" {
    cat >twice.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int *first, *second, data;
static void *count(void *unused) { first[1]++; return unused; }
static void *tell(void *unused) { data = 42; __atomic_store_n(&first[0], 1, __ATOMIC_RELEASE); return unused; }
int main(int words, char **unused)
{
    int fd = memfd_create("file", 0);
    pthread_t thread;
    (void)unused;
    if (ftruncate(fd, 8192) != 0)
        return 1;
    first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 4096);
    second = (int *)((char *)mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) + 4096);
    pthread_create(&thread, NULL, words > 1 ? tell : count, NULL);
    if (words > 1)
        while (!__atomic_load_n(&second[0], __ATOMIC_ACQUIRE))
            sched_yield();
    else
        second[1]++;
    printf("%d\n", data);
    pthread_join(thread, NULL);
    return 0;
}
END
    "$HEDDLE" cc -O1 twice.c -o twice
    for passes in one two; do
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=1 -o t.htr -- ./twice
        "$HEDDLE" check --property=race --format=json -o t.json t.htr || [ $? -ge 2 ]
        grep -q '"property": *"race"' t.json
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=1 -o t.htr -- ./twice told
        "$HEDDLE" check --property=race,unordered --format=json -o t.json t.htr || [ $? -ge 2 ]
        ! grep -q '"property": *"\(race\|unordered\)"' t.json
    done
}

@test "so are those of memory that mremap maps a second time; exploration names it" {
    cat >doubled.c <<'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
static volatile int *first, *second;
static void *count(void *unused) { first[1]++; return unused; }
int main(void)
{
    pthread_t thread;
    first = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    second = mremap((void *)first, 0, 4096, MREMAP_MAYMOVE);
    pthread_create(&thread, NULL, count, NULL);
    second[1]++;
    pthread_join(thread, NULL);
    printf("%d\n", first[1] > 0);
    return 0;
}
END
    "$HEDDLE" cc -O1 doubled.c -o doubled
    for passes in one two; do
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --$passes-pass --seed=1 -o t.htr -- ./doubled
        run "$HEDDLE" check --property=race t.htr
        [ "$status" -eq 2 ]
    done
    run "$HEDDLE" explore -- ./doubled
    [[ "$output" == *"not complete"*"not explored: the effects of mremap"* ]]
}

@test "the C library's own threads do the work that others wait for: no standstill, and what they call comes after it" {
    "$HEDDLE" cc -g -O1 "$PROGRAMS/trouble/asynchronous.c" -o asynchronous
    for seed in 1 2 3; do
        for way in told:"content 6" awaited:"content 5" name:1; do
            "$HEDDLE" run --seed=$seed -- ./asynchronous ${way%%:*} </dev/null >printed
            [ "$(cat printed)" = "${way#*:}" ]
        done
    done
}
