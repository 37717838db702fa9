/* races: a-b */
/* One thread already begins the second phase on the other's side of the barrier. */
#include <pthread.h>

static pthread_barrier_t barrier;
int left, right;

static void *first(void *unused)
{
    left = 1;
    pthread_barrier_wait(&barrier);
    right += 1; /* @a */
    return unused;
}

static void *second(void *unused)
{
    right = 2;
    pthread_barrier_wait(&barrier);
    right += left; /* @b */
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
