/* What was read goes through a function that only computes, and that returns a structure. Correct: whoever sees the flag set has
 * seen what was written before. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct range {
    int from, to;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int flag, data;

__attribute__((noinline)) static struct range range_of(int start)
{
    return (struct range){start, 3 * start + 1};
}

static void *publish(void *unused)
{
    data = 1;
    pthread_mutex_lock(&lock);
    flag = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *use(void *unused)
{
    struct range range;

    usleep(1000); /* mostly after it was published */
    pthread_mutex_lock(&lock);
    range = range_of(flag);
    pthread_mutex_unlock(&lock);
    if (range.to == 4)
        data++;
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, publish, NULL);
    pthread_create(&threads[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", data);
    return 0;
}
