/* expect: race=yes assertion=yes */
/* Seven threads count under one lock; one of them takes another lock, whose name is nearly the same. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 7 };

static pthread_mutex_t data_lock = PTHREAD_MUTEX_INITIALIZER, date_lock = PTHREAD_MUTEX_INITIALIZER;
static int data;

static void *count(void *arg)
{
    pthread_mutex_t *lock = arg ? &date_lock : &data_lock;
    int seen;

    pthread_mutex_lock(lock);
    seen = data;
    data = seen + 1;
    pthread_mutex_unlock(lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, count, i == 4 ? &data : NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert(data == THREADS);
    puts("counted");
    return 0;
}
