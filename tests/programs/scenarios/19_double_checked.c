/* races: a-b */
/* Whether something is made is looked at without the lock first. */
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int object;
int *instance;

int *get(void)
{
    int *found = instance; /* @a */

    if (found)
        return found;
    pthread_mutex_lock(&lock);
    if (!instance) {
        object = 42;
        instance = &object; /* @b */
    }
    found = instance;
    pthread_mutex_unlock(&lock);
    return found;
}

static void *first(void *unused)
{
    get();
    return unused;
}

static void *second(void *unused)
{
    usleep(20000);
    get();
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
