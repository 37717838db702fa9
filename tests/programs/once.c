/* expect: race=no nondet=no deadlock=no */
/* pthread_once: whoever comes first initialises, nobody reads before. */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int value;

static void initialise(void)
{
    value = 42;
}

static void *use(void *to)
{
    pthread_once(&once, initialise);
    *(int *)to = value;
    return NULL;
}

int main(void)
{
    pthread_t threads[3];
    int seen[3];

    for (int i = 0; i < 3; i++)
        pthread_create(&threads[i], NULL, use, &seen[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", seen[0] + seen[1] + seen[2]);
    return 0;
}
