/* expect: race=no deadlock=no */
/* Double-checked locking done right: acquire and release on the pointer. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Atomic(int *) instance;

static int *get(void)
{
    int *seen = atomic_load_explicit(&instance, memory_order_acquire);

    if (!seen) {
        pthread_mutex_lock(&lock);
        seen = atomic_load_explicit(&instance, memory_order_relaxed);
        if (!seen) {
            seen = malloc(sizeof *seen);
            *seen = 42;
            atomic_store_explicit(&instance, seen, memory_order_release);
        }
        pthread_mutex_unlock(&lock);
    }
    return seen;
}

static void *use(void *sum)
{
    *(int *)sum = *get();
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int sums[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use, &sums[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d\n", sums[0], sums[1], sums[2]);
    return 0;
}
