/* expect: race=yes nondet=yes deadlock=no */
/* Agents sell seats until none is left, without a lock: two may sell the last one. Agents and seats may be
 * given. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 16 };

static int agents = 4, seats = 9, sold, closed;

static void *sell(void *argument)
{
    int *mine = argument;

    while (!closed && *mine < seats) {
        sold++;
        (*mine)++;
        if (sold >= seats)
            closed = 1;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[MOST];
    int sales[MOST] = {0}, total = 0;

    agents = argc > 1 ? atoi(argv[1]) : agents;
    agents = agents > MOST ? MOST : agents;
    seats = argc > 2 ? atoi(argv[2]) : seats;
    for (int i = 0; i < agents; i++)
        pthread_create(&threads[i], NULL, sell, &sales[i]);
    for (int i = 0; i < agents; i++) {
        pthread_join(threads[i], NULL);
        total += sales[i];
    }
    printf("%d of %d\n", total, seats);
    return 0;
}
