/* Checked in one critical section, sold in another. */
#include <pthread.h>

#ifndef STOCK
#define STOCK 2
#endif

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = STOCK;

static int left(void)
{
    int n;

    pthread_mutex_lock(&lock);
    n = stock;
    pthread_mutex_unlock(&lock);
    return n;
}

static void *buy(void *unused)
{
    if (left() > 0) {
        pthread_mutex_lock(&lock);
        stock--;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, buy, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
