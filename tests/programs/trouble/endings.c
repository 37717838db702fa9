/* Ends in the way it is told when the main thread looks at the flag too early, and well when it is late, as it
 * is when threads sleep as long as they say. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag, copy;

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    flag = 1;
    copy = 2; /* which makes it shared */
    pthread_mutex_unlock(&lock);
    return unused;
}

static int get(void)
{
    int now;

    pthread_mutex_lock(&lock);
    now = flag;
    pthread_mutex_unlock(&lock);
    return now;
}

int main(int count, char **arguments)
{
    const char *way = count > 1 ? arguments[1] : "same";
    volatile int forever = 1;
    pthread_t thread;
    int now;

    pthread_create(&thread, NULL, set, NULL);
    usleep(1000);
    now = get();
    pthread_join(thread, NULL);
    if (strcmp(way, "values") == 0)
        copy = now;
    if (strcmp(way, "status") == 0)
        return !now;
    while (strcmp(way, "hang") == 0 && !now && forever)
        ;
    return copy > 2;
}
