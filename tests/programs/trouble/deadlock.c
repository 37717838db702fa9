/* Two locks in two orders, made to meet: a deadlock that happens. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *other(void *unused)
{
    pthread_mutex_lock(&b);
    usleep(1000);
    pthread_mutex_lock(&a);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&a);
    usleep(1000);
    pthread_mutex_lock(&b);
    pthread_join(thread, NULL);
    return 0;
}
