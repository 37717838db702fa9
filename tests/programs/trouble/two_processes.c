/* A lock, a condition and a semaphore shared with a child process, which is the one to signal. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct shared {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    sem_t done;
    int ready;
};

static void child(struct shared *shared)
{
    usleep(20000);
    pthread_mutex_lock(&shared->lock);
    shared->ready = 1;
    pthread_cond_signal(&shared->changed);
    pthread_mutex_unlock(&shared->lock);
    usleep(20000);
    sem_post(&shared->done);
    _exit(0);
}

int main(void)
{
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_t mutex_kind;
    pthread_condattr_t cond_kind;

    if (shared == MAP_FAILED)
        return 1;
    pthread_mutexattr_init(&mutex_kind);
    pthread_mutexattr_setpshared(&mutex_kind, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->lock, &mutex_kind);
    pthread_condattr_init(&cond_kind);
    pthread_condattr_setpshared(&cond_kind, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->changed, &cond_kind);
    sem_init(&shared->done, 1, 0);
    if (fork() == 0)
        child(shared);
    pthread_mutex_lock(&shared->lock);
    while (!shared->ready)
        pthread_cond_wait(&shared->changed, &shared->lock);
    pthread_mutex_unlock(&shared->lock);
    sem_wait(&shared->done);
    wait(NULL);
    puts("both");
    return 0;
}
