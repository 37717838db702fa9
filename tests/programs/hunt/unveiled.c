/* expect: race=no deadlock=no */
/* As in veiled.c, but the second thread writes only after it saw the other one done: there is no race, and no run may make one
 * up. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int state, data;

static void *writer(void *arg)
{
    data = 1;
    pthread_mutex_lock(&lock);
    state = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *reader(void *arg)
{
    int seen;

    pthread_mutex_lock(&lock);
    seen = state;
    pthread_mutex_unlock(&lock);
    if ((seen * seen + 3) % 4 == 0)
        data = 2;
    return arg;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("done");
    return 0;
}
