/* expect: race=no deadlock=no */
/* Where and how often handlers run: before raise returns, once for each signal queued, in the middle of waits that go
 * on afterwards, and out of calls that they never return to. */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_int handled, sum;
static sem_t ran, never;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int ready, waited;
static sigjmp_buf back;

static void count(int number)
{
    assert(number > 0);
    handled++;
}

static void add(int number, siginfo_t *info, void *context)
{
    assert(number == info->si_signo && context);
    sum = sum * 10 + info->si_value.sival_int;
    errno = EDOM;
}

static void tell(int number)
{
    assert(number == SIGUSR2);
    sem_post(&ran);
}

static void leave(int number)
{
    siglongjmp(back, number);
}

static void set(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};

    assert(sigaction(number, &action, NULL) == 0);
}

/* What goes to the process may come a little later. */
static void await(const atomic_int *what, int value)
{
    while (*what != value)
        ;
}

static void in_this_thread(void)
{
    struct sigaction action = {.sa_sigaction = add, .sa_flags = SA_SIGINFO}, now;
    union sigval value = {0};
    sigset_t queued;

    set(SIGUSR1, count, 0);
    assert(raise(SIGUSR1) == 0 && handled == 1);
    assert(kill(getpid(), SIGUSR1) == 0);
    await(&handled, 2);
    assert(pthread_kill(pthread_self(), SIGUSR1) == 0 && handled == 3);
    set(SIGUSR1, count, (int)SA_RESETHAND);
    assert(raise(SIGUSR1) == 0 && handled == 4);
    assert(sigaction(SIGUSR1, NULL, &now) == 0 && now.sa_handler == SIG_DFL);

    sigaction(SIGRTMIN, &action, NULL);
    sigemptyset(&queued);
    sigaddset(&queued, SIGRTMIN);
    pthread_sigmask(SIG_BLOCK, &queued, NULL);
    errno = 0;
    for (value.sival_int = 1; value.sival_int <= 3; value.sival_int++)
        assert(sigqueue(getpid(), SIGRTMIN, value) == 0 && sum == 0);
    pthread_sigmask(SIG_UNBLOCK, &queued, NULL);
    await(&sum, 123);
    value.sival_int = 4;
    assert(sigqueue(getpid(), SIGRTMIN, value) == 0);
    await(&sum, 1234);
}

/* The handler comes in the middle of the wait, which goes on. */
static void *wait_for_it(void *unused)
{
    pthread_mutex_lock(&lock);
    waited = 1;
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void in_a_wait(void)
{
    pthread_t thread;
    int there = 0;

    set(SIGUSR2, tell, SA_RESTART);
    pthread_create(&thread, NULL, wait_for_it, NULL);
    while (!there) {
        pthread_mutex_lock(&lock);
        there = waited;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 3; i++) {
        pthread_kill(thread, SIGUSR2);
        while (sem_wait(&ran) != 0)
            ;
    }
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
}

static void *send(void *to)
{
    pthread_kill(*(pthread_t *)to, SIGUSR1);
    return NULL;
}

static void sent_to_me(void)
{
    static pthread_t self, thread; /* kept over siglongjmp */
    sigset_t blocked, before;

    self = pthread_self();
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &blocked, &before);
    set(SIGUSR1, count, 0);
    pthread_create(&thread, NULL, send, &self);
    assert(sigsuspend(&before) == -1 && errno == EINTR && handled == 5);
    pthread_join(thread, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);

    set(SIGUSR1, leave, 0);
    for (volatile int round = 0; round < 2; round++) {
        if (sigsetjmp(back, 1) == 0) {
            pthread_create(&thread, NULL, send, &self);
            sem_wait(&never);
            assert(!"sem_wait returned");
        }
        pthread_join(thread, NULL);
    }
}

int main(void)
{
    sem_init(&ran, 0, 0);
    sem_init(&never, 0, 0);
    in_this_thread();
    in_a_wait();
    sent_to_me();
    assert(handled == 5);
    return 0;
}
