/* races: none */
/* What was set up under the lock is used only by who saw so under the lock. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int ready, data;

static void *first(void *unused)
{
    pthread_mutex_lock(&lock);
    data = 42;
    ready = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    int seen;

    usleep(20000);
    pthread_mutex_lock(&lock);
    seen = ready;
    pthread_mutex_unlock(&lock);
    if (seen)
        data++;
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
