/* expect: race=no nondet=no deadlock=no unordered=no */
/* Signals between threads: one waits for them, one is interrupted by them. What was done before sending is
 * seen. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>

static int data, other;
static atomic_int handled;

static void *wait_for_it(void *set)
{
    int number = 0;

    sigwait(set, &number);
    data = data * 2 + (number == SIGUSR1);
    return NULL;
}

static void on_usr2(int number)
{
    (void)number;
    other *= 3;
    atomic_store(&handled, 1);
}

static void *spin(void *unused)
{
    while (!atomic_load(&handled))
        ;
    return unused;
}

int main(void)
{
    pthread_t waiter, spinner;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    signal(SIGUSR2, on_usr2);
    pthread_create(&waiter, NULL, wait_for_it, &set);
    pthread_create(&spinner, NULL, spin, NULL);
    data = 20;
    pthread_kill(waiter, SIGUSR1);
    pthread_join(waiter, NULL);
    other = 7;
    pthread_kill(spinner, SIGUSR2);
    pthread_join(spinner, NULL);
    printf("%d %d\n", data, other);
    return data + other != 62;
}
