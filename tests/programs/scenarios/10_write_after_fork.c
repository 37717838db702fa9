/* races: a-b */
/* The parent sets up what the thread needs after it has started it. */
#include <pthread.h>

int input;

static void *work(void *unused)
{
    volatile int copy = input; /* @b */

    (void)copy;
    return unused;
}

int main(void)
{
    pthread_t thread;

    pthread_create(&thread, NULL, work, NULL);
    input = 41; /* @a */
    pthread_join(thread, NULL);
    return 0;
}
