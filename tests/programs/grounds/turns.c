/* Two threads take turns. Whoever waits looks again and again, and counts that: what it writes in the end depends on the last look,
 * not on the first. Correct. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int turn, looks;
static int total;

static void *even(void *unused)
{
    usleep(1000); /* the other one looks meanwhile */
    for (int round = 0; round < 2; round++) {
        while (turn != 0)
            looks += 1;
        total++;
        turn = 1;
    }
    return unused;
}

static void *odd(void *unused)
{
    for (int round = 0; round < 2; round++) {
        while (turn != 1)
            for (int i = 0; i < 20; i++)
                looks += 1;
        total++;
        turn = 0;
    }
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, odd, NULL);
    pthread_create(&threads[1], NULL, even, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d, and somebody had to look again: %d\n", total, looks > 0);
    return 0;
}
