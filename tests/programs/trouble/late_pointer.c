/* The reader finds the pointer set in most schedules; in others it follows NULL. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int answer = 42;
static int *shared;

static void *set(void *unused)
{
    pthread_mutex_lock(&lock);
    shared = &answer;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *use(void *unused)
{
    int *seen;

    pthread_mutex_lock(&lock);
    seen = shared;
    pthread_mutex_unlock(&lock);
    printf("%d\n", *seen);
    return unused;
}

int main(void)
{
    pthread_t setter, user;

    pthread_create(&setter, NULL, set, NULL);
    pthread_create(&user, NULL, use, NULL);
    pthread_join(setter, NULL);
    pthread_join(user, NULL);
    return 0;
}
