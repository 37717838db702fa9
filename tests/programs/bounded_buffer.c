/* expect: race=no deadlock=no */
/* Producers and consumers around a ring, with two conditions. */
#include <pthread.h>
#include <stdio.h>

enum { ROOM = 2, ITEMS = 6 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t not_full, not_empty;
    int items[ROOM];
    int first, count;
} buffer = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, PTHREAD_COND_INITIALIZER, {0}, 0, 0};

static int sum;

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&buffer.lock);
        while (buffer.count == ROOM)
            pthread_cond_wait(&buffer.not_full, &buffer.lock);
        buffer.items[(buffer.first + buffer.count++) % ROOM] = i;
        pthread_cond_signal(&buffer.not_empty);
        pthread_mutex_unlock(&buffer.lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        pthread_mutex_lock(&buffer.lock);
        while (buffer.count == 0)
            pthread_cond_wait(&buffer.not_empty, &buffer.lock);
        sum += buffer.items[buffer.first];
        buffer.first = (buffer.first + 1) % ROOM;
        buffer.count--;
        pthread_cond_signal(&buffer.not_full);
        pthread_mutex_unlock(&buffer.lock);
    }
    return unused;
}

int main(void)
{
    pthread_t producer, consumer;

    pthread_create(&producer, NULL, produce, NULL);
    pthread_create(&consumer, NULL, consume, NULL);
    pthread_join(producer, NULL);
    pthread_join(consumer, NULL);
    printf("%d\n", sum);
    return sum != ITEMS * (ITEMS + 1) / 2;
}
