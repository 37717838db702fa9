/* Runs through the ways, each a function that returns 0 for 0 and another number for 1. Correct: whoever sees a flag set has
 * seen what was written before. A way that is not followed gives a false race. */
#include <unistd.h>

enum { WAYS = sizeof ways / sizeof *ways };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flags[WAYS], data[WAYS];

static void *publish(void *unused)
{
    for (int i = 0; i < WAYS; i++) {
        data[i] = 1;
        pthread_mutex_lock(&lock);
        flags[i] = 1;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *use(void *unused)
{
    int sum = 0;

    usleep(1000); /* mostly after it was published */
    for (int i = 0; i < WAYS; i++) {
        pthread_mutex_lock(&lock);
        int flag = flags[i];
        pthread_mutex_unlock(&lock);
        if (ways[i](flag))
            sum += data[i];
    }
    printf("%d of %d\n", sum, (int)WAYS);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, publish, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
