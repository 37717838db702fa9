/* Philosophers, two unless told otherwise: each takes the fork on the left, then the one on the right. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t forks[8];
static int meals, philosophers = 2;

static void *dine(void *place)
{
    long i = (long)place;

    pthread_mutex_lock(&forks[i]);
    pthread_mutex_lock(&forks[(i + 1) % philosophers]);
    __atomic_fetch_add(&meals, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&forks[(i + 1) % philosophers]);
    pthread_mutex_unlock(&forks[i]);
    return NULL;
}

int main(int count, char **words)
{
    pthread_t threads[8];

    philosophers = count > 1 ? atoi(words[1]) : 2;
    for (int i = 0; i < philosophers; i++)
        pthread_mutex_init(&forks[i], NULL);
    for (long i = 0; i < philosophers; i++)
        pthread_create(&threads[i], NULL, dine, (void *)i);
    for (int i = 0; i < philosophers; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", meals);
    return 0;
}
