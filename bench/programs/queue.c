/* A lock-heavy queue: two producers, two consumers, a short ring between them. */
#include <pthread.h>
#include <stdio.h>

#ifndef TIMES
#define TIMES 1 /* how much longer than usual */
#endif

enum { ROOM = 8, ITEMS = 50000 * TIMES };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int items[ROOM];
    unsigned first, count;
    long sum;
} queue = {.lock = PTHREAD_MUTEX_INITIALIZER,
           .not_full = PTHREAD_COND_INITIALIZER,
           .not_empty = PTHREAD_COND_INITIALIZER};

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&queue.lock);
        while (queue.count == ROOM)
            pthread_cond_wait(&queue.not_full, &queue.lock);
        queue.items[(queue.first + queue.count++) % ROOM] = i;
        pthread_cond_signal(&queue.not_empty);
        pthread_mutex_unlock(&queue.lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&queue.lock);
        while (queue.count == 0)
            pthread_cond_wait(&queue.not_empty, &queue.lock);
        queue.sum += queue.items[queue.first++ % ROOM];
        queue.count--;
        pthread_cond_signal(&queue.not_full);
        pthread_mutex_unlock(&queue.lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[4];

    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, i % 2 ? consume : produce, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", queue.sum);
    return 0;
}
