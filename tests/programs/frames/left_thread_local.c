/* expect: race=yes deadlock=no */
/* A thread shows a variable of its own to another one, and does not wait for it: with the thread the variable is gone. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Thread_local int own;
static int *_Atomic shown;

static void *show(void *unused)
{
    own = 3;
    atomic_store(&shown, &own);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int *seen;

    pthread_create(&thread, NULL, show, NULL);
    while (!(seen = atomic_load(&shown)))
        ;
    printf("%d\n", *seen > 0);
    pthread_join(thread, NULL);
    return 0;
}
