/* races: a-a */
/* Two threads count without a lock. */
#include <pthread.h>

int counter;

static void add(void)
{
    counter++; /* @a */
}

static void *first(void *unused)
{
    add();
    return unused;
}

static void *second(void *unused)
{
    add();
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
