/* expect: race=yes deadlock=no */
/* Double-checked locking with a plain pointer: the first look races with the store. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *instance;

static int *get(void)
{
    if (!instance) {
        pthread_mutex_lock(&lock);
        if (!instance) {
            int *made = malloc(sizeof *made);
            *made = 42;
            instance = made;
        }
        pthread_mutex_unlock(&lock);
    }
    return instance;
}

static void *use(void *sum)
{
    *(int *)sum = *get();
    return NULL;
}

int main(void)
{
    pthread_t threads[2];
    int sums[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, &sums[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d\n", sums[0], sums[1]);
    return 0;
}
