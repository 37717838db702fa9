/* expect: race=no hang=yes */
/* A thread pool whose workers look for work and go to sleep in two steps: a job that comes between wakes nobody. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

enum { WORKERS = 3, JOBS = 6 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t work = PTHREAD_COND_INITIALIZER;
static int waiting_jobs, done_jobs;
static bool closed;

static bool has_nothing_to_do(void)
{
    bool nothing;

    pthread_mutex_lock(&lock);
    nothing = waiting_jobs == 0 && !closed;
    pthread_mutex_unlock(&lock);
    return nothing;
}

static void *worker(void *arg)
{
    bool over = false;

    while (!over) {
        if (has_nothing_to_do()) {
            pthread_mutex_lock(&lock);
            pthread_cond_wait(&work, &lock);
            pthread_mutex_unlock(&lock);
        }
        pthread_mutex_lock(&lock);
        if (waiting_jobs > 0) {
            waiting_jobs--;
            done_jobs++;
        } else {
            over = closed;
        }
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[WORKERS];

    for (int i = 0; i < WORKERS; i++)
        pthread_create(&threads[i], NULL, worker, NULL);
    for (int i = 0; i < JOBS; i++) {
        pthread_mutex_lock(&lock);
        waiting_jobs++;
        pthread_cond_signal(&work);
        pthread_mutex_unlock(&lock);
    }
    pthread_mutex_lock(&lock);
    closed = true;
    pthread_cond_broadcast(&work);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < WORKERS; i++)
        pthread_join(threads[i], NULL);
    printf("%d jobs\n", done_jobs);
    return 0;
}
