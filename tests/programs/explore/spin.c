/* A loop that waits by looking; one that gives up after five looks, when asked to. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int flag;
static int data;

static void *set(void *unused)
{
    data = 5;
    atomic_store(&flag, 1);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    int seen = 0;

    (void)words;
    pthread_create(&thread, NULL, set, NULL);
    if (count > 1)
        for (int i = 0; i < 5 && !seen; i++)
            seen = atomic_load(&flag);
    else
        while (!seen)
            seen = atomic_load(&flag);
    printf("%d\n", seen ? data : 0);
    pthread_join(thread, NULL);
    return 0;
}
