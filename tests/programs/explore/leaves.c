/* A check fails while main waits for the others, or it holds; threads leave by pthread_exit. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum;

static void *add(void *amount)
{
    pthread_mutex_lock(&lock);
    sum += *(int *)amount;
    pthread_mutex_unlock(&lock);
    pthread_exit(NULL);
}

static void *check(void *unused)
{
    pthread_mutex_lock(&lock);
    assert(sum < 3);
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    static int amounts[] = {1, 2};
    pthread_t threads[3];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, &amounts[i]);
    pthread_create(&threads[2], NULL, check, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
