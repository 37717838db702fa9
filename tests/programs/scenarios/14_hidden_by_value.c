/* races: a-b */
/* The second thread reads what the first wrote under the lock, and goes on alike whatever it read: that no later event
 * stands on the read tells from one run what it would do when it comes first. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int shared, other;

static void *first(void *unused)
{
    shared = 1; /* @a */
    pthread_mutex_lock(&lock);
    other = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *second(void *unused)
{
    volatile int seen;

    usleep(20000);
    pthread_mutex_lock(&lock);
    seen = other;
    pthread_mutex_unlock(&lock);
    shared = 2; /* @b */
    (void)seen;
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
