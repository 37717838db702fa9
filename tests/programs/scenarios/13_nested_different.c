/* races: a-b */
/* Both threads hold a lock, not the same one; an inner section of the common lock orders them when the first
 * comes first. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t another = PTHREAD_MUTEX_INITIALIZER;
int shared, other;

static void *first(void *unused)
{
    pthread_mutex_lock(&outer);
    shared++; /* @a */
    pthread_mutex_lock(&inner);
    other = 1;
    pthread_mutex_unlock(&inner);
    pthread_mutex_unlock(&outer);
    return unused;
}

static void *second(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&another);
    pthread_mutex_lock(&inner);
    other = 2;
    pthread_mutex_unlock(&inner);
    shared++; /* @b */
    pthread_mutex_unlock(&another);
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
