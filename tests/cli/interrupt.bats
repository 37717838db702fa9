#!/usr/bin/env bats
# Ctrl-C reaches the whole process group: whatever it interrupts ends soon, and nothing that was found is lost.

load support

@test "exploring and confirming end within two seconds, with what they have" {
    once
    cd "$BATS_TEST_TMPDIR"
    cat >busy.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int x, y;
static void *add(void *unused)
{
    for (int i = 0; i < 6; i++) {
        pthread_mutex_lock(&mutex);
        int value = x;
        pthread_mutex_unlock(&mutex);
        pthread_mutex_lock(&mutex);
        x = value + 1;
        pthread_mutex_unlock(&mutex);
    }
    y++;
    return unused;
}
int main(int argc, char **argv)
{
    pthread_t threads[3];
    (void)argv;
    if (argc > 1)
        signal(SIGINT, SIG_IGN); /* a program that does not want to end */
    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", x);
    return 0;
}
END
    "$HEDDLE" cc -g -O1 busy.c -o busy
    "$HEDDLE" record -q --seed=3 -o busy.htr ./busy
    "$HEDDLE" record -q --seed=3 -o stubborn.htr ./busy ignore
    python3 - "$HEDDLE" <<'END'
import json, os, signal, subprocess, sys, time

heddle = sys.argv[1]
confirm = ["check", "--confirm", "--deterministic", "--format=json", "-o", "found.json"]
commands = [["explore", "-o", "out", "--format=json", "./busy"], ["explore", "-o", "out", "--format=json", "./busy", "ignore"],
            confirm + ["busy.htr", "--", "./busy"], confirm + ["stubborn.htr", "--", "./busy", "ignore"]]
for i in range(12):
    command = [heddle] + commands[i % 4]
    if os.path.exists("found.json"):
        os.unlink("found.json")
    process = subprocess.Popen(command, start_new_session=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(0.3 + 0.11 * i)
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)
    start = time.monotonic()
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - start
    assert took < 2, (command, took)
    assert process.returncode in (0, 2, 3), (command, process.returncode, err)
    report = json.loads(out if command[1] == "explore" else open("found.json").read())
    if command[1] == "check":
        assert report["findings"], command
END
}
