/* A buffer of one place; with "if" the consumer does not look again after it was woken, which two of them need.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int full, taken, careless, items = 1;

static void *produce(void *unused)
{
    for (int i = 0; i < items; i++) {
        pthread_mutex_lock(&lock);
        while (full)
            pthread_cond_wait(&changed, &lock);
        full = 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *consume(void *unused)
{
    pthread_mutex_lock(&lock);
    if (careless && !full)
        pthread_cond_wait(&changed, &lock);
    while (!careless && !full)
        pthread_cond_wait(&changed, &lock);
    taken += full;
    full = 0;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(int count, char **words)
{
    pthread_t threads[8];

    careless = count > 1 && strcmp(words[1], "if") == 0;
    items = count > 2 ? atoi(words[2]) : 1;
    pthread_create(&threads[0], NULL, produce, NULL);
    for (int i = 0; i < items; i++)
        pthread_create(&threads[i + 1], NULL, consume, NULL);
    for (int i = 0; i <= items; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", taken);
    return 0;
}
