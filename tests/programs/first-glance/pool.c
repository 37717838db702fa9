/* A thread pool: tasks are taken from a list under a lock. BROKEN: what a worker adds up is stored without it. */
#include <pthread.h>
#include <stdio.h>

enum { WORKERS = 3, TASKS = 6 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int next_task, sum;

static int take(void)
{
    int task;

    pthread_mutex_lock(&mutex);
    task = next_task < TASKS ? next_task++ : -1;
    pthread_mutex_unlock(&mutex);
    return task;
}

static void *work(void *unused)
{
    int own = 0;

    for (int task; (task = take()) >= 0;)
        own += task;
#ifdef BROKEN
    sum += own; /* planted */
#else
    pthread_mutex_lock(&mutex);
    sum += own;
    pthread_mutex_unlock(&mutex);
#endif
    return unused;
}

int main(void)
{
    pthread_t workers[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(workers[i], NULL);
    printf("%d\n", sum);
    return 0;
}
