/* A value on its way through memory of the thread's own, by a small copy that is a call. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int balance = 10;
static int areas[2][1024];
static volatile size_t length = sizeof(int);

static void *run(void *argument)
{
    int *own = argument, seen;

    pthread_mutex_lock(&guard);
    seen = balance;
    pthread_mutex_unlock(&guard);
    own[0] = 0;
    own[1] = seen;
    memcpy(&own[0], &own[1], length);
    pthread_mutex_lock(&guard);
    balance = own[0] + 1;
    pthread_mutex_unlock(&guard);
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, areas[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
