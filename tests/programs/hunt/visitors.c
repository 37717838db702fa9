/* expect: race=no assertion=yes */
/* A semaphore with the wrong count: three may be where there is room for two, which takes three threads at one place. With an
 * argument the count is right. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>

enum { ROOM = 2, VISITORS = 4 };

static sem_t doors;
static atomic_int inside;

static void *visit(void *arg)
{
    sem_wait(&doors);
    assert(atomic_fetch_add(&inside, 1) < ROOM);
    atomic_fetch_sub(&inside, 1);
    sem_post(&doors);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t visitors[VISITORS];

    (void)argv;
    sem_init(&doors, 0, argc > 1 ? ROOM : ROOM + 1);
    for (int i = 0; i < VISITORS; i++)
        pthread_create(&visitors[i], NULL, visit, NULL);
    for (int i = 0; i < VISITORS; i++)
        pthread_join(visitors[i], NULL);
    return 0;
}
