/* expect: race=no unordered=yes deadlock=no */
/* A flag that orders nothing: relaxed. The data race is undefined behaviour whatever was observed. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static int data;
static atomic_int flag;

static void *publish(void *unused)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_relaxed);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, publish, NULL);
    while (!atomic_load_explicit(&flag, memory_order_relaxed))
        ;
    printf("%d\n", data);
    pthread_join(thread, NULL);
    return 0;
}
