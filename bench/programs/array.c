/* An array kernel: two threads, each on its own array, and a sum at the end. Nearly all accesses are private.
 */
#include <pthread.h>
#include <stdio.h>

#ifndef TIMES
#define TIMES 1 /* how much longer than usual */
#endif

enum { CELLS = 4096, ROUNDS = 6000 * TIMES };

static int rows[2][CELLS];
static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *row)
{
    int *cells = row;
    long sum = 0;

    for (int round = 0; round < ROUNDS; round++)
        for (int i = 1; i < CELLS; i++)
            cells[i] = cells[i - 1] + i;
    for (int i = 0; i < CELLS; i++)
        sum += cells[i];
    pthread_mutex_lock(&lock);
    total += sum;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, rows[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
