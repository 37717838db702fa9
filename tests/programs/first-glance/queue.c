/* Producer and consumer with a condition. BROKEN: the consumer looks whether there is an item without the lock. */
#include <pthread.h>
#include <stdio.h>

enum { ITEMS = 4 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER;
static int items[ITEMS], count, taken;

static void *produce(void *unused)
{
    for (int i = 0; i < ITEMS; i++) {
        pthread_mutex_lock(&mutex);
        items[count] = i * i;
        count++; /* planted */
        pthread_cond_signal(&filled);
        pthread_mutex_unlock(&mutex);
    }
    return unused;
}

static int next(void)
{
    int item;

#ifdef BROKEN
    if (count == taken) { /* planted */
#endif
        pthread_mutex_lock(&mutex);
        while (count == taken)
            pthread_cond_wait(&filled, &mutex);
        pthread_mutex_unlock(&mutex);
#ifdef BROKEN
    }
#endif
    pthread_mutex_lock(&mutex);
    item = items[taken++];
    pthread_mutex_unlock(&mutex);
    return item;
}

int main(void)
{
    pthread_t producer;
    int sum = 0;

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++)
        sum += next();
    pthread_join(producer, NULL);
    printf("%d\n", sum);
    return 0;
}
