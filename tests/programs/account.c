/* expect: race=yes nondet=yes deadlock=no */
/* Two deposits without a lock: one may be lost. */
#include <pthread.h>
#include <stdio.h>

static struct {
    int balance;
} account;

static void *deposit(void *amount)
{
    account.balance += *(int *)amount;
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
