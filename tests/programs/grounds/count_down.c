/* Each section changes the count and then looks at what it made of it: nothing of that outlives the section. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int count = 2;
static volatile int full, empty;

static void *take(void *unused)
{
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        --count;
        if (count == 0)
            empty = 1;
        full = 0;
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void *pass(void *unused)
{
    pthread_mutex_lock(&lock);
    --count;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    ++count;
    pthread_mutex_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    pthread_create(&threads[0], NULL, take, NULL);
    pthread_create(&threads[1], NULL, pass, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return full;
}
