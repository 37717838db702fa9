/* expect: race=no deadlock=no */
/* Mutexes of all kinds: robust ones whose owner ends, priority-inheriting, checking, re-entrant,
 * process-shared. */
#include <assert.h>
#include <errno.h>
#include <pthread.h>

enum { INHERITING, CHECKING, REENTRANT, SHARED, KINDS };

static pthread_mutex_t robust, hopeless, kinds[KINDS];
static int inherited, counts[KINDS];

static void *ends_with_it(void *unused)
{
    pthread_mutex_lock(&robust);
    pthread_mutex_lock(&robust); /* it is re-entrant, too */
    inherited++;
    pthread_mutex_lock(&hopeless);
    return unused;
}

static void *inherits(void *unused)
{
    int error = pthread_mutex_lock(&robust);

    assert(error == 0 || error == EOWNERDEAD);
    if (error == EOWNERDEAD)
        pthread_mutex_consistent(&robust);
    inherited++;
    pthread_mutex_unlock(&robust);
    error = pthread_mutex_lock(&hopeless);
    assert(error == 0 || error == EOWNERDEAD || error == ENOTRECOVERABLE);
    if (error != ENOTRECOVERABLE)
        pthread_mutex_unlock(&hopeless);
    return unused;
}

static void *uses(void *unused)
{
    for (int i = 0; i < 3; i++)
        for (int kind = 0; kind < KINDS; kind++) {
            pthread_mutex_lock(&kinds[kind]);
            counts[kind]++;
            if (kind == CHECKING)
                assert(pthread_mutex_lock(&kinds[kind]) == EDEADLK &&
                       pthread_mutex_trylock(&kinds[kind]) == EBUSY);
            if (kind == REENTRANT) {
                assert(pthread_mutex_trylock(&kinds[kind]) == 0 && pthread_mutex_lock(&kinds[kind]) == 0);
                counts[kind]++;
                pthread_mutex_unlock(&kinds[kind]);
                pthread_mutex_unlock(&kinds[kind]);
            }
            pthread_mutex_unlock(&kinds[kind]);
            if (kind == CHECKING || kind == REENTRANT)
                assert(pthread_mutex_unlock(&kinds[kind]) == EPERM);
        }
    return unused;
}

static void make(void)
{
    pthread_mutexattr_t attributes[KINDS + 2];

    for (int i = 0; i < KINDS + 2; i++)
        pthread_mutexattr_init(&attributes[i]);
    pthread_mutexattr_setprotocol(&attributes[INHERITING], PTHREAD_PRIO_INHERIT);
    pthread_mutexattr_settype(&attributes[CHECKING], PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_settype(&attributes[REENTRANT], PTHREAD_MUTEX_RECURSIVE);
    pthread_mutexattr_setpshared(&attributes[SHARED], PTHREAD_PROCESS_SHARED);
    for (int i = 0; i < KINDS; i++)
        pthread_mutex_init(&kinds[i], &attributes[i]);
    pthread_mutexattr_setrobust(&attributes[KINDS], PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&hopeless, &attributes[KINDS]);
    pthread_mutexattr_setrobust(&attributes[KINDS + 1], PTHREAD_MUTEX_ROBUST);
    pthread_mutexattr_settype(&attributes[KINDS + 1], PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&robust, &attributes[KINDS + 1]);
}

static void run(void *(*first)(void *), void *(*second)(void *), void *(*third)(void *))
{
    pthread_t threads[3];

    pthread_create(&threads[0], NULL, first, NULL);
    pthread_create(&threads[1], NULL, second, NULL);
    pthread_create(&threads[2], NULL, third, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    make();
    run(ends_with_it, inherits, inherits);
    inherits(NULL);
    assert(inherited == 4);
    run(uses, uses, uses);
    return 0;
}
