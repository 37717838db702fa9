/* Two threads that make locks, use them and destroy them, all their life. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifndef TIMES
#define TIMES 1 /* how much longer than usual */
#endif

enum { LOCKS = 20000 * TIMES };

static long total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_t *own = malloc(sizeof *own);
        pthread_mutex_init(own, NULL);
        pthread_mutex_lock(own);
        pthread_mutex_lock(&lock);
        total++;
        pthread_mutex_unlock(&lock);
        pthread_mutex_unlock(own);
        pthread_mutex_destroy(own);
        free(own);
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
