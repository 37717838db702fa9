/* expect: race=yes nondet=yes deadlock=no */
/* A stencil in place, without a barrier: neighbours race. */
#include <pthread.h>
#include <stdio.h>

enum { CELLS = 8, WORKERS = 2 };

static int row[CELLS];

static void *work(void *number)
{
    int from = *(int *)number * CELLS / WORKERS, to = from + CELLS / WORKERS;

    for (int i = from; i < to; i++)
        row[i] = row[(i + CELLS - 1) % CELLS] + row[(i + 1) % CELLS];
    return NULL;
}

int main(void)
{
    pthread_t threads[WORKERS];
    int numbers[WORKERS];

    for (int i = 0; i < CELLS; i++)
        row[i] = i;
    for (int i = 0; i < WORKERS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", row[0]);
    return 0;
}
