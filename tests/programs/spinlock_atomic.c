/* expect: race=no deadlock=no */
/* A spin lock on an atomic flag: acquire to take it, release to give it back. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_flag taken = ATOMIC_FLAG_INIT;
static int counter;

static void *count(void *unused)
{
    for (int i = 0; i < 4; i++) {
        while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire))
            ;
        counter++;
        atomic_flag_clear_explicit(&taken, memory_order_release);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, count, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", counter);
    return counter != 8;
}
