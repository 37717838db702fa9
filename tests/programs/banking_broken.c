/* expect: race=no nondet=yes deadlock=no */
/* Transfers between accounts, every access under its lock, but the check is one locked section and the update
 * another: an account may be overdrawn in between. Transfers for each client may be given. */
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
    pthread_mutex_lock(&accounts[from].lock);
    int enough = accounts[from].balance >= amount;
    pthread_mutex_unlock(&accounts[from].lock);
    if (enough) {
        pthread_mutex_lock(&accounts[from].lock);
        accounts[from].balance -= amount;
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

int main(int argc, char **argv)
{
    pthread_t threads[CLIENTS];
    int numbers[CLIENTS];

    transfers = argc > 1 ? atoi(argv[1]) : transfers;
    for (int i = 0; i < CLIENTS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, client, &numbers[i]);
    }
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", accounts[0].balance + accounts[1].balance);
    return accounts[0].balance + accounts[1].balance != ACCOUNTS * START;
}
