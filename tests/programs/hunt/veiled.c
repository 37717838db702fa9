/* expect: race=yes */
/* A race that one run does not prove: the second thread's write depends on the state it saw, by a sum that no range tells, so
 * from a run in which it came last nothing is certain of one in which it comes first. It races there. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

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

    usleep(100);
    pthread_mutex_lock(&lock);
    seen = state;
    pthread_mutex_unlock(&lock);
    if ((seen * seen + 7) % 5 != 4)
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
