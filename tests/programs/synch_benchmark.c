/* expect: race=no nondet=yes deadlock=no */
/* Threads count under one lock taken again and again, and under another taken once around a loop. Threads and
 * rounds may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t often = PTHREAD_MUTEX_INITIALIZER, once = PTHREAD_MUTEX_INITIALIZER;
static int threads = 4, rounds = 4, by_step, by_block;

static void *count(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        pthread_mutex_lock(&often);
        by_step++;
        pthread_mutex_unlock(&often);
    }
    pthread_mutex_lock(&once);
    for (int i = 0; i < rounds; i++)
        by_block++;
    pthread_mutex_unlock(&once);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t workers[MOST];

    threads = argc > 1 ? atoi(argv[1]) : threads;
    threads = threads > MOST ? MOST : threads;
    rounds = argc > 2 ? atoi(argv[2]) : rounds;
    for (int i = 0; i < threads; i++)
        pthread_create(&workers[i], NULL, count, NULL);
    for (int i = 0; i < threads; i++)
        pthread_join(workers[i], NULL);
    printf("%d %d\n", by_step, by_block);
    return by_step != by_block || by_step != threads * rounds;
}
