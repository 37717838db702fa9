/* expect: race=yes deadlock=no */
/* Threads that use files and the environment, but not the same ones: that orders nothing. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int shared;

static void *one(void *unused)
{
    int file = open("/dev/null", O_RDONLY);

    shared = 1;
    setenv("HEDDLE_ONE", "1", 1);
    close(file);
    return unused;
}

static void *two(void *unused)
{
    int file = open("/", O_RDONLY);

    setenv("HEDDLE_TWO", "2", 1);
    shared = 2;
    close(file);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, one, NULL);
    pthread_create(&threads[1], NULL, two, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", shared > 0);
    return 0;
}
