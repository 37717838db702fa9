/* Programs that stop: stops HOW. Which locks are asked for in which order is certain, whatever the schedule. */
#include <pthread.h>
#include <string.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t both;
static int ready, count;

/* AB/BA: each takes its first lock before the other asks for it. */
static void *a_then_b(void *unused)
{
    pthread_mutex_lock(&a);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&b);
    return unused;
}

static void *b_then_a(void *unused)
{
    pthread_mutex_lock(&b);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&a);
    return unused;
}

static void *never_unlocks(void *unused)
{
    pthread_mutex_lock(&a);
    count++;
    return unused;
}

static void *waits(void *unused)
{
    pthread_mutex_lock(&a);
    while (!ready)
        pthread_cond_wait(&changed, &a);
    pthread_mutex_unlock(&a);
    return unused;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    void *(*first)(void *) = strcmp(how, "abba") == 0     ? a_then_b
                             : strcmp(how, "unlock") == 0 ? never_unlocks
                                                          : waits;
    void *(*second)(void *) = strcmp(how, "abba") == 0 ? b_then_a : first;
    pthread_t one, two;

    pthread_barrier_init(&both, NULL, 2);
    pthread_create(&one, NULL, first, NULL);
    pthread_create(&two, NULL, second, NULL);
    pthread_join(one, NULL);
    pthread_join(two, NULL);
    return 0;
}
