/* A thread takes a number out of a slot and puts it back later: whatever another thread put there in between is lost. A pool that keeps
 * what is free in slots may do just that, and does not mind, since each number is somewhere in it; the slot's update is overtaken all the
 * same. */
#include <pthread.h>

static pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
static int slot = 7;

static void *borrow(void *unused)
{
    pthread_mutex_lock(&guard);
    int taken = slot;
    pthread_mutex_unlock(&guard);
    pthread_mutex_lock(&guard);
    slot = taken;
    pthread_mutex_unlock(&guard);
    return unused;
}

static void *replace(void *unused)
{
    pthread_mutex_lock(&guard);
    slot = 9;
    pthread_mutex_unlock(&guard);
    return unused;
}

int main(void)
{
    pthread_t one, other;

    pthread_create(&one, NULL, borrow, NULL);
    pthread_create(&other, NULL, replace, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    return 0;
}
