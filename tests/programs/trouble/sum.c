/* Adds the numbers on standard input, a thread each, with an update that may get lost. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };

static int sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *add(void *number)
{
    int before;

    pthread_mutex_lock(&lock);
    before = sum;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    sum = before + *(int *)number;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int count, char **arguments)
{
    FILE *in = count > 1 ? fopen(arguments[1], "r") : stdin;
    pthread_t threads[MOST];
    int numbers[MOST], used = 0;
    char line[100];

    while (used < MOST && fgets(line, sizeof line, in)) {
        numbers[used] = atoi(line);
        pthread_create(&threads[used], NULL, add, &numbers[used]);
        used++;
    }
    for (int i = 0; i < used; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", sum);
    return 0;
}
