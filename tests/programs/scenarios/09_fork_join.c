/* races: none */
/* What the parent writes before it starts a thread and reads after it has ended. */
#include <pthread.h>

int input, output;

static void *work(void *unused)
{
    output = input + 1;
    return unused;
}

int main(void)
{
    pthread_t thread;

    input = 41;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
    return output == 42 ? 0 : 1;
}
