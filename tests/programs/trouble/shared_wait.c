/* Waits on a condition that processes may share, by the clock that its first argument names: one that is notified long before its
 * time is over, and one that nobody ends. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int ready;

static void *notify(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

static long nanoseconds_from(const struct timespec *one, const struct timespec *other)
{
    return (other->tv_sec - one->tv_sec) * 1000000000 + other->tv_nsec - one->tv_nsec;
}

int main(int argc, char **argv)
{
    clockid_t clock = argc > 1 && strcmp(argv[1], "monotonic") == 0 ? CLOCK_MONOTONIC : CLOCK_REALTIME;
    pthread_condattr_t attributes;
    struct timespec limit, now;
    pthread_t thread;
    int error = 0;

    pthread_condattr_init(&attributes);
    pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    pthread_condattr_setclock(&attributes, clock);
    pthread_cond_init(&changed, &attributes);
    pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, notify, NULL);
    clock_gettime(clock, &limit);
    limit.tv_sec += 100;
    while (!ready && error == 0)
        error = pthread_cond_timedwait(&changed, &lock, &limit);
    assert(error == 0);
    clock_gettime(clock, &limit);
    limit.tv_nsec += 1000000;
    if (limit.tv_nsec >= 1000000000) {
        limit.tv_sec++;
        limit.tv_nsec -= 1000000000;
    }
    do
        error = pthread_cond_timedwait(&changed, &lock, &limit);
    while (error == 0);
    clock_gettime(clock, &now);
    assert(error == ETIMEDOUT && nanoseconds_from(&limit, &now) >= 0);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    puts("well");
    return 0;
}
