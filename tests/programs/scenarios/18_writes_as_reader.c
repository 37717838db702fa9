/* races: a-a */
/* Writing while holding a reader-writer lock as a reader. */
#include <pthread.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int shared;

static void add(void)
{
    pthread_rwlock_rdlock(&lock);
    shared++; /* @a */
    pthread_rwlock_unlock(&lock);
}

static void *first(void *unused)
{
    add();
    return unused;
}

static void *second(void *unused)
{
    add();
    return unused;
}

int main(void)
{
    pthread_t one, two;

    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
