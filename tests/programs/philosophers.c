/* expect: race=no deadlock=yes */
/* Three philosophers, each takes the left fork first. They eat one after the other here: the deadlock is
 * predicted. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { SEATS = 3 };

static pthread_mutex_t forks[SEATS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER,
                                       PTHREAD_MUTEX_INITIALIZER};
static int meals[SEATS];

static void *philosopher(void *seat)
{
    int left = *(int *)seat, right = (left + 1) % SEATS;

    usleep(1000 * (useconds_t)left);
    pthread_mutex_lock(&forks[left]);
    pthread_mutex_lock(&forks[right]);
    meals[left]++;
    pthread_mutex_unlock(&forks[right]);
    pthread_mutex_unlock(&forks[left]);
    return NULL;
}

int main(void)
{
    pthread_t threads[SEATS];
    int seats[SEATS];

    for (int i = 0; i < SEATS; i++) {
        seats[i] = i;
        pthread_create(&threads[i], NULL, philosopher, &seats[i]);
    }
    for (int i = 0; i < SEATS; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", meals[0], meals[1], meals[2]);
    return 0;
}
