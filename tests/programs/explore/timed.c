/* A lock that is waited for twice until one moment: the second wait begins when that may be over. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int got;

static void *holds(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    struct timespec limit;
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, holds, NULL);
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec++;
    for (int i = 0; i < 2; i++)
        if (pthread_mutex_timedlock(&lock, &limit) == 0) {
            got++;
            pthread_mutex_unlock(&lock);
        }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", got);
    return 0;
}
