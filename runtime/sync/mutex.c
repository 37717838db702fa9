/* Mutexes and spin locks, POSIX and C11: taken by the real try-lock at the thread's turn. */
#include "runtime/sync/mutex.h"
#include "runtime/effects/effects.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <errno.h>
#include <limits.h>

/* Bits of glibc's __kind. */
enum { KIND_TYPE = 3, KIND_RECURSIVE = 1, KIND_ERRORCHECK = 2, KIND_ROBUST = 16, KIND_SHARED = 128 };

/* … and its __owner of a robust mutex that was released without being made consistent. */
enum { OWNER_NOT_RECOVERABLE = INT_MAX - 1 };

static bool any_robust; /* mutexes, ever */

static bool is_foreign(const pthread_mutex_t *mutex)
{
    return (mutex->__data.__kind & KIND_SHARED) != 0 || object_at(mutex)->outside > 0;
}

/* `tries`: how the call would have given up (TRIES_…). */
static void took(const void *lock, unsigned tries, uintptr_t pc)
{
    struct sync_object *o = object_at(lock);

    INVARIANT(local.turn);
    o->depth = o->owner == local.self->id + 1 ? o->depth + 1 : 1;
    o->owner = local.self->id + 1;
    log_emit(RECORD_ACQUIRE, lock, pc, tries);
}

static void gave(const void *lock, uintptr_t pc)
{
    struct sync_object *o = object_at(lock);

    INVARIANT(local.turn && (o->depth > 0 || o->owner == 0));
    if (o->depth > 0 && --o->depth == 0)
        o->owner = 0;
    log_emit(RECORD_RELEASE, lock, pc, 0);
}

/* glibc's own function keeps a mutex that is not recoverable, so that the next thread would wait forever. */
static int try_real(pthread_mutex_t *mutex)
{
    if (mutex->__data.__kind & KIND_ROBUST && mutex->__data.__owner == OWNER_NOT_RECOVERABLE)
        return ENOTRECOVERABLE;
    return real.pthread_mutex_trylock(mutex);
}

static void note_robust(const pthread_mutex_t *mutex)
{
    if (mutex->__data.__kind & KIND_ROBUST)
        object_at(mutex)->robust = any_robust = true;
}

/* The kernel notifies the next owner once the thread is gone. */
void mutex_end_thread(void)
{
    const void *mutex;

    while (any_robust && (mutex = object_held_by(local.self)) != NULL) {
        gave(mutex, local.self->pc);
        sched_wake(mutex, UINT32_MAX);
        if (rt.exploring)
            effects_missed("a robust mutex whose owner ended", local.self->pc);
    }
}

static void failed_to_take(const void *lock, unsigned tries, uintptr_t pc)
{
    if (object_at(lock)->owner)
        log_emit(RECORD_TRY_FAIL, lock, pc, tries);
}

int mutex_take(pthread_mutex_t *mutex, uint64_t deadline, uintptr_t pc)
{
    /* The time is up: it tries once more, and so gives up only while another thread has the lock. */
    bool late = false;

    script_before(RECORD_ACQUIRE);
    for (;;) {
        handlers_before_wait();

        int error = try_real(mutex);
        const struct sync_object *o = object_at(mutex);

        if (error == 0 || error == EOWNERDEAD) {
            took(mutex, deadline != TIME_NEVER ? TRIES_FOR_A_TIME : 0, pc);
            note_robust(mutex);
            return error;
        }
        if (error != EBUSY) {
            if (module_instrumented(pc))
                touch_read(mutex, 1, pc); /* it may be destroyed */
            return error;
        }
        if (o->owner == local.self->id + 1 && (mutex->__data.__kind & KIND_TYPE) == KIND_ERRORCHECK)
            return EDEADLK;
        if (late) {
            failed_to_take(mutex, TRIES_FOR_A_TIME, pc);
            return ETIMEDOUT;
        }
        local.self->owner = o->owner;
        local.self->foreign = is_foreign(mutex);
        late = sched_block(WAIT_LOCK, mutex, deadline) == WAKE_TIME;
    }
}

int mutex_give(pthread_mutex_t *mutex, uintptr_t pc)
{
    int error;

    script_before(RECORD_RELEASE);
    error = real.pthread_mutex_unlock(mutex);
    if (error)
        return error;
    gave(mutex, pc);
    sched_wake(mutex, UINT32_MAX);
    return 0;
}

void mutex_note_given(pthread_mutex_t *mutex, uintptr_t pc)
{
    gave(mutex, pc);
    object_at(mutex)->outside++;
    sched_wake(mutex, UINT32_MAX);
}

void mutex_note_taken(pthread_mutex_t *mutex, uintptr_t pc)
{
    struct sync_object *o = object_at(mutex);

    if (o->outside > 0) /* else it was initialised anew meanwhile */
        o->outside--;
    took(mutex, 0, pc);
}

EXPORT int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attributes)
{
    if (!sync_enter(CALLER))
        return real.pthread_mutex_init(mutex, attributes);
    object_renew(mutex);
    log_emit(RECORD_NEW, mutex, CALLER, 0);
    sync_leave();
    return real.pthread_mutex_init(mutex, attributes);
}

EXPORT int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_destroy(mutex);
    error = real.pthread_mutex_destroy(mutex);
    if (!error) {
        object_renew(mutex);
        log_emit(RECORD_NEW, mutex, CALLER, 0);
    }
    sync_leave();
    return error;
}

EXPORT int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_lock(mutex);
    error = mutex_take(mutex, TIME_NEVER, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_timedlock(mutex, limit);
    error = mutex_take(mutex, timing_deadline(CLOCK_REALTIME, limit), CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_mutex_clocklock(pthread_mutex_t *mutex, clockid_t clock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_clocklock(mutex, clock, limit);
    error = mutex_take(mutex, timing_deadline(clock, limit), CALLER);
    sync_leave();
    return error;
}

static int try_take(pthread_mutex_t *mutex, uintptr_t pc)
{
    int error;

    script_before_either(RECORD_ACQUIRE, RECORD_TRY_FAIL);
    error = try_real(mutex);
    if (error == 0 || error == EOWNERDEAD) {
        took(mutex, TRIES_ONCE, pc);
        note_robust(mutex);
    } else if (error == EBUSY) {
        failed_to_take(mutex, TRIES_ONCE, pc);
    }
    return error;
}

EXPORT int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_trylock(mutex);
    error = try_take(mutex, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_mutex_unlock(mutex);
    error = mutex_give(mutex, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
    if (sync_enter(CALLER)) {
        object_renew((const void *)lock);
        object_at((const void *)lock)->foreign = shared == PTHREAD_PROCESS_SHARED;
        log_emit(RECORD_NEW, (const void *)lock, CALLER, 0);
        sync_leave();
    }
    return real.pthread_spin_init(lock, shared);
}

EXPORT int pthread_spin_lock(pthread_spinlock_t *lock)
{
    if (!sync_enter(CALLER))
        return real.pthread_spin_lock(lock);
    script_before(RECORD_ACQUIRE);
    while (real.pthread_spin_trylock(lock) != 0) {
        const struct sync_object *o = object_at((const void *)lock);
        local.self->owner = o->owner;
        local.self->foreign = o->foreign;
        sched_block(WAIT_LOCK, (const void *)lock, TIME_NEVER);
    }
    took((const void *)lock, 0, CALLER);
    sync_leave();
    return 0;
}

EXPORT int pthread_spin_trylock(pthread_spinlock_t *lock)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_spin_trylock(lock);
    script_before_either(RECORD_ACQUIRE, RECORD_TRY_FAIL);
    error = real.pthread_spin_trylock(lock);
    if (error == 0)
        took((const void *)lock, TRIES_ONCE, CALLER);
    else
        failed_to_take((const void *)lock, TRIES_ONCE, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_spin_unlock(pthread_spinlock_t *lock)
{
    if (!sync_enter(CALLER))
        return real.pthread_spin_unlock(lock);
    script_before(RECORD_RELEASE);
    real.pthread_spin_unlock(lock);
    gave((const void *)lock, CALLER);
    sched_wake((const void *)lock, UINT32_MAX);
    sync_leave();
    return 0;
}

/* glibc's mtx_t is a pthread_mutex_t. */
static int c11(int error)
{
    return error == 0           ? thrd_success
           : error == EBUSY     ? thrd_busy
           : error == ETIMEDOUT ? thrd_timedout
                                : thrd_error;
}

EXPORT int mtx_init(mtx_t *mutex, int type)
{
    if (sync_enter(CALLER)) {
        object_renew(mutex);
        log_emit(RECORD_NEW, mutex, CALLER, 0);
        sync_leave();
    }
    return real.mtx_init(mutex, type);
}

EXPORT int mtx_lock(mtx_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.mtx_lock(mutex);
    error = mutex_take((pthread_mutex_t *)mutex, TIME_NEVER, CALLER);
    sync_leave();
    return c11(error);
}

EXPORT int mtx_timedlock(mtx_t *restrict mutex, const struct timespec *restrict limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.mtx_timedlock(mutex, limit);
    error = mutex_take((pthread_mutex_t *)mutex, timing_deadline(CLOCK_REALTIME, limit), CALLER);
    sync_leave();
    return c11(error);
}

EXPORT int mtx_trylock(mtx_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.mtx_trylock(mutex);
    error = try_take((pthread_mutex_t *)mutex, CALLER);
    sync_leave();
    return c11(error);
}

EXPORT int mtx_unlock(mtx_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.mtx_unlock(mutex);
    error = mutex_give((pthread_mutex_t *)mutex, CALLER);
    sync_leave();
    return c11(error);
}
