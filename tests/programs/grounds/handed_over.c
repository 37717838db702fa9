/* A thread looks whether there is anything, and later adds something, in another section: there it looks again, by way of a function
 * of the C library. Correct. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count, rows, first;

static void *add(void *unused)
{
    pthread_mutex_lock(&lock);
    if (count == 0)
        first++;
    pthread_mutex_unlock(&lock);
    usleep(1000); /* both look before one adds */
    pthread_mutex_lock(&lock);
    if (div(count, 4).rem == 0)
        rows++;
    count++;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d in %d, %d early\n", count, rows, first);
    return 0;
}
