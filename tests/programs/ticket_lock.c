/* expect: race=no deadlock=no */
/* A ticket lock on atomics. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static struct {
    atomic_uint next, serving;
} lock;
static int counter;

static void *count(void *unused)
{
    for (int i = 0; i < 3; i++) {
        unsigned ticket = atomic_fetch_add_explicit(&lock.next, 1, memory_order_relaxed);
        while (atomic_load_explicit(&lock.serving, memory_order_acquire) != ticket)
            ;
        counter++;
        atomic_store_explicit(&lock.serving, ticket + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    return counter != 9;
}
