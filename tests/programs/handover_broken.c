/* expect: race=no deadlock=no atomicity=yes */
/* Two sensors store pairs of readings, each half in a locked section of its own. Neither waits for the
 * other: one's reading may get into a pair of the other. Pairs may be given. */
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int reading, pairs = 4;

static void store(int value)
{
    pthread_mutex_lock(&lock);
    reading = value;
    pthread_mutex_unlock(&lock);
}

static void measure(int from)
{
    for (int i = 0; i < pairs; i++) {
        HEDDLE_ATOMIC_BEGIN("pair");
        store(from + 2 * i);
        store(from + 2 * i + 1);
        HEDDLE_ATOMIC_END("pair");
    }
}

static void *first(void *unused)
{
    measure(0);
    return unused;
}

static void *second(void *unused)
{
    measure(1000);
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t one, two;

    pairs = argc > 1 ? atoi(argv[1]) : pairs;
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    printf("%d\n", reading);
    return 0;
}
