/* expect: race=no deadlock=no */
/* Waits that time out: they take no real time, and nothing follows from them. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t empty;
static int slept;

static struct timespec in_seconds(int seconds)
{
    struct timespec limit;

    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_sec += seconds;
    return limit;
}

static void *waiter(void *unused)
{
    struct timespec limit = in_seconds(30);

    pthread_mutex_lock(&lock);
    if (pthread_cond_timedwait(&never, &lock, &limit) != ETIMEDOUT)
        puts("woken");
    slept++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    struct timespec limit;

    sem_init(&empty, 0, 0);
    pthread_create(&thread, NULL, waiter, NULL);
    limit = in_seconds(20);
    if (sem_timedwait(&empty, &limit) == 0 || errno != ETIMEDOUT)
        puts("posted");
    sleep(15);
    usleep(1000);
    pthread_join(thread, NULL);
    printf("%d\n", slept);
    return 0;
}
