/* expect: race=yes deadlock=no */
/* A thread is given a variable of a function that does not wait for it: by the time it looks, the variable may be gone. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *amount)
{
    pthread_mutex_lock(&lock);
    total += *(int *)amount;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static __attribute__((noinline)) pthread_t start(int given)
{
    int amount = given + 1;
    pthread_t thread;

    pthread_create(&thread, NULL, add, &amount);
    return thread;
}

int main(void)
{
    pthread_t thread = start(4);

    pthread_join(thread, NULL);
    printf("%d\n", total >= 0);
    return 0;
}
