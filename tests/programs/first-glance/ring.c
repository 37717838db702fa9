/* A ring buffer for one producer and one consumer. BROKEN: the indices are atomic but order nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { SLOTS = 4, ITEMS = 6 };

#ifdef BROKEN
#define PUBLISH memory_order_relaxed
#define LOOK    memory_order_relaxed
#else
#define PUBLISH memory_order_release
#define LOOK    memory_order_acquire
#endif

static int slots[SLOTS];
static atomic_uint head, tail;

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        unsigned at = atomic_load_explicit(&head, memory_order_relaxed);
        while (at - atomic_load_explicit(&tail, LOOK) == SLOTS)
            ;
        slots[at % SLOTS] = i; /* planted */
        atomic_store_explicit(&head, at + 1, PUBLISH);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    int sum = 0;

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        unsigned at = atomic_load_explicit(&tail, memory_order_relaxed);
        while (at == atomic_load_explicit(&head, LOOK))
            ;
        sum += slots[at % SLOTS]; /* planted */
        atomic_store_explicit(&tail, at + 1, PUBLISH);
    }
    pthread_join(producer, NULL);
    printf("%d\n", sum);
    return 0;
}
