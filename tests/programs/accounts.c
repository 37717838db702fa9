/* expect: race=yes nondet=yes deadlock=no */
/* Each client moves money from its own account to the next one's, both locked in the order of their numbers;
 * when done it looks at the other account without a lock. Clients and transfers may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 24, START = 100 };

static struct {
    pthread_mutex_t lock;
    int balance;
} accounts[MOST];

static int clients = 4, transfers = 2, seen[MOST];

static void *client(void *argument)
{
    int from = *(int *)argument, to = (from + 1) % clients;
    int low = from < to ? from : to, high = from < to ? to : from;

    for (int i = 0; i < transfers; i++) {
        pthread_mutex_lock(&accounts[low].lock);
        pthread_mutex_lock(&accounts[high].lock);
        accounts[from].balance -= 10;
        accounts[to].balance += 10;
        pthread_mutex_unlock(&accounts[high].lock);
        pthread_mutex_unlock(&accounts[low].lock);
    }
    seen[from] = accounts[to].balance;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int numbers[MOST], sum = 0;

    clients = argc > 1 ? atoi(argv[1]) : clients;
    clients = clients > MOST ? MOST : clients;
    transfers = argc > 2 ? atoi(argv[2]) : transfers;
    for (int i = 0; i < clients; i++) {
        pthread_mutex_init(&accounts[i].lock, NULL);
        accounts[i].balance = START;
    }
    for (int i = 0; i < clients; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, client, &numbers[i]);
    }
    for (int i = 0; i < clients; i++) {
        pthread_join(threads[i], NULL);
        sum += seen[i];
    }
    printf("%d\n", sum);
    return 0;
}
