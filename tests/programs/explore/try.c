/* A try-lock that may fail. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    puts(pthread_mutex_trylock(&lock) == 0 ? "free" : "taken");
    pthread_join(thread, NULL);
    return 0;
}
