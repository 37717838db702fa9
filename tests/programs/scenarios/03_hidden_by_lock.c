/* races: a-b */
/* A lock that protects something else orders the accesses, as long as the first thread gets it first. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared, other;

static void *first(void *unused)
{
    shared = 1; /* @a */
    pthread_mutex_lock(&lock);
    other = 4;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&lock);
    other = 5;
    pthread_mutex_unlock(&lock);
    shared = 2; /* @b */
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
