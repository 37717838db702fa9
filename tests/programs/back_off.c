/* expect: race=no deadlock=no unordered=no */
/* Two locks in two orders, but nobody waits for the second: one side tries it, the other waits for a time. */
#include <pthread.h>
#include <time.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t door = PTHREAD_RWLOCK_INITIALIZER;
static int balance, given_up;

static void *there(void *unused)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&first);
        if (pthread_mutex_trylock(&second) == 0) {
            balance++;
            pthread_mutex_unlock(&second);
        }
        pthread_mutex_unlock(&first);
    }
    return unused;
}

static void *back(void *unused)
{
    struct timespec limit;

    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&second);
        clock_gettime(CLOCK_REALTIME, &limit);
        limit.tv_sec += 1;
        if (pthread_mutex_timedlock(&first, &limit) == 0) {
            balance--;
            pthread_mutex_unlock(&first);
        }
        if (pthread_rwlock_timedwrlock(&door, &limit) == 0) {
            given_up++;
            pthread_rwlock_unlock(&door);
        }
        pthread_mutex_unlock(&second);
    }
    return unused;
}

static void *through(void *unused)
{
    pthread_rwlock_wrlock(&door);
    if (pthread_mutex_trylock(&second) == 0)
        pthread_mutex_unlock(&second);
    given_up += 0;
    pthread_rwlock_unlock(&door);
    return unused;
}

int main(void)
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, there, NULL);
    pthread_create(&threads[1], NULL, back, NULL);
    pthread_create(&threads[2], NULL, through, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return given_up > 3; /* no output: what threads give up depends on time */
}
