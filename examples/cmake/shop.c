/* A broken program: both customers may see the last piece before either takes it. Most runs pass. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1, sold;

static int left(void)
{
    pthread_mutex_lock(&lock);
    int pieces = stock;
    pthread_mutex_unlock(&lock);
    return pieces;
}

static void *buy(void *unused)
{
    (void)unused;
    if (left() > 0) {
        pthread_mutex_lock(&lock);
        stock--;
        sold++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, buy, NULL);
    pthread_create(&two, NULL, buy, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    assert(sold == 1);
    return 0;
}
