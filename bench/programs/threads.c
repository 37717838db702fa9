/* A program that makes threads and joins them, two at a time, all its life. */
#include <pthread.h>
#include <stdio.h>

#ifndef TIMES
#define TIMES 1 /* how much longer than usual */
#endif

enum { PAIRS = 2000 * TIMES };

static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    total++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int pair = 0; pair < PAIRS; pair++) {
        for (int i = 0; i < 2; i++)
            pthread_create(&threads[i], NULL, work, NULL);
        for (int i = 0; i < 2; i++)
            pthread_join(threads[i], NULL);
    }
    printf("%ld\n", total);
    return 0;
}
