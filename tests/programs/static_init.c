/* expect: race=no nondet=no deadlock=no unordered=no */
/* Static variables that the program fills in a loop before it starts threads: no write may be missed or come
 * late. */
#include <pthread.h>
#include <stdio.h>

struct point {
    short x, y;
};

static int numbers[4], zeros[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static double halves[4];
static char letters[8];
static struct point points[4];
static long sums[2];

static void *add(void *number)
{
    long which = (long)number, sum = 0;

    for (int i = 0; i < 4; i++)
        sum += numbers[i] + (long)(2 * halves[i]) + points[i].y;
    for (int i = 0; i < 8; i++)
        sum += zeros[i] + letters[i] - 'a';
    sums[which] = sum;
    return NULL;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 4; i++)
        numbers[i] = i;
    for (int i = 0; i < 8; i++)
        zeros[i] = 0;
    for (int i = 0; i < 4; i++)
        halves[i] = i * 0.5;
    for (int i = 0; i < 8; i++)
        letters[i] = (char)('a' + i);
    for (int i = 0; i < 4; i++)
        points[i] = (struct point){1, 2};
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", sums[0]);
    return sums[0] != 48 || sums[1] != 48;
}
