/* A counter that is counted up by compare-and-exchange: no update is lost. */
#include <pthread.h>
#include <stdatomic.h>

static _Atomic int count;

static void *add(void *unused)
{
    int seen = atomic_load(&count);

    while (!atomic_compare_exchange_strong(&count, &seen, seen + 1))
        ;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
