/* The assertion fails when the read comes between two writes. */
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int state;

static void *change(void *unused)
{
    state = 1;
    state = 2;
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, change, NULL);
    int seen = state;
    assert(seen != 1);
    pthread_join(thread, NULL);
    puts("done");
    return 0;
}
