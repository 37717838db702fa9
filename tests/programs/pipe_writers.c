/* expect: race=no deadlock=no unordered=no */
/* Several threads hand results to one reader through one pipe, all at once. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { EACH = 16, WRITERS = 3 };

struct result {
    int value;
};

static struct result results[WRITERS][EACH];
static int ends[2];

static void *produce(void *argument)
{
    struct result *mine = argument;

    for (int i = 0; i < EACH; i++) {
        struct result *done = &mine[i];
        done->value = i;
        if (write(ends[1], &done, sizeof done) != (ssize_t)sizeof done)
            break;
    }
    return NULL;
}

int main(void)
{
    pthread_t writers[WRITERS];
    struct result *one;
    int sum = 0;

    if (pipe(ends) != 0)
        return 1;
    for (int i = 0; i < WRITERS; i++)
        pthread_create(&writers[i], NULL, produce, results[i]);
    for (int i = 0; i < WRITERS * EACH && read(ends[0], &one, sizeof one) == (ssize_t)sizeof one; i++) {
        sum += one->value;
        one->value = 0;
    }
    for (int i = 0; i < WRITERS; i++)
        pthread_join(writers[i], NULL);
    printf("%d\n", sum);
    return sum != WRITERS * EACH * (EACH - 1) / 2;
}
