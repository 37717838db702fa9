/* expect: race=no nondet=yes deadlock=no stale=yes unordered=no */
/* Every access to the counter is under the lock, but reading and writing it are not one step: an update may be
 * lost. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static int get(void)
{
    pthread_mutex_lock(&lock);
    int value = counter;
    pthread_mutex_unlock(&lock);
    return value;
}

static void set(int value)
{
    pthread_mutex_lock(&lock);
    counter = value;
    pthread_mutex_unlock(&lock);
}

static void *add_one(void *unused)
{
    set(get() + 1);
    return unused;
}

int main(void)
{
    pthread_t first, second;

    pthread_create(&first, NULL, add_one, NULL);
    pthread_create(&second, NULL, add_one, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d\n", get());
    return 0;
}
