/* expect: race=no crash=yes */
/* A thread that nobody waits for uses what the handler at exit frees: it fails only if main is in that handler, and no further. With an
 * argument the thread looks first. */
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

enum { ENTRIES = 3 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *table;
static bool looks;

static void clean(void)
{
    pthread_mutex_lock(&lock);
    free(table);
    table = NULL;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < ENTRIES; i++)
        if (!looks || table)
            table[i]++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t worker;

    (void)argv;
    looks = argc > 1;
    table = calloc(ENTRIES, sizeof *table);
    atexit(clean);
    pthread_create(&worker, NULL, work, NULL);
    pthread_detach(worker);
    return 0;
}
