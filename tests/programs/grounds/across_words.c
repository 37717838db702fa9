/* A compare-and-exchange of a thread's own variable whose expected value lies across two words. Correct: whoever sees the flag set
 * has seen what was written before. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int data[8];
static long flags[8], own;

static int swap_own(long seen)
{
    struct __attribute__((packed, aligned(8))) {
        int before;
        long expected;
    } room = {0, seen};

    own = seen;
    return __atomic_compare_exchange_n(&own, &room.expected, 5, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void *publish(void *unused)
{
    for (int i = 0; i < 8; i++) {
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
    for (int i = 0; i < 8; i++) {
        pthread_mutex_lock(&lock);
        long flag = flags[i];
        pthread_mutex_unlock(&lock);
        if (flag)
            sum += data[i];
    }
    printf("%d\n", sum);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, use, NULL);
    swap_own(0); /* before anything else is touched */
    pthread_create(&threads[1], NULL, publish, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
