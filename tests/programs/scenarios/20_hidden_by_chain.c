/* races: a-b */
/* Three threads, two locks: the accesses are ordered through the one in the middle, as long as they come in
 * turn. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t left = PTHREAD_MUTEX_INITIALIZER, right = PTHREAD_MUTEX_INITIALIZER;
int shared, one, two;

static void *first(void *unused)
{
    shared = 1; /* @a */
    pthread_mutex_lock(&left);
    one = 1;
    pthread_mutex_unlock(&left);
    return unused;
}

static void *middle(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&left);
    one = 2;
    pthread_mutex_unlock(&left);
    pthread_mutex_lock(&right);
    two = 1;
    pthread_mutex_unlock(&right);
    return unused;
}

static void *last(void *unused)
{
    usleep(60000);
    pthread_mutex_lock(&right);
    two = 2;
    pthread_mutex_unlock(&right);
    shared = 2; /* @b */
    return unused;
}

int main(void)
{
    void *(*const starts[])(void *) = {first, middle, last};
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, starts[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
