/* The assertion holds unless the other thread comes first. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;

static void *take(void *amount)
{
    pthread_mutex_lock(&lock);
    balance -= *(int *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *give(void *amount)
{
    pthread_mutex_lock(&lock);
    if (balance < 10)
        balance += *(int *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t taker, giver;
    int amount = 10;

    pthread_create(&taker, NULL, take, &amount);
    pthread_create(&giver, NULL, give, &amount);
    pthread_join(taker, NULL);
    pthread_join(giver, NULL);
    assert(balance == 10);
    printf("%d\n", balance);
    return 0;
}
