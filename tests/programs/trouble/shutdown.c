/* A server on the heap that is told to stop without its lock: the signal may come between the worker's last look and its
 * wait. The server is destroyed in the end, so that each use of its lock and condition variable is an access as well. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

struct server {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    atomic_int stop;
};

static void *work(void *arg)
{
    struct server *s = arg;

    pthread_mutex_lock(&s->lock);
    while (!s->stop)
        pthread_cond_wait(&s->changed, &s->lock);
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

int main(void)
{
    struct server *s = malloc(sizeof *s);
    pthread_t worker;

    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->changed, NULL);
    s->stop = 0;
    pthread_create(&worker, NULL, work, s);
    usleep(1000);
    s->stop = 1;
    pthread_cond_signal(&s->changed);
    pthread_join(worker, NULL);
    pthread_cond_destroy(&s->changed);
    pthread_mutex_destroy(&s->lock);
    free(s);
    puts("stopped");
    return 0;
}
