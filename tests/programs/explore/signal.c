/* Whom a signal wakes is open: the order in which two threads get on. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int open_doors, waiting, first;

static void *enter(void *number)
{
    pthread_mutex_lock(&lock);
    waiting++;
    while (!open_doors)
        pthread_cond_wait(&changed, &lock);
    open_doors--;
    if (!first)
        first = *(int *)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int numbers[] = {1, 2};

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, enter, &numbers[i]);
    pthread_mutex_lock(&lock);
    open_doors = 2;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", first);
    return 0;
}
