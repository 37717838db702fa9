/* clock SECONDS UPDATES [lock]: two threads work until the time is over; prints how many rounds they made. A round is a look
 * at the time, so many updates of an array of the thread's own and, with `lock`, one of a shared counter. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CELLS = 1024 };

static double seconds;
static long updates, counter, rounds[2];
static int locks, arrays[2][CELLS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void *work(void *number)
{
    int *array = arrays[(long)number];
    double end = now() + seconds;

    for (; now() < end; rounds[(long)number]++) {
        for (long i = 0; i < updates; i++)
            array[i % CELLS] += (int)i;
        if (!locks)
            continue;
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];

    if (argc < 3)
        return 2;
    seconds = atof(argv[1]);
    updates = atol(argv[2]);
    locks = argc > 3;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", rounds[0] + rounds[1]);
    return 0;
}
