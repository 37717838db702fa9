/* expect: race=no nondet=no deadlock=no */
/* A stencil in steps: a barrier keeps reads of the old row and writes of the new one apart. */
#include <pthread.h>
#include <stdio.h>

enum { CELLS = 8, STEPS = 3, WORKERS = 2 };

static int rows[2][CELLS];
static pthread_barrier_t barrier;

static void *work(void *number)
{
    int from = *(int *)number * CELLS / WORKERS, to = from + CELLS / WORKERS;

    for (int step = 0; step < STEPS; step++) {
        const int *old = rows[step % 2];
        int *new = rows[(step + 1) % 2];
        for (int i = from; i < to; i++)
            new[i] = old[(i + CELLS - 1) % CELLS] + old[(i + 1) % CELLS];
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    int numbers[WORKERS];

    for (int i = 0; i < CELLS; i++)
        rows[0][i] = i;
    pthread_barrier_init(&barrier, NULL, WORKERS);
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", rows[STEPS % 2][0]);
    pthread_barrier_destroy(&barrier);
    return 0;
}
