/* races: none */
/* An atomic flag hands the data over. */
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

int data;
static atomic_int flag;

static void *first(void *unused)
{
    data = 42;
    atomic_store_explicit(&flag, 1, memory_order_release);
    return unused;
}

static void *second(void *unused)
{
    while (!atomic_load_explicit(&flag, memory_order_acquire))
        usleep(1000);
    data++;
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
