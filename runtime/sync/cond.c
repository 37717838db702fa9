/* Condition variables, POSIX and C11: waiting threads are the scheduler's, the real objects are not used. */
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/sync/mutex.h"

#include <errno.h>

/* Bits of glibc's __wrefs: other processes may use the condition; its clock is the monotonic one. */
enum { SHARED_BIT = 1, MONOTONIC_BIT = 2 };

static clockid_t clock_of(const pthread_cond_t *cond)
{
    return cond->__data.__wrefs & MONOTONIC_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

/* Other processes may signal: the real condition waits, outside. */
static int wait_outside(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *limit,
                        clockid_t clock, uintptr_t pc)
{
    struct timespec then = limit ? timing_outside(clock, limit) : (struct timespec){0};
    int error;

    log_emit(RECORD_WAIT_PRE, cond, pc, limit != NULL);
    mutex_note_given(mutex, pc);
    sched_outside();
    error =
        limit ? real.pthread_cond_clockwait(cond, mutex, clock, &then) : real.pthread_cond_wait(cond, mutex);
    sched_inside();
    if (error == ETIMEDOUT)
        timing_over(timing_deadline(clock, limit));
    mutex_note_taken(mutex, pc);
    log_emit(RECORD_WAIT_POST, cond, pc, error == ETIMEDOUT);
    return error;
}

static uint64_t notifications; /* of any condition */

/* A thread that is not to be cancelled now goes on waiting; so does one that ran a handler, unless it may have missed
 * something meanwhile. */
static enum wake block(pthread_cond_t *cond, uint64_t deadline)
{
    uint64_t before = notifications;
    enum wake wake;
    int state;

    do {
        do
            wake = sched_block(WAIT_CONDITION, cond, deadline);
        while (wake == WAKE_LOOK && notifications == before);
        if (wake != WAKE_CANCEL)
            return wake;
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        pthread_setcancelstate(state, NULL);
    } while (state == PTHREAD_CANCEL_DISABLE);
    return wake;
}

/* Runs when the wait is cancelled, too: the mutex is taken again before the thread's clean-up handlers run. */
static int wait_on(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *limit, clockid_t clock,
                   uintptr_t pc)
{
    enum wake wake;
    int error;

    if (cond->__data.__wrefs & SHARED_BIT)
        return wait_outside(cond, mutex, limit, clock, pc);
    sync_cancellation_point();
    script_before(RECORD_WAIT_PRE);
    log_emit(RECORD_WAIT_PRE, cond, pc, limit != NULL);
    error = mutex_give(mutex, pc);
    if (error) {
        log_emit(RECORD_WAIT_POST, cond, pc, 0);
        return error;
    }
    INVARIANT(local.turn && rt.turn == local.self);
    wake = block(cond, limit ? timing_deadline(clock, limit) : TIME_NEVER);
    error = mutex_take(mutex, TIME_NEVER, pc);
    script_before(RECORD_WAIT_POST);
    log_emit(RECORD_WAIT_POST, cond, pc, wake == WAKE_TIME);
    sync_cancellation_point();
    return error ? error : wake == WAKE_TIME ? ETIMEDOUT : 0;
}

static void notify(pthread_cond_t *cond, bool all, uintptr_t pc)
{
    script_before(all ? RECORD_NOTIFY_ALL : RECORD_NOTIFY);
    INVARIANT(local.turn);
    log_emit(all ? RECORD_NOTIFY_ALL : RECORD_NOTIFY, cond, pc, 0);
    notifications++;
    sched_wake(cond, all ? UINT32_MAX : 1);
    if (cond->__data.__wrefs & SHARED_BIT)
        (all ? real.pthread_cond_broadcast : real.pthread_cond_signal)(cond);
}

EXPORT int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attributes)
{
    if (sync_enter(CALLER)) {
        log_emit(RECORD_NEW, cond, CALLER, 0);
        sync_leave();
    }
    return real.pthread_cond_init(cond, attributes);
}

EXPORT int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_cond_wait(cond, mutex);
    error = wait_on(cond, mutex, NULL, CLOCK_REALTIME, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_cond_timedwait(cond, mutex, limit);
    error = timing_valid(limit) ? wait_on(cond, mutex, limit, clock_of(cond), CALLER) : EINVAL;
    sync_leave();
    return error;
}

EXPORT int pthread_cond_clockwait(pthread_cond_t *cond, pthread_mutex_t *mutex, clockid_t clock,
                                  const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_cond_clockwait(cond, mutex, clock, limit);
    error = timing_valid(limit) ? wait_on(cond, mutex, limit, clock, CALLER) : EINVAL;
    sync_leave();
    return error;
}

EXPORT int pthread_cond_signal(pthread_cond_t *cond)
{
    if (!sync_enter(CALLER))
        return real.pthread_cond_signal(cond);
    notify(cond, false, CALLER);
    sync_leave();
    return 0;
}

EXPORT int pthread_cond_broadcast(pthread_cond_t *cond)
{
    if (!sync_enter(CALLER))
        return real.pthread_cond_broadcast(cond);
    notify(cond, true, CALLER);
    sync_leave();
    return 0;
}

/* glibc's cnd_t is a pthread_cond_t. */
EXPORT int cnd_wait(cnd_t *cond, mtx_t *mutex)
{
    int error;

    if (!sync_enter(CALLER))
        return real.cnd_wait(cond, mutex);
    error = wait_on((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, NULL, CLOCK_REALTIME, CALLER);
    sync_leave();
    return error ? thrd_error : thrd_success;
}

EXPORT int cnd_timedwait(cnd_t *restrict cond, mtx_t *restrict mutex, const struct timespec *restrict limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.cnd_timedwait(cond, mutex, limit);
    error = wait_on((pthread_cond_t *)cond, (pthread_mutex_t *)mutex, limit, CLOCK_REALTIME, CALLER);
    sync_leave();
    return error == 0 ? thrd_success : error == ETIMEDOUT ? thrd_timedout : thrd_error;
}

EXPORT int cnd_signal(cnd_t *cond)
{
    if (!sync_enter(CALLER))
        return real.cnd_signal(cond);
    notify((pthread_cond_t *)cond, false, CALLER);
    sync_leave();
    return thrd_success;
}

EXPORT int cnd_broadcast(cnd_t *cond)
{
    if (!sync_enter(CALLER))
        return real.cnd_broadcast(cond);
    notify((pthread_cond_t *)cond, true, CALLER);
    sync_leave();
    return thrd_success;
}
