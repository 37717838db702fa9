/* Waits until a time of one clock, and compares it with another: both rounded to microseconds. Natively a wait ends a little
 * late, which hides what rounding takes away; a wait that ended at the very nanosecond would seem too short. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { WAITS = 2000, WAIT_MICROSECONDS = 1000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;

static long long microseconds(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return now.tv_sec * 1000000LL + now.tv_nsec / 1000;
}

static void work(int amount)
{
    static volatile int busy;

    for (int i = 0; i < amount; i++)
        busy++;
}

/* Returns how long the wait took. */
static long long wait_once(int amount)
{
    struct timespec until;
    long long start, end;

    work(amount);
    start = microseconds(CLOCK_MONOTONIC);
    work(20); /* a thread that only looks at clocks would be one that waits */
    end = microseconds(CLOCK_REALTIME) + WAIT_MICROSECONDS;
    until = (struct timespec){.tv_sec = end / 1000000, .tv_nsec = end % 1000000 * 1000};
    pthread_mutex_lock(&mutex);
    while (pthread_cond_timedwait(&never, &mutex, &until) != ETIMEDOUT)
        ;
    pthread_mutex_unlock(&mutex);
    return microseconds(CLOCK_MONOTONIC) - start;
}

int main(void)
{
    int short_ones = 0;

    for (int i = 0; i < WAITS; i++)
        short_ones += wait_once(7 * (i % 200)) < WAIT_MICROSECONDS;
    printf("%d\n", short_ones);
    return 0;
}
