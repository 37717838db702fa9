/* expect: race=no deadlock=no */
/* A ring for one producer and one consumer, on acquire and release. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { ROOM = 4, ITEMS = 10 };

static struct {
    atomic_uint head, tail;
    int items[ROOM];
} ring;

static void *produce(void *unused)
{
    for (int i = 1; i <= ITEMS; i++) {
        unsigned tail = atomic_load_explicit(&ring.tail, memory_order_relaxed);
        while (tail - atomic_load_explicit(&ring.head, memory_order_acquire) == ROOM)
            ;
        ring.items[tail % ROOM] = i;
        atomic_store_explicit(&ring.tail, tail + 1, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t producer;
    int sum = 0;

    pthread_create(&producer, NULL, produce, NULL);
    for (int i = 0; i < ITEMS; i++) {
        unsigned head = atomic_load_explicit(&ring.head, memory_order_relaxed);
        while (atomic_load_explicit(&ring.tail, memory_order_acquire) == head)
            ;
        sum += ring.items[head % ROOM];
        atomic_store_explicit(&ring.head, head + 1, memory_order_release);
    }
    pthread_join(producer, NULL);
    printf("%d\n", sum);
    return sum != ITEMS * (ITEMS + 1) / 2;
}
