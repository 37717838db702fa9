/* expect: race=no nondet=no deadlock=no determinism=no serializability=yes */
/* The SOR of ESOP'09 §5 with a barrier that works. Deterministic, and not atomic. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 2, CELLS = 8, ROUNDS = 2 };

static int cells[CELLS] = {0, 16, 32, 48, 64, 80, 96, 112};
static pthread_barrier_t barrier;

/* Red cells first, then black ones: each step reads what only the other colour's step writes. */
static void *relax(void *number)
{
    int from = *(int *)number * CELLS / WORKERS, to = from + CELLS / WORKERS;

    for (int step = 0; step < 2 * ROUNDS; step++) {
        for (int i = from; i < to; i++)
            if (i % 2 == step % 2)
                cells[i] = (cells[(i + CELLS - 1) % CELLS] + cells[(i + 1) % CELLS]) / 2;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    static int numbers[WORKERS] = {0, 1};
    pthread_t threads[WORKERS];

    pthread_barrier_init(&barrier, NULL, WORKERS);
    HEDDLE_DETERMINISTIC_BEGIN("sor");
    HEDDLE_ATOMIC_BEGIN("sor");
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, relax, &numbers[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    HEDDLE_ATOMIC_END("sor");
    HEDDLE_DETERMINISTIC_END("sor");
    printf("%d\n", cells[0]);
    return 0;
}
