/* expect: race=no deadlock=no */
/* The same shop with look and sale under one lock: nothing can go wrong. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static void *customer(void *arg)
{
    pthread_mutex_lock(&lock);
    if (stock > 0)
        stock = stock - 1;
    assert(stock >= 0);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, customer, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("closed");
    return 0;
}
