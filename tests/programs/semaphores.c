/* expect: race=no nondet=no deadlock=no */
/* Hand-over by semaphores, unnamed and named: strictly in turn. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t ping;
static sem_t *pong;
static int ball;

static void *player(void *unused)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&ping);
        ball = ball * 2 + 1;
        sem_post(pong);
    }
    return unused;
}

int main(void)
{
    pthread_t thread;
    char name[64];

    snprintf(name, sizeof name, "/heddle-test-%d", (int)getpid());
    sem_init(&ping, 0, 0);
    pong = sem_open(name, O_CREAT | O_EXCL, 0600, 0);
    if (pong == SEM_FAILED)
        return 1;
    sem_unlink(name);
    pthread_create(&thread, NULL, player, NULL);
    for (int i = 0; i < 3; i++) {
        ball += 1;
        sem_post(&ping);
        sem_wait(pong);
    }
    pthread_join(thread, NULL);
    printf("%d\n", ball);
    sem_close(pong);
    sem_destroy(&ping);
    return 0;
}
