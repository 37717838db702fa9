/* expect: race=no deadlock=no */
/* A thread cancelled while it waits, or before it comes to: its clean-up handler holds the lock again. Another,
 * that waits for a semaphore and would not have it. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static sem_t closed;
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

static void *passenger(void *unused)
{
    sem_wait(&closed);
    return unused;
}

static int cancelled_at_once(void *(*work)(void *))
{
    pthread_t thread;
    void *result;

    pthread_create(&thread, NULL, work, NULL);
    pthread_cancel(thread);
    pthread_join(thread, &result);
    return result == PTHREAD_CANCELED;
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
    if (result != PTHREAD_CANCELED)
        return 1;
    sem_init(&closed, 0, 0);
    if (!cancelled_at_once(waiter) || !cancelled_at_once(passenger))
        return 2;
    printf("%d\n", cleaned);
    return cleaned != 2;
}
