#!/usr/bin/env bats
# Busy waiting: few events, the same findings, runs that can be repeated.

load support

setup_file() {
    cd "$BATS_FILE_TMPDIR"
    for level in 0 2; do
        "$HEDDLE" cc -O$level "$PROGRAMS/polls/polls.c" -o polls$level
    done
}

setup() {
    cd "$BATS_FILE_TMPDIR"
}

@test "what vmsplice and tee move orders like what is written and read" {
    "$HEDDLE" cc -O1 "$PROGRAMS/trouble/moved.c" -o moved
    for seed in 1 2 3; do
        [ "$("$HEDDLE" record -q --seed=$seed -o t.htr -- ./moved)" = 5 ]
        run "$HEDDLE" check --property=race,unordered t.htr
        echo "$output"
        [ "$status" -eq 0 ]
    done
}

@test "the same without instrumentation, and of splice, sendfile, preadv2 and SIGIO" {
    needs_valgrind
    gcc -g -O1 "$PROGRAMS/trouble/moved.c" -o moved_plain -pthread
    cat >told.c <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>
static int near[2], far[2], way, data;
static volatile sig_atomic_t told;
static void tell(int number) { told = number; }
static void *give(void *unused)
{
    struct iovec part = {"x", 1};
    int file = open("/proc/self/exe", O_RDONLY);
    data = 5;
    if ((way == 1 ? sendfile(near[1], file, 0, 1) : pwritev2(near[1], &part, 1, -1, 0)) != 1)
        abort();
    return unused;
}
int main(int count, char **words)
{
    pthread_t giver;
    struct iovec part = {&(char){0}, 1};
    sigset_t io, before;
    way = count > 1 ? atoi(words[1]) : 0;
    sigemptyset(&io);
    sigaddset(&io, SIGIO);
    sigprocmask(SIG_BLOCK, &io, &before);
    signal(SIGIO, tell);
    if ((way == 3 ? socketpair(AF_UNIX, SOCK_STREAM, 0, near) : pipe(near)) != 0 || pipe(far) != 0)
        return 1;
    if (way == 3)
        fcntl(near[0], F_SETOWN, getpid()), fcntl(near[0], F_SETFL, O_ASYNC);
    pthread_create(&giver, NULL, give, NULL);
    while (way == 3 && !told)
        sigsuspend(&before);
    if (way == 2 && splice(near[0], 0, far[1], 0, 1, 0) != 1)
        return 1;
    if (way != 3 && preadv2(way == 2 ? far[0] : near[0], &part, 1, -1, 0) != 1)
        return 1;
    printf("%d\n", data);
    pthread_join(giver, NULL);
    return 0;
}
C
    gcc -g -O1 told.c -o told -pthread
    for program in ./moved_plain ./told "./told 1" "./told 2" "./told 3"; do
        [ "$("$HEDDLE" record -q --tool=valgrind -o t.htr -- $program)" = 5 ]
        run "$HEDDLE" check --property=race,unordered t.htr
        echo "$program: $output"
        [ "$status" -eq 0 ]
    done
}

@test "polls that find what was found before are left out, and counted" {
    for level in 0 2; do
        run "$HEDDLE" record --seed=1 -o t.htr -- ./polls$level workers
        [ "$status" -eq 0 ]
        [[ "$output" =~ ([0-9]+)" polls left out that found what those before them had found" ]]
        [ "${BASH_REMATCH[1]}" -gt 1000 ]
        [ "$(events t.htr)" -lt 5000 ]
        "$HEDDLE" record -q --replay=t.htr -o again.htr -- ./polls$level workers
        cmp t.htr again.htr
        HEDDLE_NO_TRIAL=1 "$HEDDLE" record -q --two-pass --clock=5 --seed=2 -o two.htr -- ./polls$level over
        "$HEDDLE" record -q --clock=5 --seed=2 -o one.htr -- ./polls$level over
        cmp <("$HEDDLE" convert one.htr -) <("$HEDDLE" convert two.htr -)
    done
}

@test "the findings are those of the trace with all polls" {
    once
    for seed in 1 2; do
        for way in workers over count; do # a lock of one bit is hard to decide in full
            for keep in 0 1; do
                export HEDDLE_KEEP_POLLS=$keep
                "$HEDDLE" record -q --seed=$seed --clock=5 -o t$keep.htr -- ./polls0 $way
                "$HEDDLE" check --format=json -o t$keep.json t$keep.htr || [ $? -eq 2 ]
                "$HEDDLE" verify t$keep.htr t$keep.json
            done
            python3 - <<'END'
import json
def places(name):
    found = set()
    for f in json.load(open(name + ".json"))["findings"]:
        found.add((f["property"], f.get("variable"), tuple(sorted(str(p) for p in f.get("locations", [])))))
    return found
left_out, kept = places("t0"), places("t1")
assert left_out == kept, (left_out ^ kept)
END
        done
    done
}

@test "work that looks at something atomic is no waiting: the clock does not leap" {
    for level in 0 2; do
        "$HEDDLE" cc -O$level "$PROGRAMS/polls/working.c" -o working$level
        for sleeper in "" sleeper; do
            # 10,000 rounds of a few accesses and calls; a poll that waits makes a millisecond pass
            [ "$("$HEDDLE" record -q --seed=1 --clock=5 -o t.htr -- ./working$level $sleeper)" -lt 100 ]
        done
    done
}
