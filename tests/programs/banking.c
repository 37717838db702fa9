/* expect: race=no nondet=yes deadlock=no atomicity=no serializability=no */
/* Transfers between accounts, the check and both updates under both locks, always taken in the same order.
 * The auditor locks both, too. Transfers for each client may be given. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 2, CLIENTS = 2, START = 100 };

static struct {
    pthread_mutex_t lock;
    int balance;
} accounts[ACCOUNTS] = {{PTHREAD_MUTEX_INITIALIZER, START}, {PTHREAD_MUTEX_INITIALIZER, START}};

static int transfers = 6;

static void transfer(int from, int to, int amount)
{
    HEDDLE_ATOMIC_BEGIN("transfer");
    pthread_mutex_lock(&accounts[0].lock);
    pthread_mutex_lock(&accounts[1].lock);
    if (accounts[from].balance >= amount) {
        accounts[from].balance -= amount;
        accounts[to].balance += amount;
    }
    pthread_mutex_unlock(&accounts[1].lock);
    pthread_mutex_unlock(&accounts[0].lock);
    HEDDLE_ATOMIC_END("transfer");
}

static void *client(void *number)
{
    int from = *(int *)number % ACCOUNTS;

    for (int i = 0; i < transfers; i++)
        transfer(from, (from + 1) % ACCOUNTS, 10 + 5 * i);
    return NULL;
}

static void *audit(void *argument)
{
    int *sum = argument;

    HEDDLE_ATOMIC_BEGIN("audit");
    pthread_mutex_lock(&accounts[0].lock);
    pthread_mutex_lock(&accounts[1].lock);
    *sum = accounts[0].balance + accounts[1].balance;
    pthread_mutex_unlock(&accounts[1].lock);
    pthread_mutex_unlock(&accounts[0].lock);
    HEDDLE_ATOMIC_END("audit");
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[CLIENTS], auditor;
    int numbers[CLIENTS], sum;

    transfers = argc > 1 ? atoi(argv[1]) : transfers;
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, client, &numbers[i]);
    }
    pthread_create(&auditor, NULL, audit, &sum);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    pthread_join(auditor, NULL);
    printf("%d\n", sum);
    return sum != ACCOUNTS * START || accounts[0].balance + accounts[1].balance != sum;
}
