/* Two counts that lie in one word: threads change each on its own, and one looks at both at once. What it has
 * just added up is told together with that. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static union {
    struct {
        int16_t readers, writers;
    } count;
    int32_t both;
} state;
static int first, second, refused;

static void *enter(void *which)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        if (which)
            state.count.writers = 3;
        else
            state.count.readers = 7;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void *leave(void *unused)
{
    pthread_mutex_lock(&lock);
    int sum = first + second, both = *(volatile int32_t *)&state.both;
    if (both != 7)
        refused = sum;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, enter, NULL);
    pthread_create(&threads[1], NULL, enter, &lock);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    first = second = 1;
    pthread_create(&threads[2], NULL, leave, NULL);
    pthread_mutex_lock(&lock);
    first = second = 2;
    refused = 0;
    pthread_mutex_unlock(&lock);
    pthread_join(threads[2], NULL);
    printf("%d\n", refused);
    return 0;
}
