/* A handler wakes a thread by a semaphore; a signal from outside ends the program's wait. */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <unistd.h>

static sem_t woken;
static volatile sig_atomic_t seen;

static void on_alarm(int number)
{
    seen = number;
    sem_post(&woken);
}

static void *waiter(void *unused)
{
    while (sem_wait(&woken) != 0)
        ;
    return unused;
}

int main(void)
{
    struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    struct sigaction action = {.sa_handler = on_alarm};
    pthread_t thread;

    sem_init(&woken, 0, 0);
    sigaction(SIGALRM, &action, NULL);
    setitimer(ITIMER_REAL, &soon, NULL);
    pthread_create(&thread, NULL, waiter, NULL);
    pthread_join(thread, NULL);
    printf("%d\n", seen == SIGALRM);
    return 0;
}
