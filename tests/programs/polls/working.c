/* Work in a loop that looks at something atomic each time, which nobody changes: that is no waiting. Prints the
 * milliseconds it took, by the clock. With an argument another thread sleeps meanwhile, and the loop allocates. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 10000 };

static atomic_int scale = 3;
static int *volatile made[64];
static int sums[64];

static void *sleeper(void *unused)
{
    sleep(1000);
    return unused;
}

static long milliseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000L + now.tv_nsec / 1000000;
}

static void work(int allocates)
{
    for (int i = 0; i < ROUNDS; i++) {
        if (allocates) {
            free(made[i % 64]);
            made[i % 64] = malloc(sizeof **made);
        }
        sums[i % 64] += atomic_load(&scale);
    }
}

int main(int argc, char **argv)
{
    pthread_t thread;
    long start;

    (void)argv;
    if (argc > 1)
        pthread_create(&thread, NULL, sleeper, NULL);
    start = milliseconds();
    work(argc > 1);
    printf("%ld\n", milliseconds() - start);
    return 0;
}
