/* Two threads that take blocks from the heap and give them back, each for itself, and count under a lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TIMES
#define TIMES 1 /* how much longer than usual */
#endif

enum { BLOCKS = 20000 * TIMES, CELLS = 64 };

static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (int i = 0; i < BLOCKS; i++) {
        int *block = malloc(CELLS * sizeof *block);
        for (int k = 0; k < CELLS; k++)
            block[k] = k + i;
        pthread_mutex_lock(&lock);
        total += block[i % CELLS];
        pthread_mutex_unlock(&lock);
        free(block);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
