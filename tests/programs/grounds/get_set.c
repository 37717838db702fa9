/* Read in one critical section, written on in another, by two functions: an update can be lost. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

__attribute__((noinline)) static int get(void)
{
    int v;

    pthread_mutex_lock(&lock);
    v = value;
    pthread_mutex_unlock(&lock);
    return v;
}

__attribute__((noinline)) static void set(int v)
{
    pthread_mutex_lock(&lock);
    value = v;
    pthread_mutex_unlock(&lock);
}

static void *add(void *unused)
{
    int v = get();

    set(v + 1);
    return unused;
}

int main(void)
{
    pthread_t threads[2];

    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, add, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
