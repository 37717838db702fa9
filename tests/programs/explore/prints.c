/* Two threads put something out: the order is all that differs. */
#include <pthread.h>
#include <stdio.h>

static void *say(void *word)
{
    puts(word);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    char one[] = "one";

    pthread_create(&thread, NULL, say, one);
    puts("two");
    pthread_join(thread, NULL);
    return 0;
}
