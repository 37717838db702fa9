/* expect: race=yes nondet=yes deadlock=no determinism=yes */
/* The raytracer of ESOP'09 §5: workers add to one checksum without a lock. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3, ROWS = 2 };

static long checksum;

static void *render(void *number)
{
    int id = *(int *)number;

    for (int y = 0; y < ROWS; y++) {
        long pixel = (id + 1) * (y + 3);
        checksum += pixel;
    }
    return NULL;
}

int main(void)
{
    static int numbers[WORKERS] = {0, 1, 2};
    pthread_t threads[WORKERS];

    HEDDLE_DETERMINISTIC_BEGIN("render");
    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, render, &numbers[i]);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    HEDDLE_DETERMINISTIC_END("render");
    printf("%ld\n", checksum);
    return 0;
}
