#!/usr/bin/env bats
# heddle cc and heddle record: building, passing things through, same seed same trace, trouble.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in deadlock end spin signals two_processes; do
        "$HEDDLE" cc -O1 -w "$PROGRAMS/trouble/$program.c" -o $program
    done
    "$HEDDLE" cc -O1 "$PROGRAMS/work_queue.c" -o work_queue
    "$HEDDLE" cc -O1 "$PROGRAMS/account.c" -o account
    gcc -O1 -g -fsanitize=thread "$PROGRAMS/account.c" -o account-tsan
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -f t.htr
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
    "$HEDDLE" cc echo.c -o echo
    run sh -c 'printf "one\ntwo\n" | "$HEDDLE" record -q -o t.htr -- ./echo word 2>err'
    [ "$status" -eq 42 ]
    [ "$output" = "$(printf 'one\ntwo')" ]
    [ "$(cat err)" = word ]
}

@test "same seed, same trace; another seed, another" {
    "$HEDDLE" record -q --seed=5 -o a.htr -- ./work_queue
    "$HEDDLE" record -q --seed=5 -o b.htr -- ./work_queue
    cmp a.htr b.htr
    for seed in 6 7 8; do
        "$HEDDLE" record -q --seed=$seed -o b.htr -- ./work_queue
        cmp -s a.htr b.htr || return 0
    done
    false
}

@test "same seed, same trace, whatever the time is and however long code without hooks works" {
    printf 'void burn(void) { for (volatile long i = 0; i < 30000000; i++); }\n' >burn.c
    gcc -O1 -shared -fPIC burn.c -o libburn.so
    cat >burns.c <<'END'
#include <pthread.h>
#include <time.h>
static long sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void burn(void);
static void *work(void *unused)
{
    struct timespec now;
    burn();
    pthread_mutex_lock(&lock);
    sum += time(NULL) + clock();
    clock_gettime(CLOCK_MONOTONIC, &now);
    sum += now.tv_nsec;
    pthread_mutex_unlock(&lock);
    return unused;
}
int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
END
    "$HEDDLE" cc burns.c -L. -lburn -Wl,-rpath,. -o burns
    for file in a b; do
        run "$HEDDLE" record --seed=5 --clock=1000000000 -o $file.htr -- ./burns
        [ "$status" -eq 0 ]
        [[ "$output" != *"ended by the clock"* ]]
        cmp a.htr $file.htr
    done
    "$HEDDLE" record -q --seed=5 -o d.htr -- ./burns
    ! cmp -s a.htr d.htr
    run "$HEDDLE" record --clock=x -- ./burns
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: record: --clock needs a whole number, not x" ]
    run "$HEDDLE" record --clock=1 --real-time -- ./burns
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: record: --clock and --real-time exclude each other" ]
}

@test "a wait on a condition that processes share ends by its own clock" {
    "$HEDDLE" cc -g -O1 "$PROGRAMS/trouble/shared_wait.c" -o shared_wait
    for clock in monotonic realtime; do
        for time in --clock=1000000000 --real-time; do
            run "$HEDDLE" record -q $time --seed=1 -o t.htr -- ./shared_wait $clock
            echo "$clock $time: $status $output"
            [ "$status" -eq 0 ]
            [ "$output" = well ]
        done
    done
}

@test "a program that works until some time is over ends after about as much work as natively" {
    printf 'void step(void) { for (volatile long i = 0; i < 200000; i++); }\n' >step.c
    gcc -O1 -shared -fPIC step.c -o libstep.so
    cat >until.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <time.h>
void step(void);
static long rounds;
static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
static void *work(void *unused)
{
    for (double start = now(); now() < start + 0.3; rounds++)
        step();
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    printf("%ld\n", rounds);
    return 0;
}
END
    # natively by processor time, which does not depend on what else the machine does
    gcc -O1 -DCLOCK=CLOCK_PROCESS_CPUTIME_ID until.c -L. -lstep -Wl,-rpath,. -o until-native
    "$HEDDLE" cc -O1 -DCLOCK=CLOCK_MONOTONIC until.c -L. -lstep -Wl,-rpath,. -o until
    natively=$(./until-native)
    for passes in one two; do
        run timeout 60 "$HEDDLE" record -q --$passes-pass -o t.htr -- ./until
        [ "$status" -eq 0 ]
        [ "$output" -ge $((natively / 10)) ]
        [ "$output" -le $((natively * 20)) ]
    done
}

# Slices are told in parts while the trace is written; a long run has several.
@test "a long run: its memory does not grow, and it can be repeated" {
    once
    for times in 1 4; do
        "$HEDDLE" cc -O2 -DTIMES=$times "$PROGRAMS/../../bench/programs/queue.c" -o queue-$times
        "$HEDDLE" cc -O2 -DTIMES=$times/2 "$PROGRAMS/../../bench/programs/churn.c" -o churn-$times
    done
    for program in queue churn; do
        short=$("$(dirname "$GENERATE")/bench-peak" "$HEDDLE" record -q --seed=1 -o short.htr -- ./$program-1)
        long=$("$(dirname "$GENERATE")/bench-peak" "$HEDDLE" record -q --seed=1 -o long.htr -- ./$program-4)
        echo "$program: $short, $long"
        [ $((10 * ${long% *})) -lt $((14 * ${short% *})) ]
    done
    "$HEDDLE" record -q --seed=1 -o short.htr -- ./queue-1
    "$HEDDLE" record -q --replay=short.htr -o again.htr -- ./queue-1
    cmp short.htr again.htr
    "$HEDDLE" convert short.htr copy.htr
    "$HEDDLE" record -q --replay=copy.htr -o again.htr -- ./queue-1
    cmp short.htr again.htr
    python3 "$BATS_TEST_DIRNAME/read_htr.py" --blocks short.htr >blocks
    [ "$(grep -c '^7 ' blocks)" -gt 2 ]
    # Cut short, it still loads.
    head -c $(($(wc -c <short.htr) - 200)) short.htr >cut.htr
    run "$HEDDLE" info cut.htr
    [ "$status" -eq 0 ]
    [[ "$output" == *"the file stops before its end"* ]]
}

@test "a trace that cannot be written is refused before the program runs" {
    run "$HEDDLE" record -o missing/t.htr -- ./work_queue
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: missing/t.htr: the trace cannot be written: No such file or directory" ]
}

@test "every policy records, each the same way twice" {
    for policy in random pct round-robin; do
        "$HEDDLE" record -q --policy=$policy --seed=3 -o a.htr -- ./work_queue
        "$HEDDLE" record -q --policy=$policy --seed=3 -o b.htr -- ./work_queue
        cmp a.htr b.htr
        "$HEDDLE" info a.htr
    done
}

@test "two passes give the events of one" {
    "$HEDDLE" record -q --one-pass --seed=9 -o a.htr -- ./work_queue
    "$HEDDLE" record -q --two-pass --seed=9 -o b.htr -- ./work_queue
    "$HEDDLE" convert a.htr a.std
    "$HEDDLE" convert b.htr b.std
    cmp a.std b.std
}

# Texts and bytes of a thread's own are looked at without its turn, those of others at it.
@test "two passes give the events of one: functions that look at what they are given" {
    cat >looks.c <<'END'
#include <pthread.h>
#include <string.h>
static char words[2][24] = {"one two three", "one two four"};
static int sums[2];
static void *look(void *which)
{
    char own[64] = "one two three", copy[16];
    int me = which != NULL, sum = 0;
    for (int i = 0; i < 20000; i++) {
        own[i % 8] = (char)('a' + i % 3);
        memcpy(copy + i % 8, own + i % 5, 1 + (unsigned)i % 8);
        sum += memcmp(own, copy, 8) < 0;
        sum += strcmp(own, "one two") > 0;
        sum += (int)strlen(own) + (strchr(own, 'c') != NULL) + (memchr(own, 'w', 20) != NULL) + (strrchr(own, 'e') != NULL);
        if (i % 61 == me) {
            words[me][i % 13] = i % 3 ? own[i % 8] : '\0';
            sum += strcmp(words[0], words[1]) + strncmp(own, words[!me], 12) + memcmp(words[!me], own, 16);
            sum += (int)strlen(words[!me]) + (strstr(words[!me], "two") != NULL);
            memcpy(copy, words[!me], 7);
        }
    }
    sums[me] = sum;
    return NULL;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, words);
    look(NULL);
    pthread_join(thread, NULL);
    return sums[0] == sums[1] + 1;
}
END
    "$HEDDLE" cc -O1 looks.c -o looks
    for seed in 1 2 3 4; do
        "$HEDDLE" record -q --one-pass --seed=$seed -o a.htr -- ./looks
        "$HEDDLE" record -q --two-pass --seed=$seed -o b.htr -- ./looks
        "$HEDDLE" convert a.htr a.std
        "$HEDDLE" convert b.htr b.std
        [ "$(wc -l <b.std)" -gt 500 ]
        cmp a.std b.std
    done
}

@test "two passes read a pipe twice" {
    cat >sum.c <<'END'
#include <pthread.h>
#include <stdio.h>
static int sum;
static void *add(void *unused)
{
    int number;
    while (scanf("%d", &number) == 1)
        sum += number;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, add, NULL);
    pthread_join(thread, NULL);
    return sum;
}
END
    "$HEDDLE" cc sum.c -o sum
    run sh -c 'echo 3 4 5 | "$HEDDLE" record -q --two-pass -o t.htr -- ./sum'
    [ "$status" -eq 12 ]
    [ "$(events t.htr)" -gt 3 ]
}

@test "names: fields, heap blocks, places" {
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./work_queue
    "$HEDDLE" convert --grounds=drop t.htr t.std
    grep -q 'acq(queue.lock)|.*work_queue.c:[0-9]* take$' t.std
    grep -q 'r(queue.first=0x[0-9a-f]*)|.*work_queue.c:[0-9]* take$' t.std
    grep -q 'w(job->number #2=2)|' t.std
    grep -q 'w(job->next #2=0x[0-9a-f]*)|' t.std
    grep -q '^T1 work|' t.std
}

@test "names: through pointers, of locals; values by type" {
    for compiler in gcc clang; do
        command -v $compiler || continue
        HEDDLE_CC=$compiler "$HEDDLE" cc -O1 "$PROGRAMS/names.c" -o names
        "$HEDDLE" record -q --seed=3 -o t.htr -- ./names
        "$HEDDLE" convert --grounds=drop t.htr t.std
        for name in 'acq(queue->lock)' 'w(queue->items\[2\].weight=0.5)' 'w(queue->items\[1\].key=-5)' \
            'w(queue->full=true)' "w(queue->tag='b')" 'w(queue->state=BUSY)' 'w(queue->ratio=0.25)' \
            'w(signed_value=-4)' 'w(grid\[1\]\[2\]\[2\]=1)' 'w(run: jobs\[1\].result=[1-9][0-9]*)'; do
            grep -q "|$name|names.c:[0-9]* work\$\||$name|.*/names.c:[0-9]* work\$" t.std || { echo "$compiler: no $name"; false; }
        done
        ! grep -q 'local of\|stack of' t.std
        "$HEDDLE" check t.htr >/dev/null || [ $? -eq 2 ]
    done
}

@test "names: locals that share a place" {
    for level in -O0 -O2; do
        "$HEDDLE" cc $level "$PROGRAMS/scopes.c" -o scopes
        "$HEDDLE" record -q --seed=1 -o t.htr -- ./scopes
        "$HEDDLE" convert t.htr t.std
        for name in 'first=2' 'second\[2\]=8' 'last=4'; do
            [ "$(grep -c "^T[1-3] work|w(main: $name)" t.std)" -eq 1 ]
            grep -q "^main|r(main: $name)" t.std
        done
    done
}

@test "a pointer that held several blocks names none" {
    "$HEDDLE" cc -O0 "$PROGRAMS/names.c" -o names
    "$HEDDLE" record -q --seed=3 -o t.htr -- ./names
    "$HEDDLE" convert t.htr - | grep -q 'w(item->key=3)'
    ! "$HEDDLE" convert t.htr - | grep -q 'head->'
}

@test "what the C library touches is seen" {
    for flags in -O0 -O2; do
        "$HEDDLE" cc -w $flags "$PROGRAMS/trouble/library.c" -o library
        "$HEDDLE" record -q --seed=1 -o t.htr -- ./library >out
        "$HEDDLE" check --property=race t.htr | grep -o 'library.c:[0-9]* library' | sort -u >lines
        [ "$(wc -l <lines)" -eq "$(tail -n 1 out | grep -o '[0-9]*$')" ]
    done
}

@test "a program built with plain gcc -fsanitize=thread" {
    run "$HEDDLE" record -o t.htr -- ./account-tsan
    [ "$status" -eq 0 ]
    "$HEDDLE" check t.htr | grep -q '^R1'
}

@test "a program without hooks is named" {
    run "$HEDDLE" record -o t.htr -- true
    [ "$status" -eq 1 ]
    [[ "$output" == *"true is not instrumented"* ]]
    [ ! -e t.htr ]
}

@test "no such program" {
    run "$HEDDLE" record -o t.htr -- ./nowhere
    [ "$status" -eq 1 ]
    [[ "$output" == *"./nowhere: cannot be run: No such file"* ]]
}

@test "a script that starts the program" {
    run "$HEDDLE" record -q -o t.htr -- sh -c 'echo before; ./account; exit 3'
    [ "$status" -eq 3 ]
    [ "${lines[0]}" = before ]
    [ "$(events t.htr)" -gt 5 ]
}

@test "a deadlock: the cycle, status 2" {
    run "$HEDDLE" record --seed=1 -o t.htr -- ./deadlock
    [ "$status" -eq 2 ]
    [[ "$output" == *"main waits for lock b, which T1 other holds, at "*"deadlock.c:23 main"* ]]
    [[ "$output" == *"T1 other waits for lock a, which main holds, at "*"deadlock.c:11 other"* ]]
    [ "$(events t.htr)" -ge 3 ]
}

@test "however the program ends, the trace is there" {
    for end in exit:6 _exit:7 abort:134 crash:139 kill:137 exec:9 fork:11; do
        rm -f t.htr
        run "$HEDDLE" record --seed=1 -o t.htr -- ./end "${end%:*}"
        echo "$end: $status $output"
        [ "$status" -eq "${end#*:}" ]
        [ "$(events t.htr)" -ge 1 ]
    done
}

@test "a program that becomes another one: told, and let alone" {
    cat >become.c <<'END'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    static char script[] = "nproc; i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; echo $WORD $1";
    char *list[] = {"sh", "-c", script, "sh", "given", NULL}, *set[] = {"WORD=set", "PATH=/bin:/usr/bin", NULL};
    if (execl("/nowhere", "x", (char *)NULL) != -1 || errno != ENOENT)
        return 1;
    switch (atoi(argv[1])) {
    case 0: execl("/bin/sh", "sh", "-c", script, "sh", "given", (char *)NULL); break;
    case 1: execlp("sh", "sh", "-c", script, "sh", "given", (char *)NULL); break;
    case 2: execv("/bin/sh", list); break;
    case 3: execvp("sh", list); break;
    case 4: execle("/bin/sh", "sh", "-c", script, "sh", "given", (char *)NULL, set); break;
    case 5: execve("/bin/sh", list, set); break;
    case 6: execvpe("sh", list, set); break;
    case 7: fexecve(open("/bin/sh", O_RDONLY), list, set); break;
    case 8: execveat(AT_FDCWD, "/bin/sh", list, set, 0); break;
    case 9: syscall(SYS_execve, "/bin/sh", list, set);
    }
    return argc;
}
END
    "$HEDDLE" cc -w become.c -o become
    for how in 0 1 2 3 4 5 6 7 8 9; do
        WORD=own run "$HEDDLE" record -o t.htr -- ./become $how
        echo "$how: $output"
        [ "$status" -eq 0 ]
        [ "${lines[0]}" = "$(nproc)" ] # it may run everywhere
        [ "${lines[1]}" = "$([ $how -lt 4 ] && echo own given || echo set given)" ]
        [[ "$output" == *"the program called exec; the new program"*" was not recorded"* ]]
    done
}

@test "many recordings at once, as make -j starts them" {
    cat >many.mk <<'END'
all: m1.htr m2.htr m3.htr m4.htr m5.htr m6.htr
%.htr:
	"$(HEDDLE)" record -q --seed=7 -o $@ -- ./work_queue >/dev/null
END
    make -s -j4 -f many.mk HEDDLE="$HEDDLE"
    for i in 2 3 4 5 6; do
        cmp m1.htr m$i.htr
    done
}

@test "a livelock is noticed" {
    only_long
    printf '%s\n' '#include <pthread.h>' 'static volatile int a, b;' \
        'static void *look(void *p) { while (!*(volatile int *)p) ; return p; }' \
        'int main(void) { pthread_t t; pthread_create(&t, 0, look, (void *)&a); look((void *)&b); return 0; }' >livelock.c
    "$HEDDLE" cc -O1 livelock.c -o livelock
    run timeout 60 "$HEDDLE" record --timeout=15 -o t.htr -- ./livelock
    [ "$status" -eq 137 ]
    [[ "$output" == *"all threads busy-wait, and nothing changes"* ]]
    [[ "$output" == *"T1 look"*"livelock.c:3"* ]]
    [ "$(events t.htr)" -ge 1 ]
}

@test "a child process runs unrecorded, and that is said" {
    run "$HEDDLE" record --seed=1 -o t.htr -- ./end fork
    [[ "$output" == *"1 child process"*"not recorded"* ]]
}

@test "spinning on a plain variable and in code without hooks ends" {
    run timeout 20 "$HEDDLE" record -q -o t.htr -- ./spin plain
    [ "$status" -eq 0 ]
    run timeout 20 "$HEDDLE" record -o t.htr -- ./spin unseen
    [ "$status" -eq 0 ]
    [[ "$output" == *" time slices were ended by the clock, in uninstrumented code: another run with this seed may differ"* ]]
}

@test "a thread that waits for input does not stop the others" {
    run sh -c '{ sleep 0.3; echo; } | timeout 20 "$HEDDLE" record -q -o t.htr -- ./spin input'
    [ "$status" -eq 0 ]
}

@test "a program that never ends is ended, and what it does is named" {
    run timeout 30 "$HEDDLE" record --timeout=1 -o t.htr -- ./spin forever
    [ "$status" -eq 137 ]
    [[ "$output" == *"main has the turn, last seen at "*"spin.c:"* ]]
    [[ "$output" == *"ended after 1 second"* ]]
}

@test "a signal handler wakes a thread" {
    run timeout 20 "$HEDDLE" record -q -o t.htr -- ./signals
    [ "$status" -eq 0 ]
    [ "$output" = 1 ]
}

@test "signals reach a program that is busy, and end it" {
    cat >busy.c <<'END'
#include <pthread.h>
static int counter;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *count(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, count, 0);
    count(0);
    return 0;
}
END
    "$HEDDLE" cc busy.c -o busy
    run timeout --preserve-status -s TERM 0.3 "$HEDDLE" record -q -o t.htr -- ./busy
    [ "$status" -eq 143 ]
    [ "$(events t.htr)" -gt 100 ]
}

@test "another process may end a wait" {
    run timeout 20 "$HEDDLE" record -q -o t.htr -- ./two_processes
    [ "$status" -eq 0 ]
    [ "$output" = both ]
}

@test "sleeps take no time unless they are to" {
    printf '#include <unistd.h>\nint main(void) { sleep(1); return 0; }\n' >nap.c
    "$HEDDLE" cc nap.c -o nap
    start=$(date +%s%N)
    "$HEDDLE" record -q -o t.htr -- ./nap
    [ $(($(date +%s%N) - start)) -lt 900000000 ]
    start=$(date +%s%N)
    "$HEDDLE" record -q --real-time -o t.htr -- ./nap
    [ $(($(date +%s%N) - start)) -ge 1000000000 ]
}

@test "cc in steps: objects, archives, shared libraries" {
    printf 'int shared; void set(int v) { shared = v; }\n' >lib.c
    printf 'void set(int); int main(void) { set(1); return 0; }\n' >main.c
    "$HEDDLE" cc -fPIC -c lib.c -o lib.o
    "$HEDDLE" cc -c main.c -o main.o
    ar rc liblib.a lib.o
    "$HEDDLE" cc main.o -L. -llib -o with-archive
    "$HEDDLE" cc -shared lib.o -o libshared.so
    "$HEDDLE" cc main.o -L. -lshared -Wl,-rpath,. -o with-shared
    for program in with-archive with-shared; do
        "$HEDDLE" record -q -o t.htr -- ./$program
        ./$program
    done
    "$HEDDLE" cc -E main.c | grep -q 'void set'
    "$HEDDLE" cc -S main.c -o - | grep -q tsan
    "$HEDDLE" cc -M main.c | grep -q 'main.o:'
    "$HEDDLE" cc --version | grep -q -i gcc
}

@test "cc under its one-word name, clang by choice, what breaks recording is left out" {
    printf 'int main(void) { return 0; }\n' >empty.c
    "$(dirname "$HEDDLE")/heddle-cc" empty.c -o empty
    ./empty
    run "$HEDDLE" cc -static empty.c -o empty
    [ "$status" -eq 0 ]
    [[ "$output" == *"-static is ignored"* ]]
    command -v clang || skip
    HEDDLE_CC=clang "$HEDDLE" cc -O2 empty.c -o empty
    "$HEDDLE" record -q -o t.htr -- ./empty
}

@test "a library loaded on the way" {
    "$HEDDLE" cc -fPIC -shared "$PROGRAMS/trouble/plug.c" -o plug.so
    "$HEDDLE" cc "$PROGRAMS/trouble/load.c" -o load
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./load
    "$HEDDLE" convert t.htr - | grep -q 'w(value=2)|.*plug.c:8 plug'
}

@test "a library in C++ that a program in C loads, recorded and not" {
    cat >plugin.cpp <<'END'
#include <string>
#include <thread>
#include <vector>
extern "C" int run()
{
    static std::string start("a text that is longer than the string itself");
    std::vector<std::string> texts(1, start);
    std::thread other([&] { texts.push_back(std::string(50, 'x')); });
    other.join();
    return (int)texts.size();
}
END
    cat >host.c <<'END'
#include <dlfcn.h>
int main(void)
{
    void *library = dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(void) = library ? (int (*)(void))dlsym(library, "run") : 0;
    return run ? run() + 3 : 9;
}
END
    "$HEDDLE" c++ -fPIC -shared plugin.cpp -o plugin.so
    "$HEDDLE" cc -w host.c -o host
    run ./host
    [ "$status" -eq 5 ]
    run "$HEDDLE" record --seed=1 -o t.htr -- ./host
    [ "$status" -eq 5 ]
    "$HEDDLE" check --property=race t.htr
}

@test "a library is unloaded, and another comes to lie in its place" {
    cat >plug.c <<'END'
int value;
__attribute__((constructor)) static void begin(void) { value = 10; }
__attribute__((destructor)) static void end(void) { value = 0; }
int plug(int n) { return value += n; }
END
    cat >load.c <<'END'
#include <assert.h>
#include <dlfcn.h>
#include <pthread.h>
static int turn;
static void use(const char *path)
{
    void *library = dlopen(path, RTLD_NOW);
    int (*plug)(int) = (int (*)(int))dlsym(library, "plug");
    assert(plug(1) == 11);
    dlclose(library);
}
static void *later(void *p)
{
    while (!__atomic_load_n(&turn, __ATOMIC_RELAXED))
        ;
    use("./one.so");
    use("./other.so");
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, later, 0);
    use("./one.so");
    use("./other.so");
    __atomic_store_n(&turn, 1, __ATOMIC_RELAXED);
    pthread_join(t, 0);
    return 0;
}
END
    "$HEDDLE" cc -fPIC -shared plug.c -o one.so
    "$HEDDLE" cc -fPIC -shared plug.c -o other.so
    "$HEDDLE" cc load.c -o load
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./load
    "$HEDDLE" check --property=race,unordered t.htr
}

@test "atomic objects that compilers leave to libatomic" {
    cat >odd.cpp <<'END'
#include <atomic>
#include <cassert>
#include <thread>
struct odd { char bytes[3]; };
struct wide { long value[2]; };
struct large { long value[40]; };
template <class T> void hand_over(T other)
{
    static std::atomic<T> flag;
    static int data;
    std::thread writer([&] { data = 1; flag.store(other, std::memory_order_release); });
    std::thread changer([&] { T now = flag.load(); flag.compare_exchange_strong(now, now); flag.exchange(flag.load()); });
    std::thread reader([&] { T now = flag.load(std::memory_order_acquire); if (*reinterpret_cast<char *>(&now)) assert(data == 1); });
    writer.join();
    changer.join();
    reader.join();
}
int main()
{
    hand_over(odd{{1, 2, 3}});
    hand_over(wide{{1, 2}});
    hand_over(large{{1, 2}});
}
END
    for compiler in g++ clang++; do
        command -v $compiler >/dev/null || continue
        HEDDLE_CXX=$compiler "$HEDDLE" c++ -std=c++20 -O1 odd.cpp -o odd -latomic
        ./odd
        for seed in 1 2 3 4 5; do
            "$HEDDLE" record -q --seed=$seed -o t.htr -- ./odd
            "$HEDDLE" check --property=race,unordered t.htr
        done
        "$HEDDLE" convert t.htr - | grep -q '|rmw[.a-z]*(flag'
    done
}

@test "what comes through a pipe by rare calls came after it was sent" {
    cat >calls.c <<'END'
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static int order[2], answer[2], pair[2], data;
static char to[64];
static void *sends(void *p)
{
    char way;
    while (read(order[0], &way, 1) == 1) {
        usleep(1000);
        data++;
        assert(way == 's' ? send(pair[1], "s", 1, 0) == 1 : write(answer[1], "w\n", 2) == 2);
    }
    return p;
}
static void ask(char way) { assert(write(order[1], &way, 1) == 1); }
int main(int argc, char **argv)
{
    size_t two = argv[0] ? 2 : argc; /* which the compiler does not know */
    int steps = 0, file = fileno(tmpfile());
    struct iovec part = {to, 2};
    struct mmsghdr message = {.msg_hdr = {.msg_iov = &part, .msg_iovlen = 1}};
    struct pollfd one = {.events = POLLIN};
    struct timeval limit = {.tv_usec = 1000};
    pthread_t t;
    assert(pipe(order) == 0 && pipe(answer) == 0 && socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    one.fd = answer[0];
    pthread_create(&t, 0, sends, 0);
    FILE *in = fdopen(dup(answer[0]), "r");
    ask('w'); assert(read(answer[0], to, two) == 2 && data == ++steps);
    ask('w'); assert(poll(&one, two - 1, -1) == 1 && data == ++steps);
    assert(preadv2(answer[0], &part, 1, -1, 0) == 2);
    ask('w'); assert(splice(answer[0], 0, file, 0, 2, 0) == 2 && data == ++steps);
    ask('w'); assert(fgets(to, two + 1, in) && data == ++steps);
    ask('w'); assert(getc_unlocked(in) == 'w' && getc_unlocked(in) == '\n' && data == ++steps);
    ask('w'); assert(fgets_unlocked(to, two + 1, in) && data == ++steps);
    ask('w'); assert(fread_unlocked(to, 1, two, in) == 2 && data == ++steps);
    ask('s'); assert(recv(pair[0], to, two, 0) == 1 && data == ++steps);
    ask('s'); assert(recvmmsg(pair[0], &message, 1, 0, 0) == 1 && data == ++steps);
    setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    assert(recv(pair[0], to, two, 0) == -1);
    close(order[1]);
    pthread_join(t, 0);
    return 0;
}
END
    "$HEDDLE" cc calls.c -o calls
    gcc -fsanitize=thread -D_FORTIFY_SOURCE=2 -O2 -pthread calls.c -o fortified
    for program in ./calls ./fortified; do
        "$HEDDLE" record -q --seed=1 -o t.htr -- $program
        "$HEDDLE" check --property=race,nondet t.htr
    done
}

@test "strncat that checks bounds reads no more than it may" {
    cat >append.c <<'END'
#include <pthread.h>
#include <string.h>
static struct { char from[4], behind[4]; } parts = {"abc", ""};
static void *write_behind(void *p) { for (int i = 0; i < 20; i++) parts.behind[0] = (char)i; return p; }
int main(int argc, char **argv)
{
    char to[16] = "";
    pthread_t t;
    (void)argv;
    parts.from[3] = 'd';
    pthread_create(&t, 0, write_behind, 0);
    strncat(to, parts.from, 3 + argc);
    pthread_join(t, 0);
    return 0;
}
END
    gcc -fsanitize=thread -D_FORTIFY_SOURCE=2 -O2 -pthread append.c -o append
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./append
    "$HEDDLE" check --property=race t.htr
}

@test "libraries without hooks are named" {
    printf 'int quiet; void tick(void) { quiet++; }\n' >quiet.c
    printf 'void tick(void); int main(void) { tick(); return 0; }\n' >loud.c
    gcc -shared -fPIC quiet.c -o libquiet.so
    "$HEDDLE" cc loud.c -L. -lquiet -Wl,-rpath,. -o loud
    run "$HEDDLE" record -o t.htr -- ./loud
    [[ "$output" == *"not instrumented, accesses not recorded: libquiet.so"* ]]
}

@test "a full disk is an error, not a hang" {
    [ -w /dev/full ] || skip
    run timeout 20 "$HEDDLE" record -o /dev/full -- ./account
    [ "$status" -eq 1 ]
    [[ "$output" == *"/dev/full"* ]]
}

@test "wrong options" {
    run "$HEDDLE" record
    [ "$status" -eq 1 ]
    run "$HEDDLE" record --policy=best -- true
    [ "$status" -eq 1 ]
    [[ "$output" == *"random, pct or round-robin"* ]]
    run "$HEDDLE" record --seed=x -- true
    [ "$status" -eq 1 ]
    run "$HEDDLE" record --one-pass --two-pass -- true
    [ "$status" -eq 1 ]
}

# frame_ends PROGRAM [ARGUMENT]: main frees what T1 still reads, and a replay shows it
frame_ends() {
    local passes
    for passes in "" --two-pass; do
        "$HEDDLE" record -q $passes --seed=1 -o t.htr -- "./$@" >out
        run "$HEDDLE" check --confirm --property=race t.htr -- "./$@"
        echo "$compiler -O$level, $* $passes: $output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"Data race: "*"main frees "*" (event "*"replayed: confirmed"* ]]
    done
}

@test "the end of a local variable and of a parameter is a write to threads that know its address" {
    for compiler in gcc clang; do
        command -v $compiler >/dev/null || continue
        for level in 0 2; do
            export HEDDLE_CC=$compiler
            "$HEDDLE" cc -O$level "$PROGRAMS/frames/left_scope.c" -o left
            "$HEDDLE" c++ -O$level "$PROGRAMS/frames/parameter_ends.cpp" -o ends
            "$HEDDLE" cc -O$level "$PROGRAMS/frames/sized_at_run_time.c" -o sized
            frame_ends left
            frame_ends ends
            frame_ends sized memory
        done
    done
}

@test "plain gcc tells of the end of functions that it expanded in place: no variable ends there" {
    for option in -fno-omit-frame-pointer -fomit-frame-pointer; do
        g++ -g -O2 -w -fsanitize=thread $option -pthread "$PROGRAMS/kept_frames.cpp" -o plain
        "$HEDDLE" record -q --seed=1 -o t.htr -- ./plain >out
        run "$HEDDLE" check --property=race,unordered t.htr
        echo "$output"
        [ "$status" -eq 0 ]
    done
}

@test "the end of a thread is that of its thread-local variables" {
    "$HEDDLE" cc "$PROGRAMS/frames/left_thread_local.c" -o left
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./left >out
    run "$HEDDLE" check --confirm --property=race t.htr -- ./left
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"Data race: T1 show frees "*"while main reads it"*"replayed: confirmed"* ]]
}

@test "gcc: the ends of variables of variable size and of parameters of a function expanded in place are writes, too" {
    compiler=gcc
    for level in 0 2; do
        "$HEDDLE" cc -O$level "$PROGRAMS/frames/sized_at_run_time.c" -o sized
        frame_ends sized array
        sed 's/__attribute__((noinline)) pthread_t/inline __attribute__((always_inline)) pthread_t/
            s/start(int given)/start(int amount)/; s/int amount = given + 1;/amount++;/' "$PROGRAMS/frames/left_scope.c" >expanded.c
        "$HEDDLE" cc -O$level expanded.c -o expanded
        frame_ends expanded
    done
}

@test "clang: a member of a local variable that another thread knows is read" {
    command -v clang >/dev/null || skip "clang is not installed"
    HEDDLE_CC=clang "$HEDDLE" cc "$PROGRAMS/kept_scope.c" -o kept
    "$HEDDLE" record -q --seed=1 -o t.htr -- ./kept >out
    "$HEDDLE" convert t.htr t.std
    grep '^main|r(ask: j.done' t.std
}
