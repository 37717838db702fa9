/* Reader-writer locks. */
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <errno.h>

static int take(pthread_rwlock_t *lock, bool shared, uint64_t deadline, bool once, uintptr_t pc)
{
    unsigned tries = (once                     ? TRIES_ONCE
                      : deadline != TIME_NEVER ? TRIES_FOR_A_TIME
                                               : 0) |
                     (shared ? TRIES_SHARED : 0);
    /* The time is up: it tries once more, and so gives up only while another thread has the lock. */
    bool late = once;

    if (once)
        script_before_either(shared ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE, RECORD_TRY_FAIL);
    else
        script_before(shared ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE);
    for (;;) {
        if (!once)
            handlers_before_wait();

        int error = shared ? real.pthread_rwlock_tryrdlock(lock) : real.pthread_rwlock_trywrlock(lock);
        struct sync_object *o = object_at(lock);

        if (error == 0) {
            if (shared) {
                o->readers++;
            } else {
                o->owner = local.self->id + 1;
            }
            INVARIANT(local.turn && o->address == lock);
            log_emit(shared ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE, lock, pc,
                     tries == TRIES_SHARED ? 0 : tries);
            return 0;
        }
        if (error != EBUSY)
            return error;
        if (o->owner == local.self->id + 1 && !once)
            return EDEADLK;
        if (late) {
            if (o->owner || o->readers)
                log_emit(RECORD_TRY_FAIL, lock, pc, tries);
            return once ? EBUSY : ETIMEDOUT;
        }
        local.self->owner = o->owner;
        local.self->foreign = o->foreign;
        local.self->shares = shared;
        late = sched_block(WAIT_LOCK, lock, deadline) == WAKE_TIME;
    }
}

EXPORT int pthread_rwlock_init(pthread_rwlock_t *lock, const pthread_rwlockattr_t *attributes)
{
    int shared = PTHREAD_PROCESS_PRIVATE;

    if (sync_enter(CALLER)) {
        if (attributes)
            pthread_rwlockattr_getpshared(attributes, &shared);
        object_renew(lock);
        object_at(lock)->foreign = shared == PTHREAD_PROCESS_SHARED;
        log_emit(RECORD_NEW, lock, CALLER, 0);
        sync_leave();
    }
    return real.pthread_rwlock_init(lock, attributes);
}

EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_rdlock(lock);
    error = take(lock, true, TIME_NEVER, false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_wrlock(lock);
    error = take(lock, false, TIME_NEVER, false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t *lock)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_tryrdlock(lock);
    error = take(lock, true, 0, true, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t *lock)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_trywrlock(lock);
    error = take(lock, false, 0, true, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_timedrdlock(lock, limit);
    error = take(lock, true, timing_deadline(CLOCK_REALTIME, limit), false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_timedwrlock(lock, limit);
    error = take(lock, false, timing_deadline(CLOCK_REALTIME, limit), false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_clockrdlock(lock, clock, limit);
    error = take(lock, true, timing_deadline(clock, limit), false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_clockwrlock(lock, clock, limit);
    error = take(lock, false, timing_deadline(clock, limit), false, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *lock)
{
    struct sync_object *o;
    bool exclusive;
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_rwlock_unlock(lock);
    script_before_either(RECORD_RELEASE, RECORD_SHARED_RELEASE);
    error = real.pthread_rwlock_unlock(lock);
    if (!error) {
        o = object_at(lock);
        exclusive = o->owner != 0;
        if (exclusive)
            o->owner = 0;
        else if (o->readers > 0)
            o->readers--;
        log_emit(exclusive ? RECORD_RELEASE : RECORD_SHARED_RELEASE, lock, CALLER, 0);
        sched_wake(lock, UINT32_MAX);
    }
    sync_leave();
    return error;
}
