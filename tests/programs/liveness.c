/* expect: race=no deadlock=no */
/* A chain of stages, each with its own lock and condition: one waits until the one before has handed over. The
 * last one sees the work of all. Stages and rounds may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 12 };

static struct stage {
    pthread_mutex_t lock;
    pthread_cond_t ready;
    int items, sum;
} stages[MOST + 1];

static int count = 4, rounds = 2;

static void put(struct stage *stage, int value)
{
    pthread_mutex_lock(&stage->lock);
    stage->items++;
    stage->sum += value;
    pthread_cond_signal(&stage->ready);
    pthread_mutex_unlock(&stage->lock);
}

static int get(struct stage *stage)
{
    pthread_mutex_lock(&stage->lock);
    while (stage->items == 0)
        pthread_cond_wait(&stage->ready, &stage->lock);
    int value = stage->sum;
    stage->items--;
    if (stage->items == 0)
        stage->sum = 0;
    else
        value = 0; /* whoever comes last takes it all */
    pthread_mutex_unlock(&stage->lock);
    return value;
}

static void *work(void *argument)
{
    struct stage *stage = argument;

    for (int i = 0; i < rounds; i++)
        put(stage + 1, get(stage));
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int sum = 0;

    count = argc > 1 ? atoi(argv[1]) : count;
    count = count > MOST ? MOST : count;
    rounds = argc > 2 ? atoi(argv[2]) : rounds;
    for (int i = 0; i <= count; i++) {
        pthread_mutex_init(&stages[i].lock, NULL);
        pthread_cond_init(&stages[i].ready, NULL);
    }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, work, &stages[i]);
    for (int i = 1; i <= rounds; i++)
        put(&stages[0], i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < rounds; i++)
        sum += get(&stages[count]);
    printf("%d\n", sum);
    return sum != rounds * (rounds + 1) / 2;
}
