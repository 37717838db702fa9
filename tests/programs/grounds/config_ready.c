/* A variable that is written and read outside the lock; what both threads do under it orders nothing, whichever
 * comes first: a race in every order. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int config, ready;

static void *writer(void *unused)
{
    config = 1;
    pthread_mutex_lock(&lock);
    ready++;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    pthread_mutex_lock(&lock);
    ready += 2;
    pthread_mutex_unlock(&lock);
    return config ? unused : NULL;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, writer, NULL);
    pthread_create(&threads[1], NULL, reader, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    return 0;
}
