/* Threads: created, ended, joined, detached, cancelled. POSIX and C11. */
#include "runtime/frames.h"
#include "runtime/grounds/decisions.h"
#include "runtime/libc/handlers.h"
#include "runtime/sched/follow_script.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/sync/mutex.h"
#include "runtime/system.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

static pthread_key_t end_key;
static pthread_once_t end_once = PTHREAD_ONCE_INIT;

enum {
    FRAMES = 1 << 16,       /* bytes of a stack that are looked at when its thread ends */
    THREAD_LOCAL = 1 << 20, /* most bytes of thread-local variables above them */
};

static size_t frames_length(const struct thread *self)
{
    return self->stack_size / 2 < FRAMES ? self->stack_size / 2 : FRAMES;
}

/* All variables of the thread end: those in its frames, and thread-local ones, which are between its first frame and the thread control
 * block. */
static void free_variables(const struct thread *self)
{
    uintptr_t first = (uintptr_t)self->frame, block = (uintptr_t)pthread_self(),
              low = first - frames_length(self);

    heap_freed((void *)low, // NOLINT(performance-no-int-to-ptr)
               (block - first < THREAD_LOCAL ? block : first) - low, (uintptr_t)self->start + 1);
}

/* Runs among the destructors of thread-specific data: the thread ends after the last round of them. */
static void on_end(void *data)
{
    struct thread *self = data;

    if (++self->rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, self);
        return;
    }
    INVARIANT(self->rounds == PTHREAD_DESTRUCTOR_ITERATIONS);
    if (!recording() || local.self != self)
        return;
    local.inside = true;
    hot.budget--; /* the end is a step of its own */
    sched_take_turn();
    session_store(&rt.session->steps, rt.session->steps + 1);
    INVARIANT(!recording() || (rt.turn == self && local.turn));
    mutex_end_thread();
    if (self->frame)
        free_variables(self);
    sched_end();
}

static void make_key(void)
{
    pthread_key_create(&end_key, on_end);
}

void thread_watch_end(void)
{
    real.pthread_once(&end_once, make_key);
    pthread_setspecific(end_key, local.self);
}

static size_t stack_size(const pthread_attr_t *attributes)
{
    size_t size = 0;
    struct rlimit limit;

    if (attributes && pthread_attr_getstacksize(attributes, &size) == 0 && size > 0)
        return size;
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        return limit.rlim_cur;
    return (size_t)8 << 20;
}

void thread_log_main(void)
{
    struct rlimit limit;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0), top = (here + (1 << 20)) & ~(uintptr_t)4095;
    size_t size =
        getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur < (64 << 20) ? limit.rlim_cur : 64 << 20;

    log_emit(RECORD_START, (const void *)(top - size), 0, size);
}

void thread_log_found(void)
{
    pthread_attr_t about;
    void *bottom;
    size_t size;

    if (pthread_getattr_np(pthread_self(), &about) != 0)
        return;
    if (pthread_attr_getstack(&about, &bottom, &size) == 0)
        log_emit(RECORD_START, bottom, 0, size);
    pthread_attr_destroy(&about);
}

static void *begin(void *data)
{
    struct thread *self = data;
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    uintptr_t top =
        ((uintptr_t)pthread_self() | 4095) + 1; /* the thread control block is on the stack's last page */

    local.inside = true;
    self->frame = (void *)here;
    sched_begin(self);
    INVARIANT(local.self == self);
    thread_watch_end();
    if (top - here > THREAD_LOCAL) /* or elsewhere */
        top = here;
    log_emit(RECORD_START, (const void *)(top - self->stack_size), (uintptr_t)self->start, self->stack_size);
    void *(*start)(void *) = self->start;
    void *argument = self->argument;
    local.inside = false;
    real.pthread_sigmask(SIG_SETMASK, &self->mask, NULL);
    argument = start(argument);
    grounds_end((const void *)(uintptr_t)start);
    return argument;
}

/* `main` may end by returning. What is registered now is called before what the program registered until now,
 * so before its variables go. */
static void watch_process(void)
{
    static bool watched;

    if (!watched)
        atexit(state_ends);
    watched = true;
}

/* A handler that ran in the new thread before the thread is registered would be mistaken for a thread of its
 * own. */
static int create_blocked(pthread_t *handle, const pthread_attr_t *attributes, struct thread *t)
{
    sigset_t all, own;
    int error;

    sigfillset(&all);
    real.pthread_sigmask(SIG_SETMASK, &all, &own);
    if (!attributes || pthread_attr_getsigmask_np(attributes, &t->mask) != 0)
        t->mask = own;
    sigdelset(&t->mask, SESSION_PREEMPT);
    error = real.pthread_create(handle, attributes, begin, t);
    real.pthread_sigmask(SIG_SETMASK, &own, NULL);
    return error;
}

static int create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *), void *argument,
                  uintptr_t pc)
{
    int detached = PTHREAD_CREATE_JOINABLE;
    struct thread *t;
    int error;

    facets_fill();
    script_before(RECORD_FORK);
    t = sched_new();
    if (!t)
        return EAGAIN;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &detached);
    INVARIANT(t != local.self && !t->joined);
    t->detached = detached == PTHREAD_CREATE_DETACHED;
    t->start = start;
    t->argument = argument;
    t->stack_size = stack_size(attributes);
    error = create_blocked(handle, attributes, t);
    if (error) {
        sched_discard(t);
        return error;
    }
    t->handle = *handle;
    if (module_instrumented(pc))
        touch_write(handle, sizeof *handle, pc);
    watch_process();
    frames_log();
    log_emit(RECORD_FORK, NULL, pc, t->id);
    sched_admit(t);
    return 0;
}

EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*start)(void *),
                          void *argument)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_create(handle, attributes, start, argument);
    error = create(handle, attributes, start, argument, CALLER);
    sync_leave();
    return error;
}

/* Waits until the thread has run its last destructor; ETIMEDOUT when the deadline comes first. */
static int await_end(struct thread *t, uint64_t deadline)
{
    while (handlers_before_wait(), t->state != STATE_ENDED) {
        sync_cancellation_point();
        local.self->owner = t->id + 1;
        if (sched_block(WAIT_JOIN, t, deadline) == WAKE_TIME && t->state != STATE_ENDED)
            return ETIMEDOUT;
        sync_cancellation_point();
    }
    return 0;
}

static int join(pthread_t handle, void **result, uint64_t deadline, uintptr_t pc)
{
    struct thread *t = sched_find(handle);
    int error;

    if (!t || t->detached)
        return real.pthread_join(handle, result);
    if (t == local.self)
        return EDEADLK;
    script_before(RECORD_JOIN);
    error = await_end(t, deadline);
    if (error)
        return error;
    INVARIANT(t->state == STATE_ENDED && t != local.self);
    error = real.pthread_join(handle, result);
    if (!error) {
        log_emit(RECORD_JOIN, NULL, pc, t->id);
        if (result && module_instrumented(pc))
            touch_write((const void *)result, sizeof *result, pc);
        t->joined = true;
    }
    return error;
}

EXPORT int pthread_join(pthread_t handle, void **result)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_join(handle, result);
    error = join(handle, result, TIME_NEVER, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_tryjoin_np(pthread_t handle, void **result)
{
    struct thread *t;
    int error = EBUSY;

    if (!sync_enter(CALLER))
        return real.pthread_tryjoin_np(handle, result);
    t = sched_find(handle);
    if (t && rt.session->effects)
        log_emit(RECORD_LOOK_ENDED, NULL, CALLER, t->id);
    if (!t || t->state == STATE_ENDED)
        error = join(handle, result, TIME_NEVER, CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_timedjoin_np(pthread_t handle, void **result, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_timedjoin_np(handle, result, limit);
    error = join(handle, result, timing_deadline(CLOCK_REALTIME, limit), CALLER);
    sync_leave();
    return error;
}

EXPORT int pthread_clockjoin_np(pthread_t handle, void **result, clockid_t clock, const struct timespec *limit)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_clockjoin_np(handle, result, clock, limit);
    error = join(handle, result, timing_deadline(clock, limit), CALLER);
    sync_leave();
    return error;
}

static int detach(pthread_t handle)
{
    struct thread *t = sched_find(handle);
    int error = real.pthread_detach(handle);

    if (!error && t) {
        t->detached = true;
        t->joined = t->state == STATE_ENDED;
    }
    return error;
}

EXPORT int pthread_detach(pthread_t handle)
{
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_detach(handle);
    error = detach(handle);
    sync_leave();
    return error;
}

/* Names the thread; the last name it gets is the one in reports. */
EXPORT int pthread_setname_np(pthread_t handle, const char *name)
{
    struct thread *t;
    int error = real.pthread_setname_np(handle, name);

    if (!error && heap_may_log() && (t = sched_find(handle))) {
        log_emit(RECORD_NAME, (const void *)(uintptr_t)t->id, CALLER,
                 text_length(name)); // NOLINT(performance-no-int-to-ptr)
        log_text(name, text_length(name));
    }
    return error;
}

EXPORT int pthread_cancel(pthread_t handle)
{
    struct thread *t;
    int error;

    if (!sync_enter(CALLER))
        return real.pthread_cancel(handle);
    t = sched_find(handle);
    error = real.pthread_cancel(handle);
    if (!error && t) {
        t->cancelled = true;
        if (t->reason != WAIT_LOCK && t->reason != WAIT_ONCE && t->reason != WAIT_BARRIER)
            sched_cancel(t);
        if (t->at_once)
            system_call(SYS_tgkill, system_pid(), t->tid, SESSION_PREEMPT, 0, 0, 0);
    }
    sync_leave();
    return error;
}

/* A thread that is unwound out of the runtime would take the turn with it: asynchronous cancellation acts at
 * the next hook or call, or when a slice that does not end is ended. */
EXPORT int pthread_setcanceltype(int type, int *old)
{
    bool before;

    if (!sync_enter(CALLER))
        return real.pthread_setcanceltype(type, old);
    before = local.self->at_once;
    if (type == PTHREAD_CANCEL_ASYNCHRONOUS || type == PTHREAD_CANCEL_DEFERRED) {
        local.self->at_once = type == PTHREAD_CANCEL_ASYNCHRONOUS;
        if (old)
            *old = before ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    }
    sync_leave();
    return type == PTHREAD_CANCEL_ASYNCHRONOUS || type == PTHREAD_CANCEL_DEFERRED ? 0 : EINVAL;
}

EXPORT int thrd_create(thrd_t *handle, thrd_start_t start, void *argument)
{
    int error;

    if (!sync_enter(CALLER))
        return real.thrd_create(handle, start, argument);
    /* An int comes back in the register a pointer would, and thrd_join looks at its low half. */
    error = create(handle, NULL, (void *(*)(void *))(void (*)(void))start, argument, CALLER);
    sync_leave();
    return error == 0 ? thrd_success : error == ENOMEM ? thrd_nomem : thrd_error;
}

EXPORT int thrd_join(thrd_t handle, int *result)
{
    void *raw = NULL;
    int error;

    if (!sync_enter(CALLER))
        return real.thrd_join(handle, result);
    error = join(handle, &raw, TIME_NEVER, CALLER);
    sync_leave();
    if (error)
        return thrd_error;
    if (result)
        *result = (int)(intptr_t)raw;
    return thrd_success;
}

EXPORT int thrd_detach(thrd_t handle)
{
    int error;

    if (!sync_enter(CALLER))
        return real.thrd_detach(handle);
    error = detach(handle);
    sync_leave();
    return error ? thrd_error : thrd_success;
}
