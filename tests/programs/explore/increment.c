/* Two increments without a lock; one may be lost. */
#include <pthread.h>
#include <stdio.h>

static volatile int counter;

static void *count(void *unused)
{
    counter = counter + 1;
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, count, NULL);
    count(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", counter);
    return 0;
}
