/* Philosophers who count a meal between their forks: they can wait for each other forever. */
#include <pthread.h>
#include <stdint.h>

enum { SEATS = 3 };

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int meals;

static void *dine(void *seat)
{
    int left = (int)(intptr_t)seat, right = (left + 1) % SEATS;

    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&guard);
    meals++;
    pthread_mutex_unlock(&guard);
    pthread_mutex_lock(&forks[right]);
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];

    for (int i = 0; i < SEATS; i++)
        pthread_create(&threads[i], NULL, dine, (void *)(intptr_t)i);
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
