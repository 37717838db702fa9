/* expect: race=no nondet=yes deadlock=no */
/* The same with a lock: the sum is right, who comes first is open. */
#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    int balance;
} account = {PTHREAD_MUTEX_INITIALIZER, 0};

static void *deposit(void *amount)
{
    pthread_mutex_lock(&account.lock);
    account.balance += *(int *)amount;
    pthread_mutex_unlock(&account.lock);
    return NULL;
}

int main(void)
{
    pthread_t first, second;
    int ten = 10, twenty = 20;

    pthread_create(&first, NULL, deposit, &ten);
    pthread_create(&second, NULL, deposit, &twenty);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d\n", account.balance);
    return 0;
}
