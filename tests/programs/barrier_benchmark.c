/* expect: race=no nondet=yes deadlock=no */
/* Workers compute in phases, kept apart by a barrier made of a lock and a condition. The result is always the
 * same; who arrives first is not. Workers and phases may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t opened;
    int arrived, generation;
} barrier = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

static int workers = 4, phases = 3, cells[MOST];

static void meet(void)
{
    pthread_mutex_lock(&barrier.lock);
    int mine = barrier.generation;
    if (++barrier.arrived == workers) {
        barrier.arrived = 0;
        barrier.generation++;
        pthread_cond_broadcast(&barrier.opened);
    } else {
        while (barrier.generation == mine)
            pthread_cond_wait(&barrier.opened, &barrier.lock);
    }
    pthread_mutex_unlock(&barrier.lock);
}

static void *work(void *argument)
{
    int *cell = argument;

    for (int i = 0; i < phases; i++) {
        int next = *cell + cells[(cell - cells + 1) % workers];
        meet();
        *cell = next;
        meet();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];

    workers = argc > 1 ? atoi(argv[1]) : workers;
    workers = workers > MOST ? MOST : workers;
    phases = argc > 2 ? atoi(argv[2]) : phases;
    for (int i = 0; i < workers; i++)
        cells[i] = i;
    for (int i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, work, &cells[i]);
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", cells[0]);
    return 0;
}
