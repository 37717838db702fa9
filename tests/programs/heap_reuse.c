/* expect: race=no deadlock=no */
/* A block freed by one thread and handed to another is another variable; stacks of threads likewise. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *use(void *unused)
{
    int *block = malloc(64 * sizeof *block), sum = 0;

    for (int i = 0; i < 64; i++)
        block[i] = i;
    for (int i = 0; i < 64; i++)
        sum += block[i];
    free(block);
    return sum == 64 * 63 / 2 ? unused : NULL;
}

int main(void)
{
    pthread_t thread;

    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, use, NULL);
        use(NULL);
        pthread_detach(thread);
    }
    for (int i = 0; i < 4; i++) {
        pthread_create(&thread, NULL, use, NULL);
        pthread_join(thread, NULL);
    }
    puts("done");
    pthread_exit(NULL);
}
