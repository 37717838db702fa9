/* expect: race=no nondet=yes deadlock=no */
/* Clients share fewer connections than there are clients: who finds none waits. What is sent over a connection
 * is under no lock; it is the client's as long as it holds it. Rounds may be given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { CLIENTS = 3, CONNECTIONS = 2 };

static struct {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    int taken[CONNECTIONS], left;
} pool = {.lock = PTHREAD_MUTEX_INITIALIZER, .returned = PTHREAD_COND_INITIALIZER, .left = CONNECTIONS};

static int sent[CONNECTIONS], rounds;

static int take(void)
{
    pthread_mutex_lock(&pool.lock);
    while (pool.left == 0)
        pthread_cond_wait(&pool.returned, &pool.lock);
    pool.left--;
    int connection = 0;
    while (pool.taken[connection])
        connection++;
    pool.taken[connection] = 1;
    pthread_mutex_unlock(&pool.lock);
    return connection;
}

static void give(int connection)
{
    pthread_mutex_lock(&pool.lock);
    pool.taken[connection] = 0;
    pool.left++;
    pthread_cond_signal(&pool.returned);
    pthread_mutex_unlock(&pool.lock);
}

static void *query(void *unused)
{
    for (int i = 0; i < rounds; i++) {
        int connection = take();
        sent[connection] += 1 + i;
        give(connection);
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t clients[CLIENTS];

    rounds = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < CLIENTS; i++)
        pthread_create(&clients[i], NULL, query, NULL);
    for (int i = 0; i < CLIENTS; i++)
        pthread_join(clients[i], NULL);
    printf("%d\n", sent[0] + sent[1]);
    return sent[0] + sent[1] != CLIENTS * rounds * (rounds + 1) / 2;
}
