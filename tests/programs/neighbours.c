/* expect: race=no nondet=no deadlock=no */
/* Neighbours in a word, bit by byte: no conflict. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static struct {
    char a, b;
    short c;
    int d;
} word;

static void *first(void *unused)
{
    word.a = 1;
    word.d++;
    return unused;
}

static void *second(void *unused)
{
    word.b = 2;
    memset(&word.c, 3, sizeof word.c);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d %d %d %d\n", word.a, word.b, word.c, word.d);
    return 0;
}
