#!/usr/bin/env bats
# heddle hunt: from one run to the bugs it can lead to.
load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for program in "$PROGRAMS"/hunt/*.c "$PROGRAMS"/philosophers.c "$PROGRAMS"/lost_update.c; do
        "$HEDDLE" cc -g -O1 "$program" -o "$(basename "$program" .c)"
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
    rm -rf heddle-hunt
}

@test "a check that no longer holds leads to the failed assertion, and to a schedule that shows it" {
    run "$HEDDLE" hunt --runs=40 --stop-at-first --seed=1 -- ./shop </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Failed assertion"* ]]
    run "$HEDDLE" replay heddle-hunt H1 -- ./shop </dev/null
    [[ "$output" == *"Assertion"* ]]
    [[ "$output" == *"followed; outcome: same"* ]]
    mkdir elsewhere
    mv heddle-hunt elsewhere/
    run "$HEDDLE" replay elsewhere/heddle-hunt P1 -- ./shop </dev/null
    echo "$output"
    rm -r elsewhere
    [[ "$output" == *"heddle: P1 of the hunt is T1 of elsewhere/heddle-hunt/run-"*"T1: confirmed"* ]]
}

@test "a run that is cut off at the end of the hunt is no hang" {
    cat >slow.c <<'END'
#include <pthread.h>
static volatile long steps;
static void *work(void *unused)
{
    for (long i = 0; i < 3000000000; i++)
        steps = i;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
}
END
    "$HEDDLE" cc -O1 slow.c -o slow
    run "$HEDDLE" hunt --for=1s --seed=1 -- ./slow </dev/null
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" != *Hang* ]]
    [[ "$output" == *"No run came to its end: --for should be longer."* ]]
    run "$HEDDLE" hunt --for=60s --timeout=1 --runs=1 --seed=1 -- ./slow </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Hang: the run did not end in time"* ]]
}

@test "a deadlock that is predicted is made to happen" {
    run "$HEDDLE" hunt --runs=40 --seed=1 -- ./philosophers </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Deadlock: no thread could continue"* ]]
    [[ "$output" == *"followed P1: Deadlock: "* ]]
    run "$HEDDLE" replay heddle-hunt P1 -- ./philosophers </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"confirmed"* ]]
    run "$HEDDLE" replay heddle-hunt P9 -- ./philosophers
    [ "$output" = "heddle: replay: heddle-hunt/hunt.json: has no problem P9" ]
    run "$HEDDLE" verify heddle-hunt/run-1.htr heddle-hunt/run-1.json
    [ "$status" -eq 0 ]
}

@test "other output is a problem; a correct program has none, and the hunt ends by itself" {
    run "$HEDDLE" hunt --runs=40 --seed=1 -- ./lost_update </dev/null
    [ "$status" -eq 2 ]
    [[ "$output" == *"The output differs from that of the first run"* ]]
    run "$HEDDLE" hunt --for=0 --seed=1 -- ./careful_shop </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "${lines[1]}" == "The hunt ended because nothing new came up"* ]]
}

@test "outputs are compared if the first run's schedule gives the same output again; a repetition that leaves it is made once more" {
    cat >varies.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}
/* As many rounds as the n-th argument says, in the n-th run. */
int main(int argc, char **argv)
{
    FILE *runs = fopen("runs", "a+");
    pthread_t thread;
    fputc('x', runs);
    for (int rounds = atoi(argv[ftell(runs) < argc ? ftell(runs) : argc - 1]); rounds > 0; rounds--) {
        pthread_create(&thread, 0, work, 0);
        work(0);
        pthread_join(thread, 0);
    }
    fclose(runs);
    return printf("%d\n", count) < 0;
}
END
    "$HEDDLE" cc -g -O1 varies.c -o varies
    rm -f runs
    run "$HEDDLE" hunt --runs=8 --seed=1 -- ./varies 3 1 3 </dev/null
    echo "$output"
    [ "$(grep -c '"kind": "repeat"' heddle-hunt/hunt.json)" -eq 2 ]
    [[ "$output" != *"outputs are not compared"* ]]
    rm -f runs
    run "$HEDDLE" hunt --runs=8 --seed=1 -- ./varies 3 1 2 3 </dev/null
    [ "$(grep -c '"kind": "repeat"' heddle-hunt/hunt.json)" -eq 2 ]
    [[ "$output" == *"The program does not follow the first run's schedule again, so outputs are not compared."* ]]
    rm -f runs
    run "$HEDDLE" hunt --runs=8 --seed=1 -- ./varies 1 2 1 </dev/null
    [ "$(grep -c '"kind": "repeat"' heddle-hunt/hunt.json)" -eq 1 ]
    [[ "$output" == *"The same schedule gives different output each time, so outputs are not compared."* ]]
}

@test "reads that would see what no run has shown come first" {
    for seed in 1 2; do # 6 runs to the failed assertion; in the order of discovery 22 and 17
        run "$HEDDLE" hunt --runs=10 -j1 --stop-at-first --seed=$seed -- ./server </dev/null
        echo "$output"
        [ "$status" -eq 2 ]
        [[ "$output" == *"Failed assertion"* ]]
    done
}

@test "what takes several steps of reads that see something else, or a long preemption, is found under every seed; nothing where it is done right" {
    for program in deque visitors free_list at_exit late_answer; do
        for seed in 1 2 14; do
            run "$HEDDLE" hunt -q --for=0 --runs=300 --stop-at-first --seed=$seed -- ./$program </dev/null
            echo "$program $seed: $status"
            [ "$status" -eq 2 ]
            grep -q '"kind": "happened"' heddle-hunt/hunt.json
        done
    done
    for program in visitors free_list at_exit late_answer; do
        run "$HEDDLE" hunt -q --for=0 --runs=60 --seed=1 -- ./$program right </dev/null
        [ "$status" -eq 0 ]
    done
}

@test "the first notes are shown, and how many more there are" {
    run "$HEDDLE" hunt --runs=3 --seed=1 -- ./deque </dev/null
    echo "$output"
    [[ "${lines[-1]}" =~ ^"and "[0-9]+" more notes, in heddle-hunt/hunt.json"$ ]]
}

@test "what only reads rule out is tried; it counts if it happened, and verify accepts it as observed" {
    run "$HEDDLE" hunt --runs=20 --seed=1 -- ./veiled </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"P1  Data race: "*"which ran towards it"* ]]
    [[ "$output" == *"Candidates that only reads rule out: 1, of which 1 were run and 1 happened."* ]]
    run "$HEDDLE" verify heddle-hunt P1
    [ "$status" -eq 0 ]
    [[ "$output" =~ ^"P1: accepted: observed in run "[0-9]+$ ]]
    number=${output##* }
    run "$HEDDLE" replay heddle-hunt P1 -- ./veiled </dev/null
    [[ "$output" == *"P1: confirmed"* || "$output" == *"R1: confirmed"* ]]
    sed -i 's/"then": \[[^]]*\]/"then": [1]/' "heddle-hunt/run-$number.json"
    run "$HEDDLE" verify heddle-hunt
    [ "$status" -eq 1 ]
    [[ "$output" == *"P1: rejected: "* ]]
    run "$HEDDLE" verify heddle-hunt P7
    [ "$output" = "heddle: verify: heddle-hunt/hunt.json: has no problem P7" ]
    cp heddle-hunt/hunt.json was.json
    for change in 's/"property": *"[a-z]*"/"property": "deadlock"/' 's/"kind": *"predicted"/"kind": "happened"/'; do
        sed "$change" was.json >heddle-hunt/hunt.json
        run "$HEDDLE" verify heddle-hunt
        [ "$status" -eq 1 ]
        [[ "$output" == *": rejected: "* ]]
    done
    cp was.json heddle-hunt/hunt.json
}

@test "a candidate that did not happen is no finding" {
    run "$HEDDLE" hunt --runs=20 --seed=1 -- ./unveiled </dev/null
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *"Candidates that only reads rule out: 1, of which 1 were run and 0 happened."* ]]
}

@test "what happened gets the shortest schedule that running parts of it found" {
    "$HEDDLE" hunt --runs=10 --seed=1 -- ./philosophers </dev/null >told || true
    cat told
    grep -q '^    happened in 1 of 9 runs (0 of [0-9]* free ones), first in run 3$' told
    grep -q '^    shortest schedule: [0-9]* context switches, in run [0-9]*; [0-9]* when it was first seen$' told
    run "$HEDDLE" replay heddle-hunt H1 -- ./philosophers </dev/null
    [[ "$output" == *"followed; outcome: same"* ]]
    run "$HEDDLE" verify heddle-hunt H1
    [[ "$output" == "H1: accepted: happened in run "* ]]
}

@test "the same seed gives the same search, however many runs are made at a time" {
    for i in 1 2; do
        "$HEDDLE" hunt --runs=25 -j$((2 * i - 1)) --seed=7 -o "again$i" -- ./shop </dev/null >/dev/null || true
        sed "s/again$i/again/g; s/\"\(seconds*\|busy\)\": [0-9.]*//g" "again$i/hunt.json" >"search$i"
    done
    cmp search1 search2
}

@test "what was not recorded is said, and no problem is then status 3" {
    printf '#include <stdlib.h>\n#include <unistd.h>\nint main(int n, char **w) { (void)w; return n > 1 ? system("true") : 0; }\n' >alone.c
    "$HEDDLE" cc alone.c -o alone
    run "$HEDDLE" hunt --runs=3 -- ./alone
    echo "$output"
    [ "$status" -eq 3 ]
    [[ "$output" == *" runs were not recorded in full; the first: no second thread ran."* ]]
    grep -q '"complete": *false' heddle-hunt/hunt.json
    run "$HEDDLE" hunt --runs=2 -- ./alone child
    [ "$status" -eq 3 ]
}

@test "several runs at a time; interrupted, it reports what it has" {
    run "$HEDDLE" hunt --runs=30 -j3 --seed=1 -- ./shop </dev/null
    [ "$status" -eq 2 ]
    grep -q '"kind": "happened"' heddle-hunt/hunt.json
    rm -rf heddle-hunt
    "$HEDDLE" hunt --for=0 --seed=1 -- "$BATS_FILE_TMPDIR/shop" </dev/null >told &
    pid=$!
    until [ -e heddle-hunt/run-1.json ]; do sleep 0.05; done
    kill -INT $pid 2>/dev/null || true
    wait $pid || true
    grep -q '^The hunt ended because' told
    [ -s heddle-hunt/hunt.json ]
}

@test "places of the code that no thread reached are listed until a run reaches them" {
    cat >branch.c <<'C'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int first, alone[9];
static volatile int never, late;
static void *one(void *p) { pthread_mutex_lock(&lock); if (!first) first = 1; pthread_mutex_unlock(&lock); return p; }
static void *two(void *p)
{
    pthread_mutex_lock(&lock);
    if (!first) {
        first = 2;
        late = 2;
    }
    pthread_mutex_unlock(&lock);
    return p;
}
int main(int n, char **words)
{
    pthread_t a, b;
    for (int i = 0; i < 9; i++)
        alone[i] = words != 0;
    if (n > 1)
        never = n;
    pthread_create(&a, 0, one, 0), pthread_create(&b, 0, two, 0);
    pthread_join(a, 0), pthread_join(b, 0);
    return alone[n] != 1;
}
C
    "$HEDDLE" cc -g -O1 branch.c -o branch
    for seed in 1 2 3 4 5 6; do # until it is the first thread that comes first
        "$HEDDLE" hunt --runs=1 --seed=$seed -- ./branch </dev/null >told || true
        ! grep -q '^    branch.c:10 two' told || break
    done
    cat told
    grep -q '^Never reached: 3 of 8 places' told
    grep -q '^    branch.c:10 two, also line 11$' told
    grep -q '^    branch.c:22 main$' told
    "$HEDDLE" hunt --runs=20 --seed=$seed -- ./branch </dev/null >told || true
    cat told
    grep -q '^Never reached: 1 of 8 places' told
    grep -q '^    branch.c:22 main$' told
    grep -q '>1 place of the program.s code that no thread reached<' heddle-hunt/hunt.html
}

@test "a hunt that is killed leaves what it found so far" {
    "$HEDDLE" hunt --for=0 --seed=1 -- ./shop </dev/null >told &
    pid=$!
    until grep -q '"id": "H1"' heddle-hunt/hunt.json 2>/dev/null; do sleep 0.02; done
    kill -KILL $pid
    wait $pid || true
    grep -q '"over": "not over", "complete": false' heddle-hunt/hunt.json
    run "$HEDDLE" verify heddle-hunt H1
    echo "$output"
    [[ "$output" == "H1: accepted: happened in run 3"* ]]
}

@test "a disk that is full ends no hunt, and is said" {
    unshare -rm true 2>/dev/null || skip "no mounts of one's own"
    mkdir -p small
    run unshare -rm sh -c 'mount -t tmpfs -o size=64k none small && "$HEDDLE" hunt --runs=30 --seed=1 -o small/hunted -- ./shop </dev/null'
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"runs failed to start or to be recorded; the first because: small/hunted/run-"*": No space left on device"* ]]
    [[ "$output" == *"H1  Failed assertion"*"heddle: small/hunted/hunt."*": No space left on device" ]]
    run unshare -rm sh -c 'mount -t tmpfs -o ro none small && "$HEDDLE" hunt --runs=3 -o small -- ./shop </dev/null'
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: small/run-1.htr: Read-only file system" ]
}

@test "a process that outlives its run holds nothing up" {
    cat >leaves.c <<'C'
#include <unistd.h>
int main(void)
{
    if (fork() == 0)
        execlp("sleep", "sleep", "30", (char *)0);
    return 0;
}
C
    "$HEDDLE" cc leaves.c -o leaves
    SECONDS=0
    run "$HEDDLE" hunt --runs=3 --for=20s --seed=1 -- ./leaves </dev/null
    echo "$output"
    [[ "$output" == "3 runs in"* ]]
    [ $SECONDS -lt 15 ]
}

@test "--isolate: each run has a copy of the folder and temporary files of its own" {
    mkdir -p apart
    cat >apart.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(void) { /* fails if another run was here before */
    FILE *mark;
    if (access("seed", R_OK) || !access("mark", F_OK) || !(mark = fopen("mark", "w")) || fclose(mark) || chdir(getenv("TMPDIR")) || !access("mark", F_OK))
        return 1;
    mark = fopen("mark", "w");
    return !mark || fclose(mark);
}
END
    "$HEDDLE" cc apart.c -o apart.out
    touch apart/seed
    run "$HEDDLE" hunt --runs=5 --seed=1 --isolate=apart -o apart/hunted -- ./apart.out </dev/null
    echo "$output"
    [ "$status" -eq 3 ] # there is one thread only
    [ "$(ls apart)" = $'hunted\nseed' ]
    [ -z "$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name "heddle-hunt-*")" ]
    (cd apart && run "$HEDDLE" hunt --runs=5 --seed=1 -- ../apart.out </dev/null && [ "$status" -eq 2 ])
    run "$HEDDLE" hunt --isolate=nowhere -- ./apart.out
    [ "$output" = "heddle: hunt: --isolate=nowhere: is no folder" ]
}

@test "--net: each run has a network of its own" {
    cat >listen.c <<'END'
#include <netinet/in.h>
#include <stdlib.h>
#include <unistd.h>
int main(int count, char **port) {
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((unsigned short)atoi(port[1])), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    return count < 2 || bind(socket(AF_INET, SOCK_STREAM, 0), (struct sockaddr *)&to, sizeof to);
}
END
    "$HEDDLE" cc listen.c -o listen
    run "$HEDDLE" hunt --runs=3 --seed=1 --net -- ./listen 80 </dev/null
    echo "$output"
    [ "$status" -eq 3 ] || [[ "$output" == "heddle: hunt: --net: this system cannot give a run its own network: "* ]] || [ "$(id -u)" -ne 0 ]
    run "$HEDDLE" hunt --runs=6 -j3 --seed=1 --net -- ./listen 7171 </dev/null
    [ "$status" -eq 3 ] || [[ "$output" == "heddle: hunt: --net: this system cannot give a run its own network: "* ]]
}

@test "Java programs, too" {
    needs_java
    cat >Shop.java <<'END'
public class Shop {
    static int stock = 1;
    static synchronized int look() { return stock; }
    static synchronized void sell() { if (--stock < 0) throw new IllegalStateException("sold twice"); }
    public static void main(String[] args) throws Exception {
        Runnable customer = () -> { if (look() > 0) sell(); };
        Thread a = new Thread(customer), b = new Thread(customer);
        a.start(); b.start(); a.join(); b.join();
    }
}
END
    javac Shop.java
    run "$HEDDLE" hunt --runs=12 --stop-at-first --timeout=60 -- java -cp . Shop </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"Uncaught exception: java.lang.IllegalStateException"* ]]
}

@test "Java threads that wait forever are one problem, however the run was made, with what they wait for" {
    needs_java
    cat >Forgotten.java <<'END'
public class Forgotten {
    static final Object bell = new Object();
    static void rest() {
        synchronized (bell) {
            try {
                bell.wait();
            } catch (InterruptedException e) {
                return;
            }
        }
    }
    public static void main(String[] args) {
        new Thread(Forgotten::rest, "a").start();
        new Thread(Forgotten::rest, "b").start();
    }
}
END
    javac Forgotten.java
    run "$HEDDLE" hunt --runs=3 --seed=1 --timeout=60 -- java -XX:TieredStopAtLevel=1 -cp . Forgotten </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [ "$(grep -c "^H" <<<"$output")" -eq 1 ]
    [[ "$output" == *"H1  Deadlock: no thread could continue"*"happened in 2 of 2 runs (2 of 2 free ones)"* ]]
    [ "$(grep -c '"run": .*"outcome": "a deadlock"' heddle-hunt/hunt.json)" -ge 3 ]
    [[ "$output" == *"    a waits for a notify of "*", at Forgotten.java:6 Forgotten.rest"* ]]
    [[ "$output" == *"    b waits for a notify of "*", at Forgotten.java:6 Forgotten.rest"* ]]
    run "$HEDDLE" replay heddle-hunt H1 -- java -XX:TieredStopAtLevel=1 -cp . Forgotten </dev/null
    [[ "$output" == *"followed; outcome: same"* ]]
}

@test "the same seed gives the same search in a Java program whose threads come in the same order when they are free" {
    needs_java
    cat >Slowly.java <<'END'
public class Slowly {
    static int stock = 1;
    static synchronized int look() { return stock; }
    static synchronized void sell() { stock--; }
    public static void main(String[] args) throws Exception {
        Runnable customer = () -> { if (look() > 0) sell(); };
        Thread a = new Thread(customer), b = new Thread(customer);
        a.start(); Thread.sleep(150); b.start(); a.join(); b.join();
    }
}
END
    javac Slowly.java
    for i in 1 2; do
        "$HEDDLE" hunt --runs=5 -j1 --seed=7 --timeout=60 -o "again$i" -- java -XX:TieredStopAtLevel=1 -cp . Slowly </dev/null >/dev/null || true
        sed -n 's/^ *{\("run": [1-5], .*\), "diverged".*/\1/p' "again$i/hunt.json" >"search$i"
    done
    cat search1
    [ "$(wc -l <search1)" -eq 5 ]
    grep -q '"kind": "finding", "of": 1, "followed": "N1: ' search1
    cmp search1 search2
}

@test "standard input that does not end is refused; a hunt says that it waits for it" {
    run timeout 100 sh -c "yes | '$HEDDLE' hunt --runs=1 -- ./shop"
    echo "$output"
    [ "$status" -eq 1 ]
    [[ "$output" == *"standard input is a pipe with more than 256 MB"* ]]
    run sh -c "sleep 3 | '$HEDDLE' hunt --runs=1 -- ./shop"
    [[ "${lines[0]}" == "heddle: waiting for the end of standard input"* ]]
}

@test "what is wrong with the command line is said" {
    run "$HEDDLE" hunt
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: hunt: no program given: heddle hunt -- PROGRAM ARGUMENTS" ]
    run "$HEDDLE" hunt --for=soon -- ./shop
    [ "$output" = "heddle: hunt: --for=soon: expected a time like 60s, 5m or 1h" ]
    run "$HEDDLE" hunt -o /nowhere/at/all -- ./shop
    [ "$status" -eq 1 ]
    run "$HEDDLE" hunt -- ./no-such-program
    [ "$status" -eq 1 ]
    [[ "$output" == *"no-such-program"* ]]
    : >file
    run "$HEDDLE" hunt -o file -- ./shop
    [ "$status" -eq 1 ]
    [ "$output" = "heddle: file: Not a directory" ]
    run "$HEDDLE" hunt --runs=1 -- ./file
    [ "$output" = "heddle: ./file: cannot be run: Permission denied" ]
    run "$HEDDLE" hunt --runs=1 -- true
    [ "$status" -eq 1 ]
    [[ "$output" == *"true is not instrumented"*"record it as it is with \`heddle run --tool=valgrind\`" ]]
}

# Each ends in another way that is no fault of the hunt's.
@test "a deadlock is told once, and threads that hang are told by where they wait" {
    "$HEDDLE" cc -g -O1 "$PROGRAMS/abba.c" -o abba
    run "$HEDDLE" hunt --runs=40 --seed=1 -- ./abba </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [ "$(grep -c "^H" <<<"$output")" -eq 1 ]
    [[ "$output" == *"    T1 there waits for lock second, which T2 back holds, at "*"abba.c:14 there"* ]]
    [[ "$output" == *"    T2 back waits for lock first, which T1 there holds, at "*"abba.c:24 back"* ]]
    cat >keeps.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *try(void *unused)
{
    while (pthread_mutex_trylock(&lock) != 0)
        ;
    return unused;
}
int main(void)
{
    pthread_t thread;
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, try, NULL);
    return pthread_join(thread, NULL);
}
END
    "$HEDDLE" cc -g -O1 keeps.c -o keeps
    ulimit -v 2500000
    run "$HEDDLE" hunt --runs=2 --timeout=2 --seed=1 -- ./keeps </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Hang: the run did not end in time"* ]]
    [[ "$output" == *"    main waits for the end of T1 try, at keeps.c:14 main"* ]]
    [[ "$output" == *"    the last step was made at keeps.c:5 try"* ]]
    grep -q '"waiting": \["main waits for the end of T1 try, at ' heddle-hunt/hunt.json
    grep -q '<li>main waits for the end of T1 try, at ' heddle-hunt/hunt.html
    run "$HEDDLE" verify heddle-hunt
    echo "$output"
    [[ "${lines[0]}" == "H1: not checked: the trace of run 1 ends where the time of the run was up" ]]
}

@test "programs that crash at once, hang, close their output, fork or become another program" {
    cat >odd.c <<'END'
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
static void *thread(void *unused)
{
    return unused;
}
int main(int count, char **argument)
{
    pthread_t made;
    if (*argument[1] == 'a')
        abort();
    pthread_create(&made, NULL, thread, NULL);
    pthread_join(made, NULL);
    if (*argument[1] == 'h')
        for (;;)
            pause();
    if (*argument[1] == 'c')
        for (int i = 0; i < 100; i++)
            close(i);
    if (*argument[1] == 'f' && fork() > 0)
        wait(NULL);
    if (*argument[1] == 'e')
        execl("/bin/true", "true", (char *)NULL);
    return count == 0;
}
END
    "$HEDDLE" cc odd.c -o odd
    run "$HEDDLE" hunt --runs=4 -- ./odd abort </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"happened in 3 of 3 runs (3 of 3 free ones), first in run 1"* ]]
    SECONDS=0
    run "$HEDDLE" hunt --for=2 -j2 -- ./odd hang </dev/null
    [ $SECONDS -le 4 ]
    [ "$status" -eq 3 ]
    [[ "$output" == *"The hunt ended because the time was up."* ]]
    run "$HEDDLE" hunt --for=20 --runs=3 --timeout=1 -- ./odd hang </dev/null
    echo "$output"
    [ "$status" -eq 2 ]
    [[ "$output" == *"H1  Hang: "* ]]
    run "$HEDDLE" hunt --runs=4 -- ./odd close </dev/null
    [ "$status" -eq 0 ]
    run "$HEDDLE" hunt --runs=4 -- ./odd fork </dev/null
    [ "$status" -eq 3 ]
    [[ "$output" == *"1 child process was not recorded"* ]]
    run "$HEDDLE" hunt --runs=4 -- ./odd exec </dev/null
    [ "$status" -eq 3 ]
    [[ "$output" == *"the program called exec"* ]]
}
