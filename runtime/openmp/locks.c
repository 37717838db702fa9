/* Critical sections, atomic updates without instructions, locks. */
#include "openmp.h"

#include <assert.h>
#include <omp.h>

/* An omp_lock_t has room for a number only. */
enum { LOCKS_A_BLOCK = 1024, BLOCKS = 1 << 16 };

struct numbered_lock {
    pthread_mutex_t mutex;
};

static pthread_mutex_t unnamed = PTHREAD_MUTEX_INITIALIZER, atomic = PTHREAD_MUTEX_INITIALIZER;
static struct numbered_lock *blocks[BLOCKS];
static unsigned locks_made;

/* The first thread to arrive creates the mutex of a name. Which thread that is orders nothing. */
static pthread_mutex_t *named(void **name)
{
    void *found = __atomic_load_n(name, __ATOMIC_ACQUIRE), *none = NULL;

    if (!found) {
        found = openmp_new(sizeof(pthread_mutex_t));
        if (!__atomic_compare_exchange_n(name, &none, found, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
            free(found);
            found = none;
        }
    }
    return found;
}

EXPORT void GOMP_critical_start(void)
{
    pthread_mutex_lock(&unnamed);
}

EXPORT void GOMP_critical_end(void)
{
    pthread_mutex_unlock(&unnamed);
}

EXPORT void GOMP_critical_name_start(void **name)
{
    pthread_mutex_lock(named(name));
}

EXPORT void GOMP_critical_name_end(void **name)
{
    pthread_mutex_unlock(named(name));
}

EXPORT void GOMP_atomic_start(void)
{
    pthread_mutex_lock(&atomic);
}

EXPORT void GOMP_atomic_end(void)
{
    pthread_mutex_unlock(&atomic);
}

static unsigned lock_new(bool nested)
{
    unsigned number = __atomic_fetch_add(&locks_made, 1, __ATOMIC_RELAXED);
    struct numbered_lock **block, *fresh, *none = NULL;
    pthread_mutexattr_t attributes;

    if (number / LOCKS_A_BLOCK >= BLOCKS)
        openmp_lacks("locks beyond 67 million");
    block = &blocks[number / LOCKS_A_BLOCK];
    if (!__atomic_load_n(block, __ATOMIC_ACQUIRE)) {
        fresh = openmp_new(LOCKS_A_BLOCK * sizeof *fresh);
        if (!__atomic_compare_exchange_n(block, &none, fresh, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            free(fresh);
    }
    pthread_mutexattr_init(&attributes);
    if (nested)
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&(*block)[number % LOCKS_A_BLOCK].mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return number;
}

static pthread_mutex_t *lock_numbered(unsigned number)
{
    assert(blocks[number / LOCKS_A_BLOCK]);
    return &blocks[number / LOCKS_A_BLOCK][number % LOCKS_A_BLOCK].mutex;
}

static pthread_mutex_t *mutex_of(const void *lock)
{
    return lock_numbered(*(const unsigned *)lock);
}

EXPORT void omp_init_lock(omp_lock_t *lock)
{
    *(unsigned *)(void *)lock = lock_new(false);
}

EXPORT void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_lock(lock);
}

EXPORT void omp_destroy_lock(omp_lock_t *lock)
{
    pthread_mutex_destroy(mutex_of(lock));
}

EXPORT void omp_set_lock(omp_lock_t *lock)
{
    pthread_mutex_lock(mutex_of(lock));
}

EXPORT void omp_unset_lock(omp_lock_t *lock)
{
    pthread_mutex_unlock(mutex_of(lock));
}

EXPORT int omp_test_lock(omp_lock_t *lock)
{
    return pthread_mutex_trylock(mutex_of(lock)) == 0;
}

/* A nestable lock: the number, and how often its owner has it. */
struct nested {
    unsigned number;
    int depth;
};

static struct nested *nested_of(omp_nest_lock_t *lock)
{
    return (struct nested *)(void *)lock;
}

EXPORT void omp_init_nest_lock(omp_nest_lock_t *lock)
{
    *nested_of(lock) = (struct nested){.number = lock_new(true)};
}

EXPORT void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_nest_lock(lock);
}

EXPORT void omp_destroy_nest_lock(omp_nest_lock_t *lock)
{
    pthread_mutex_destroy(mutex_of(lock));
}

EXPORT void omp_set_nest_lock(omp_nest_lock_t *lock)
{
    pthread_mutex_lock(mutex_of(lock));
    nested_of(lock)->depth++;
}

EXPORT void omp_unset_nest_lock(omp_nest_lock_t *lock)
{
    nested_of(lock)->depth--;
    pthread_mutex_unlock(mutex_of(lock));
}

EXPORT int omp_test_nest_lock(omp_nest_lock_t *lock)
{
    return pthread_mutex_trylock(mutex_of(lock)) ? 0 : ++nested_of(lock)->depth;
}
