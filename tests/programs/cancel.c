/* expect: race=no deadlock=no */
/* A thread cancelled while it waits: its clean-up handler holds the lock again. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int cleaned, waiting;

static void clean_up(void *unused)
{
    (void)unused;
    cleaned++;
    pthread_mutex_unlock(&lock);
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    waiting = 1;
    pthread_cleanup_push(clean_up, NULL);
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    void *result;
    int ready = 0;

    pthread_create(&thread, NULL, waiter, NULL);
    while (!ready) {
        pthread_mutex_lock(&lock);
        ready = waiting;
        pthread_mutex_unlock(&lock);
        usleep(100);
    }
    pthread_cancel(thread);
    pthread_join(thread, &result);
    printf("%d\n", cleaned);
    return result != PTHREAD_CANCELED || cleaned != 1;
}
