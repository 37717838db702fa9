/* expect: race=no nondet=yes deadlock=no */
/* Philosophers who wait until both forks are on the table and take them in one step. Philosophers and meals may
 * be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static pthread_mutex_t table = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t put_down = PTHREAD_COND_INITIALIZER;
static int taken[MOST], philosophers = 3, meals = 2, eaten;

static void *dine(void *argument)
{
    int left = *(int *)argument, right = (left + 1) % philosophers;

    for (int i = 0; i < meals; i++) {
        pthread_mutex_lock(&table);
        while (taken[left] || taken[right])
            pthread_cond_wait(&put_down, &table);
        taken[left] = taken[right] = 1;
        pthread_mutex_unlock(&table);

        pthread_mutex_lock(&table);
        taken[left] = taken[right] = 0;
        eaten++;
        pthread_cond_broadcast(&put_down);
        pthread_mutex_unlock(&table);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int numbers[MOST];

    philosophers = argc > 1 ? atoi(argv[1]) : philosophers;
    philosophers = philosophers > MOST ? MOST : philosophers;
    meals = argc > 2 ? atoi(argv[2]) : meals;
    for (int i = 0; i < philosophers; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, dine, &numbers[i]);
    }
    for (int i = 0; i < philosophers; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", eaten);
    return eaten != philosophers * meals;
}
