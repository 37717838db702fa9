/* races: a-a */
/* A semaphore with two tokens is no lock, when both threads are in at once. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

static sem_t semaphore;
int shared;

static void add(void)
{
    sem_wait(&semaphore);
    usleep(20000);
    shared++; /* @a */
    sem_post(&semaphore);
}

static void *first(void *unused)
{
    add();
    return unused;
}

static void *second(void *unused)
{
    add();
    return unused;
}

int main(void)
{
    pthread_t one, two;

    sem_init(&semaphore, 0, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
