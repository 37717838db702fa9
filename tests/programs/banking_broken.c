/* expect: race=no nondet=yes deadlock=no atomicity=yes */
/* Transfers between accounts, every access under its lock, but the check is one locked section and the update
 * another: an account may be overdrawn in between, and the auditor may sign in between. Transfers for each
 * client may be given. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { ACCOUNTS = 2, CLIENTS = 2, AUDITOR = 2, START = 100 };

static struct {
    pthread_mutex_t lock;
    int balance, user;
} accounts[ACCOUNTS] = {{PTHREAD_MUTEX_INITIALIZER, START, 0}, {PTHREAD_MUTEX_INITIALIZER, START, 0}};

static int transfers = 6;

static void transfer(int from, int to, int amount)
{
    HEDDLE_ATOMIC_BEGIN("transfer");
    pthread_mutex_lock(&accounts[from].lock);
    accounts[from].user = from;
    int enough = accounts[from].balance >= amount;
    pthread_mutex_unlock(&accounts[from].lock);
    if (enough) {
        pthread_mutex_lock(&accounts[from].lock);
        accounts[from].balance -= amount;
        accounts[from].user = from;
        pthread_mutex_unlock(&accounts[from].lock);
        pthread_mutex_lock(&accounts[to].lock);
        accounts[to].balance += amount;
        pthread_mutex_unlock(&accounts[to].lock);
    }
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

    *sum = 0;
    for (int i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_lock(&accounts[i].lock);
        accounts[i].user = AUDITOR;
        pthread_mutex_unlock(&accounts[i].lock);
        pthread_mutex_lock(&accounts[i].lock);
        *sum += accounts[i].balance;
        pthread_mutex_unlock(&accounts[i].lock);
    }
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
    return accounts[0].balance + accounts[1].balance != ACCOUNTS * START;
}
