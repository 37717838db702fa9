/* expect: race=no assertion=yes */
/* Two customers and one item: each looks under the lock, and sells under it again. In most runs one comes too late. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static int look(void)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = stock;
    pthread_mutex_unlock(&lock);
    return seen;
}

static void *customer(void *arg)
{
    if (look() > 0) {
        pthread_mutex_lock(&lock);
        stock = stock - 1;
        assert(stock >= 0);
        pthread_mutex_unlock(&lock);
    }
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
