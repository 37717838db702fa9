/* One order of many uses a pointer before it is set. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value = 7, *shared, ready;

static void *maker(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    shared = &value;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *seen = &value, is_ready;

    pthread_create(&thread, NULL, maker, NULL);
    pthread_mutex_lock(&lock);
    is_ready = ready;
    seen = shared;
    pthread_mutex_unlock(&lock);
    if (is_ready)
        printf("%d\n", *seen);
    pthread_join(thread, NULL);
    return 0;
}
