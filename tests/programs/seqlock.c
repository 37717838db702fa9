/* expect: race=no deadlock=no */
/* A sequence lock: readers look again when the number moved. Data are atomics with fences. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_uint sequence;
static atomic_int x, y;

static void *writer(void *unused)
{
    for (int i = 1; i <= 3; i++) {
        unsigned now = atomic_load_explicit(&sequence, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 1, memory_order_relaxed);
        atomic_thread_fence(memory_order_release);
        atomic_store_explicit(&x, i, memory_order_relaxed);
        atomic_store_explicit(&y, -i, memory_order_relaxed);
        atomic_store_explicit(&sequence, now + 2, memory_order_release);
    }
    return unused;
}

static int read_sum(void)
{
    for (;;) {
        unsigned before = atomic_load_explicit(&sequence, memory_order_acquire);
        int sum =
            atomic_load_explicit(&x, memory_order_relaxed) + atomic_load_explicit(&y, memory_order_relaxed);
        atomic_thread_fence(memory_order_acquire);
        if (before % 2 == 0 && before == atomic_load_explicit(&sequence, memory_order_relaxed))
            return sum;
    }
}

int main(void)
{
    pthread_t thread;
    int torn = 0;

    pthread_create(&thread, NULL, writer, NULL);
    for (int i = 0; i < 4; i++)
        torn |= read_sum();
    pthread_join(thread, NULL);
    puts(torn ? "torn" : "whole");
    return torn != 0;
}
