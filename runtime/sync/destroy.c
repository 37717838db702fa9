/* Destruction of conditions, semaphores and locks: every use must come before it. Mutexes and barriers, which
 * need more, are in files of their own. */
#include "runtime/runtime.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

static void destroyed(const void *object, uintptr_t pc)
{
    if (!sync_enter(pc))
        return;
    object_renew(object);
    log_emit(RECORD_NEW, object, pc, 0);
    sync_leave();
}

#define DESTROY(name, type)                                                                                    \
    EXPORT int name(type *object)                                                                              \
    {                                                                                                          \
        if (!real.name)                                                                                        \
            real_find();                                                                                       \
        destroyed((const void *)object, CALLER);                                                               \
        return real.name(object);                                                                              \
    }

DESTROY(pthread_rwlock_destroy, pthread_rwlock_t)
DESTROY(pthread_spin_destroy, pthread_spinlock_t)
DESTROY(pthread_cond_destroy, pthread_cond_t)
DESTROY(sem_destroy, sem_t)

EXPORT void mtx_destroy(mtx_t *mutex)
{
    if (!real.mtx_destroy)
        real_find();
    destroyed(mutex, CALLER);
    real.mtx_destroy(mutex);
}

EXPORT void cnd_destroy(cnd_t *cond)
{
    if (!real.cnd_destroy)
        real_find();
    destroyed(cond, CALLER);
    real.cnd_destroy(cond);
}
