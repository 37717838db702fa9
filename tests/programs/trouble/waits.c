/* How every wait ends: by its time, by a signal handler, by another thread. Prints a line for each, the same whether the
 * program is recorded or not.
 *
 * usage: waits none|plain|restart: which handler is installed for the signal */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

enum { SHORT = 30, LONG = 90 }; /* milliseconds: until something happens, until a wait is over */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static int word, ends[2], turned, with_handler;
static pthread_t waiter;

static struct timespec milliseconds(long count)
{
    return (struct timespec){.tv_sec = count / 1000, .tv_nsec = count % 1000 * 1000000};
}

static struct timespec from_now(clockid_t clock, long count)
{
    struct timespec t;

    clock_gettime(clock, &t);
    t.tv_nsec += count * 1000000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static void handler(int number)
{
    (void)number;
}

static int futex(int operation, int value, const struct timespec *limit)
{
    return syscall(SYS_futex, &word, operation | FUTEX_PRIVATE_FLAG, value, limit, NULL,
                   FUTEX_BITSET_MATCH_ANY) < 0
               ? errno
               : 0;
}

static int futex_for(void)
{
    struct timespec limit = milliseconds(LONG);

    return futex(FUTEX_WAIT, 0, &limit);
}

static int futex_until(void)
{
    struct timespec limit = from_now(CLOCK_MONOTONIC, LONG);

    return futex(FUTEX_WAIT_BITSET, 0, &limit);
}

static int futex_forever(void)
{
    return futex(FUTEX_WAIT, 0, NULL);
}

static int sem_until(void)
{
    struct timespec limit = from_now(CLOCK_REALTIME, LONG);

    return sem_timedwait(&semaphore, &limit) ? errno : 0;
}

static int sem_clock(void)
{
    struct timespec limit = from_now(CLOCK_MONOTONIC, LONG);

    return sem_clockwait(&semaphore, CLOCK_MONOTONIC, &limit) ? errno : 0;
}

static int sem_forever(void)
{
    return sem_wait(&semaphore) ? errno : 0;
}

static int cond_wait(int timed)
{
    struct timespec limit = from_now(CLOCK_REALTIME, LONG);
    int error = 0;

    pthread_mutex_lock(&mutex);
    while (!turned && !error)
        error = timed ? pthread_cond_timedwait(&cond, &mutex, &limit) : pthread_cond_wait(&cond, &mutex);
    pthread_mutex_unlock(&mutex);
    return error;
}

static int cond_until(void)
{
    return cond_wait(1);
}

static int cond_forever(void)
{
    return cond_wait(0);
}

static int mutex_until(void)
{
    struct timespec limit = from_now(CLOCK_REALTIME, LONG);
    int error = pthread_mutex_timedlock(&held, &limit);

    if (!error)
        pthread_mutex_unlock(&held);
    return error;
}

static int read_lock_until(void)
{
    struct timespec limit = from_now(CLOCK_REALTIME, LONG);
    int error = pthread_rwlock_timedrdlock(&lock, &limit);

    if (!error)
        pthread_rwlock_unlock(&lock);
    return error;
}

static int sleeping(void)
{
    struct timespec delay = milliseconds(LONG);

    return nanosleep(&delay, NULL) ? errno : 0;
}

static int sleeping_until(void)
{
    struct timespec limit = from_now(CLOCK_MONOTONIC, LONG);

    return clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &limit, NULL);
}

static int polling(void)
{
    struct pollfd one = {.fd = ends[0], .events = POLLIN};
    int ready = poll(&one, 1, LONG);

    return ready < 0 ? errno : ready ? 0 : ETIMEDOUT;
}

static int selecting(void)
{
    struct timeval limit = {.tv_usec = LONG * 1000};
    fd_set in;
    int ready;

    FD_ZERO(&in);
    FD_SET(ends[0], &in);
    ready = select(ends[0] + 1, &in, NULL, NULL, &limit);
    return ready < 0 ? errno : ready ? 0 : ETIMEDOUT;
}

static int epolling(void)
{
    struct epoll_event event = {.events = EPOLLIN}, came;
    int set = epoll_create1(0), ready, error;

    epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &event);
    ready = epoll_wait(set, &came, 1, LONG);
    error = ready < 0 ? errno : ready ? 0 : ETIMEDOUT;
    close(set);
    return error;
}

static int reading(void)
{
    char byte;

    return read(ends[0], &byte, 1) == 1 ? 0 : errno;
}

enum { NOTHING = 1, SIGNAL = 2, WAKE = 4 };

/* The ways in which each wait is to end. */
static const struct {
    const char *name;
    int (*wait)(void);
    int ways;
} waits[] = {
    {"futex", futex_for, NOTHING | SIGNAL | WAKE},
    {"futex until", futex_until, NOTHING | SIGNAL | WAKE},
    {"futex forever", futex_forever, WAKE | SIGNAL},
    {"semaphore until", sem_until, NOTHING | SIGNAL | WAKE},
    {"semaphore clock", sem_clock, NOTHING | SIGNAL | WAKE},
    {"semaphore", sem_forever, WAKE | SIGNAL},
    {"condition until", cond_until, NOTHING | SIGNAL | WAKE},
    {"condition", cond_forever, WAKE | SIGNAL},
    {"mutex until", mutex_until, NOTHING | SIGNAL | WAKE},
    {"read lock until", read_lock_until, NOTHING | SIGNAL | WAKE},
    {"sleep", sleeping, NOTHING | SIGNAL},
    {"sleep until", sleeping_until, NOTHING | SIGNAL},
    {"poll", polling, NOTHING | SIGNAL | WAKE},
    {"select", selecting, NOTHING | SIGNAL | WAKE},
    {"epoll", epolling, NOTHING | SIGNAL | WAKE},
    {"read", reading, WAKE | SIGNAL},
};

static int way;
static sem_t holding; /* the helper has the locks */

static void wake_all(void)
{
    pthread_mutex_lock(&mutex);
    turned = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&mutex);
    sem_post(&semaphore);
    __atomic_store_n(&word, 1, __ATOMIC_SEQ_CST);
    futex(FUTEX_WAKE, 1, NULL);
    if (write(ends[1], "x", 1) != 1)
        perror("write");
}

/* Holds the locks while the other thread waits; then does what the wait is to end by. A wait that goes on after a handler
 * is ended by a wake. */
static void *help(void *unused)
{
    struct timespec delay = milliseconds(SHORT), longer = milliseconds(2 * LONG);

    pthread_mutex_lock(&held);
    pthread_rwlock_wrlock(&lock);
    sem_post(&holding);
    while (nanosleep(&delay, &delay) != 0)
        ;
    if (way == SIGNAL && with_handler)
        pthread_kill(waiter, SIGUSR1);
    if (way != WAKE)
        nanosleep(&longer, NULL);
    pthread_rwlock_unlock(&lock);
    pthread_mutex_unlock(&held);
    wake_all();
    return unused;
}

static const char *word_for(int error)
{
    return error == 0           ? "woken"
           : error == ETIMEDOUT ? "time"
           : error == EINTR     ? "interrupted"
                                : strerror(error);
}

static void try(unsigned which)
{
    static const char *const names[] = {[NOTHING] = "nothing", [SIGNAL] = "signal", [WAKE] = "wake"};
    pthread_t thread;
    char byte;
    int error;

    turned = word = 0;
    waiter = pthread_self();
    pthread_create(&thread, NULL, help, NULL);
    while (sem_wait(&holding) != 0)
        ;
    error = waits[which].wait();
    pthread_join(thread, NULL);
    while (sem_trywait(&semaphore) == 0)
        ;
    if (waits[which].wait != reading || error != 0)
        while (read(ends[0], &byte, 1) < 0)
            ;
    printf("%s, %s: %s\n", waits[which].name, names[way], word_for(error));
    fflush(stdout);
}

int main(int count, char **words)
{
    struct sigaction action = {.sa_handler = handler};

    with_handler = count > 1 && strcmp(words[1], "none") != 0;
    action.sa_flags = count > 1 && strcmp(words[1], "restart") == 0 ? SA_RESTART : 0;
    if (with_handler)
        sigaction(SIGUSR1, &action, NULL);
    sem_init(&semaphore, 0, 0);
    sem_init(&holding, 0, 0);
    if (pipe(ends) != 0)
        return 1;
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
        for (way = NOTHING; way <= WAKE; way *= 2)
            if (waits[i].ways & way && (way != SIGNAL || with_handler))
                try(i);
    return 0;
}
