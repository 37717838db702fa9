/* expect: race=no assertion=yes */
/* A hundred threads: each value is published in two stages, under a lock each. Who looks between them sees half. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

enum { THREADS = 100 };

static pthread_mutex_t first_lock = PTHREAD_MUTEX_INITIALIZER, second_lock = PTHREAD_MUTEX_INITIALIZER;
static int first, second;

static void *publish(void *arg)
{
    int value;

    pthread_mutex_lock(&first_lock);
    value = ++first;
    pthread_mutex_unlock(&first_lock);
    pthread_mutex_lock(&second_lock);
    if (second < value + 1)
        second = value + 1;
    pthread_mutex_unlock(&second_lock);
    return arg;
}

static void *look(void *arg)
{
    int seen, then;

    pthread_mutex_lock(&first_lock);
    seen = first;
    pthread_mutex_unlock(&first_lock);
    if (seen == 0)
        return arg;
    pthread_mutex_lock(&second_lock);
    then = second;
    pthread_mutex_unlock(&second_lock);
    assert(then >= seen + 1);
    return arg;
}

int main(void)
{
    pthread_t threads[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, i % 10 == 9 ? look : publish, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    puts("published");
    return 0;
}
