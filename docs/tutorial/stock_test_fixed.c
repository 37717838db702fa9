/* The shop of stock_test.c, repaired: a customer looks and takes in one critical section. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stock = 1;

static int items_left(void)
{
    pthread_mutex_lock(&lock);
    int left = stock;
    pthread_mutex_unlock(&lock);
    return left;
}

static void take_one_if_any(void)
{
    pthread_mutex_lock(&lock);
    if (stock > 0)
        stock = stock - 1;
    pthread_mutex_unlock(&lock);
}

static void *customer(void *unused)
{
    take_one_if_any();
    return unused;
}

int main(void)
{
    pthread_t alice, bob;

    pthread_create(&alice, NULL, customer, NULL);
    pthread_create(&bob, NULL, customer, NULL);
    pthread_join(alice, NULL);
    pthread_join(bob, NULL);
    assert(items_left() >= 0);
    puts("ok");
    return 0;
}
