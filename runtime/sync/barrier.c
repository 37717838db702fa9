/* Barriers and semaphores. */
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>

EXPORT int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attributes,
                                unsigned count)
{
    int error, shared = PTHREAD_PROCESS_PRIVATE;

    if (!sync_enter(CALLER))
        return real.pthread_barrier_init(barrier, attributes, count);
    if (attributes)
        pthread_barrierattr_getpshared(attributes, &shared);
    error = real.pthread_barrier_init(barrier, attributes, count);
    if (!error) {
        object_renew(barrier);
        object_at(barrier)->needed = shared == PTHREAD_PROCESS_SHARED ? 0 : count;
        log_emit(RECORD_NEW, barrier, CALLER, count);
    }
    sync_leave();
    return error;
}

static int arrive(pthread_barrier_t *barrier, uintptr_t pc)
{
    struct sync_object *o;
    uint32_t generation;
    int result = 0;

    script_before(RECORD_BARRIER_ENTER);
    o = object_at(barrier);
    INVARIANT(o->needed > 0 && o->arrived < o->needed && o->arrived <= o->inside);
    generation = o->generation;
    o->inside++;
    log_emit(RECORD_BARRIER_ENTER, barrier, pc, o->arrived + 1 == o->needed);
    if (++o->arrived == o->needed) {
        o->arrived = 0;
        o->generation++;
        sched_wake(barrier, UINT32_MAX);
        result = PTHREAD_BARRIER_SERIAL_THREAD;
    }
    while (object_at(barrier)->generation == generation)
        sched_block(WAIT_BARRIER, barrier, TIME_NEVER);
    script_before(RECORD_BARRIER_EXIT);
    log_emit(RECORD_BARRIER_EXIT, barrier, pc, 0);
    INVARIANT(object_at(barrier)->inside > 0);
    if (--object_at(barrier)->inside == 0)
        sched_wake(barrier, UINT32_MAX); /* a thread that destroys it waits for that */
    return result;
}

/* A barrier that was passed may be destroyed at once: threads that are about to leave it leave first. */
EXPORT int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_barrier_destroy(barrier);
    INVARIANT(object_at(barrier)->arrived <= object_at(barrier)->inside);
    while (object_at(barrier)->inside > object_at(barrier)->arrived)
        sched_block(WAIT_BARRIER, barrier, TIME_NEVER);
    log_emit(RECORD_NEW, barrier, CALLER, 0);
    error = real.pthread_barrier_destroy(barrier);
    sync_leave();
    return error;
}

EXPORT int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    int result;

    if (!sync_enter(CALLER))
        return real.pthread_barrier_wait(barrier);
    if (object_at(barrier)->needed == 0) { /* other processes may come to it: leave it to the real one */
        sched_outside();
        result = real.pthread_barrier_wait(barrier);
        sched_inside();
    } else {
        result = arrive(barrier, CALLER);
    }
    sync_leave();
    return result;
}

static int set_errno(int error)
{
    if (error == 0)
        return 0;
    errno = error;
    return -1;
}

static int take(sem_t *semaphore, uint64_t deadline, bool once, uintptr_t pc)
{
    unsigned tries = once ? TRIES_ONCE : deadline != TIME_NEVER ? TRIES_FOR_A_TIME : 0;
    bool late = once; /* the time is up: it tries once more, and so gives up only while the count is 0 */

    script_before(RECORD_SEM_WAIT);
    for (;;) {
        if (real.sem_trywait(semaphore) == 0) {
            log_emit(RECORD_SEM_WAIT, semaphore, pc, tries);
            return 0;
        }
        if (errno != EAGAIN && errno != EINTR)
            return errno;
        if (late) {
            log_emit(RECORD_SEM_FAIL, semaphore, pc, tries);
            return once ? EAGAIN : ETIMEDOUT;
        }
        if (local.self->interrupted & (deadline == TIME_NEVER ? INTERRUPT_ALL : INTERRUPT_SOME))
            return EINTR; /* the kernel does not go on with a timed wait, whatever the handler asks for */
        __atomic_store_n(&local.self->interrupted, 0, __ATOMIC_RELAXED);
        sync_cancellation_point();
        local.self->foreign = object_at(semaphore)->foreign;
        late = sched_block(WAIT_SEMAPHORE, semaphore, deadline) == WAKE_TIME && !local.self->interrupted;
        sync_cancellation_point();
    }
}

EXPORT int sem_init(sem_t *semaphore, int shared, unsigned value)
{
    if (sync_enter(CALLER)) {
        object_renew(semaphore);
        object_at(semaphore)->foreign = shared != 0;
        log_emit(RECORD_NEW, semaphore, CALLER, value);
        if (!shared)
            log_emit(RECORD_SEM_INIT, semaphore, CALLER, value);
        sync_leave();
    }
    return real.sem_init(semaphore, shared, value);
}

/* Other processes may know the name. */
EXPORT sem_t *sem_open(const char *name, int flags, ...)
{
    unsigned value = 0;
    mode_t mode = 0;
    sem_t *semaphore;
    va_list list;

    if (flags & O_CREAT) {
        va_start(list, flags);
        mode = va_arg(list, mode_t);
        value = va_arg(list, unsigned);
        va_end(list);
    }
    if (!real.sem_open)
        real_find();
    semaphore = real.sem_open(name, flags, mode, value);
    if (semaphore != SEM_FAILED && sync_enter(CALLER)) {
        object_at(semaphore)->foreign = true;
        sync_leave();
    }
    return semaphore;
}

EXPORT int sem_close(sem_t *semaphore)
{
    if (sync_enter(CALLER)) {
        log_emit(RECORD_NEW, semaphore, CALLER, 0);
        sync_leave();
    }
    return real.sem_close(semaphore);
}

EXPORT int sem_wait(sem_t *semaphore)
{
    int error;

    if (!sync_enter(CALLER))
        return real.sem_wait(semaphore);
    error = take(semaphore, TIME_NEVER, false, CALLER);
    sync_leave();
    return set_errno(error);
}

EXPORT int sem_trywait(sem_t *semaphore)
{
    int error;

    if (!sync_enter(CALLER))
        return real.sem_trywait(semaphore);
    error = take(semaphore, 0, true, CALLER);
    sync_leave();
    return set_errno(error);
}

EXPORT int sem_timedwait(sem_t *semaphore, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.sem_timedwait(semaphore, limit);
    error = take(semaphore, timing_deadline(CLOCK_REALTIME, limit), false, CALLER);
    sync_leave();
    return set_errno(error);
}

EXPORT int sem_clockwait(sem_t *semaphore, clockid_t clock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.sem_clockwait(semaphore, clock, limit);
    error = take(semaphore, timing_deadline(clock, limit), false, CALLER);
    sync_leave();
    return set_errno(error);
}

/* A count above 0 stands on the posts before it: in a trace the thread takes a token and gives it back. */
static void note_count(sem_t *semaphore, int *value, uintptr_t pc)
{
    script_before(RECORD_SEM_WAIT);
    real.sem_getvalue(semaphore, value);
    if (*value <= 0)
        return;
    log_emit(RECORD_SEM_WAIT, semaphore, pc, TRIES_ONCE);
    script_before(RECORD_POST);
    log_emit(RECORD_POST, semaphore, pc, 0);
}

EXPORT int sem_getvalue(sem_t *semaphore, int *value)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sem_getvalue(semaphore, value);
    result = real.sem_getvalue(semaphore, value);
    if (result == 0 && rt.session->effects)
        log_emit(RECORD_SEM_VALUE, semaphore, CALLER, (uint64_t)*value);
    else if (result == 0 && *value > 0)
        note_count(semaphore, value, CALLER);
    if (result == 0 && module_instrumented(CALLER))
        touch_write(value, sizeof *value, CALLER);
    sync_leave();
    return result;
}

EXPORT int sem_post(sem_t *semaphore)
{
    int result;

    if (!sync_enter(CALLER))
        return real.sem_post(semaphore);
    script_before(RECORD_POST);
    result = real.sem_post(semaphore);
    if (result == 0) {
        log_emit(RECORD_POST, semaphore, CALLER, 0);
        sched_wake(semaphore, 1);
    }
    sync_leave();
    return result;
}
