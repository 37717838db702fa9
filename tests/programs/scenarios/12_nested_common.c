/* races: none */
/* Of two nested locks, one is common to both threads. */
#include <pthread.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
int shared;

static void *first(void *unused)
{
    pthread_mutex_lock(&outer);
    pthread_mutex_lock(&inner);
    shared++;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&outer);
    shared++;
    pthread_mutex_unlock(&outer);
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
