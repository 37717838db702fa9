/* races: a-b */
/* The producer goes on writing after it has told the consumer. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
int ready, data;

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    data = 42; /* @a */
    return unused;
}

static void *second(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    data++; /* @b */
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
