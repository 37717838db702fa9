/* expect: race=no deadlock=no unordered=no */
/* Detached threads, destructors of thread-specific data, and a main that ends before the others do. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_key_t key;
static int destroyed, started;

static void destroy(void *data)
{
    pthread_mutex_lock(&lock);
    destroyed += *(int *)data;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    free(data);
}

static void *work(void *number)
{
    int *data = malloc(sizeof *data);

    *data = (int)(long)number;
    pthread_setspecific(key, data);
    pthread_mutex_lock(&lock);
    started++;
    pthread_mutex_unlock(&lock);
    if (*data == 2)
        pthread_exit(NULL);
    return NULL;
}

static void *last(void *unused)
{
    pthread_mutex_lock(&lock);
    while (destroyed < 6)
        pthread_cond_wait(&changed, &lock);
    printf("%d %d\n", started, destroyed);
    pthread_mutex_unlock(&lock);
    exit(0);
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;

    pthread_key_create(&key, destroy);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    for (long i = 1; i <= 2; i++)
        pthread_create(&thread, &attributes, work, (void *)i);
    pthread_create(&thread, NULL, work, (void *)3L);
    pthread_detach(thread);
    pthread_create(&thread, &attributes, last, NULL);
    pthread_exit(NULL);
}
