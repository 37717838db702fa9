/* Two counters under a lock: one is printed, nobody looks at the other one again. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, shown;

static void *work(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        hits++;
        shown++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", shown);
    return 0;
}
