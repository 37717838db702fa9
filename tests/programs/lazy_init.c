/* expect: race=yes nondet=yes deadlock=no */
/* Lazy initialization without any lock. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *table;

static void *use(void *unused)
{
    if (!table) {
        int *made = calloc(4, sizeof *made);
        made[1] = 7;
        table = made;
    }
    return table[1] == 7 ? unused : NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    puts("done");
    return 0;
}
