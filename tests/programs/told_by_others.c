/* expect: race=no unordered=no deadlock=no */
/* What a thread learns from others than threads: a child process writes into a pipe, a signal comes with a value, another because
 * there is something to read. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int from_child[2], ready[2], first, third;
static pthread_t reader;
static volatile sig_atomic_t can_read;

static void note(int number)
{
    can_read = number;
}

static void *give(void *unused)
{
    int *second = malloc(sizeof *second);

    *second = 6;
    pthread_sigqueue(reader, SIGRTMIN, (union sigval){.sival_ptr = second});
    third = 7;
    if (write(ready[1], "x", 1) != 1)
        abort();
    return unused;
}

static void *take(void *unused)
{
    pthread_t thread;
    sigset_t value, before;
    siginfo_t about;
    char byte;
    int total;

    reader = pthread_self();
    sigemptyset(&value);
    sigaddset(&value, SIGRTMIN);
    if (read(from_child[0], &byte, 1) != 1)
        abort();
    total = first;
    pthread_create(&thread, NULL, give, NULL);
    if (sigwaitinfo(&value, &about) != SIGRTMIN)
        abort();
    total += *(int *)about.si_value.sival_ptr;
    free(about.si_value.sival_ptr);
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    sigdelset(&before, SIGIO);
    while (!can_read)
        sigsuspend(&before);
    total += third;
    pthread_join(thread, NULL);
    printf("%d\n", total);
    return unused;
}

int main(void)
{
    pthread_t thread;
    sigset_t blocked;
    pid_t child;

    sigemptyset(&blocked);
    sigaddset(&blocked, SIGRTMIN);
    sigaddset(&blocked, SIGIO);
    pthread_sigmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGIO, note);
    if (pipe(from_child) != 0 || pipe(ready) != 0)
        return 1;
    fcntl(ready[0], F_SETOWN, getpid());
    fcntl(ready[0], F_SETFL, O_ASYNC);
    pthread_create(&thread, NULL, take, NULL);
    first = 5;
    child = fork();
    if (child == 0) {
        if (write(from_child[1], "x", 1) != 1)
            abort();
        _exit(0);
    }
    pthread_join(thread, NULL);
    waitpid(child, NULL, 0);
    return 0;
}
