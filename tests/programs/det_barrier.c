/* expect: race=no nondet=no deadlock=no determinism=no serializability=yes */
/* ESOP'09 Fig. 2a: workers read all, meet at a barrier, write their own. Deterministic, and not atomic. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3, ROUNDS = 3 };

static pthread_barrier_t barrier;
static int cells[WORKERS];

static void *work(void *number)
{
    int id = *(int *)number;

    for (int i = 0; i < ROUNDS; i++) {
        int sum = cells[0] + 2 * cells[1] + 3 * cells[2] + id;
        pthread_barrier_wait(&barrier);
        cells[id] = sum;
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    static int numbers[WORKERS] = {0, 1, 2};
    pthread_t threads[WORKERS - 1];

    pthread_barrier_init(&barrier, NULL, WORKERS);
    HEDDLE_DETERMINISTIC_BEGIN("main");
    HEDDLE_ATOMIC_BEGIN("main");
    for (int i = 0; i < WORKERS - 1; i++)
        pthread_create(&threads[i], NULL, work, &numbers[i]);
    work(&numbers[WORKERS - 1]);
    for (int i = 0; i < WORKERS - 1; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", cells[0] + cells[1] + cells[2]);
    HEDDLE_ATOMIC_END("main");
    HEDDLE_DETERMINISTIC_END("main");
    pthread_barrier_destroy(&barrier);
    return 0;
}
