/* expect: race=no deadlock=no */
/* Workers take numbers from a queue until it is closed. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    struct job *next;
    int number;
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct job *first;
    bool closed;
    int sum;
} queue = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, false, 0};

static struct job *take(void)
{
    struct job *job;

    pthread_mutex_lock(&queue.lock);
    while (!queue.first && !queue.closed)
        pthread_cond_wait(&queue.changed, &queue.lock);
    job = queue.first;
    if (job)
        queue.first = job->next;
    pthread_mutex_unlock(&queue.lock);
    return job;
}

static void *work(void *unused)
{
    struct job *job;

    while ((job = take())) {
        int square = job->number * job->number;
        free(job);
        pthread_mutex_lock(&queue.lock);
        queue.sum += square;
        pthread_mutex_unlock(&queue.lock);
    }
    return unused;
}

int main(void)
{
    pthread_t workers[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&workers[i], NULL, work, NULL);
    for (int i = 1; i <= 5; i++) {
        struct job *job = malloc(sizeof *job);
        job->number = i;
        pthread_mutex_lock(&queue.lock);
        job->next = queue.first;
        queue.first = job;
        pthread_cond_signal(&queue.changed);
        pthread_mutex_unlock(&queue.lock);
    }
    pthread_mutex_lock(&queue.lock);
    queue.closed = true;
    pthread_cond_broadcast(&queue.changed);
    pthread_mutex_unlock(&queue.lock);
    for (int i = 0; i < 2; i++)
        pthread_join(workers[i], NULL);
    printf("%d\n", queue.sum);
    return queue.sum != 55;
}
