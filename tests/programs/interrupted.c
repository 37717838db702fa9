/* expect: race=no nondet=no deadlock=no */
/* Calls that wait, ended by a signal handler: each fails with EINTR, and what the sender wrote before is there.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static pthread_t waiter;
static sem_t begin, never;
static volatile sig_atomic_t handled;
static int rounds, message;

static void on_signal(int number)
{
    handled = number;
}

static void *interrupt(void *unused)
{
    struct timespec moment = {.tv_nsec = 5000000};

    for (int i = 0; i < rounds; i++) {
        sem_wait(&begin);
        nanosleep(&moment, NULL);
        message = i;
        pthread_kill(waiter, SIGUSR1);
    }
    return unused;
}

static void expect(long result, int error, int round)
{
    assert(result == -1 && error == EINTR && handled == SIGUSR1 && message == round);
    handled = 0;
    if (round + 1 < rounds)
        sem_post(&begin);
}

#define EXPECT_INTERRUPTED(call)                                                                               \
    do {                                                                                                       \
        long result = call;                                                                                    \
        expect(result, errno, round++);                                                                        \
    } while (0)

int main(void)
{
    struct sigaction action = {.sa_handler = on_signal};
    struct timespec long_time = {.tv_sec = 9};
    struct epoll_event event;
    struct pollfd one;
    sigset_t none;
    fd_set set;
    pthread_t thread;
    int ends[2], round = 0;
    char byte;

    rounds = 9;
    assert(pipe(ends) == 0);
    sigemptyset(&none);
    sigaction(SIGUSR1, &action, NULL);
    waiter = pthread_self();
    sem_init(&begin, 0, 1);
    sem_init(&never, 0, 0);
    one = (struct pollfd){ends[0], POLLIN, 0};
    FD_ZERO(&set);
    FD_SET(ends[0], &set);
    pthread_create(&thread, NULL, interrupt, NULL);
    EXPECT_INTERRUPTED(read(ends[0], &byte, 1));
    EXPECT_INTERRUPTED(poll(&one, 1, -1));
    EXPECT_INTERRUPTED(ppoll(&one, 1, &long_time, &none));
    EXPECT_INTERRUPTED(select(ends[0] + 1, &set, NULL, NULL, NULL));
    EXPECT_INTERRUPTED(pselect(ends[0] + 1, &set, NULL, NULL, &long_time, &none));
    EXPECT_INTERRUPTED(epoll_wait(epoll_create1(0), &event, 1, -1));
    EXPECT_INTERRUPTED(epoll_pwait(epoll_create1(0), &event, 1, -1, &none));
    EXPECT_INTERRUPTED(nanosleep(&long_time, NULL));
    EXPECT_INTERRUPTED(sem_wait(&never));
    pthread_join(thread, NULL);
    return 0;
}
