/* Things done once: pthread_once, call_once, the guards of function-local statics.
 *
 * The schedule chooses which thread does it; every thread that continues because it is done comes after. */
#include "runtime/sched/sched.h"
#include "runtime/shadow.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <threads.h>

/* glibc's values of a pthread_once_t. */
enum { ONCE_NEW = 0, ONCE_RUNNING = 1, ONCE_DONE = 2 };

/* A thread that tries again comes after those that gave up. */
static void begin(const void *object, uintptr_t pc)
{
    log_emit(RECORD_ONCE_RUN, object, pc, 0);
    call_after(object_at(object)->given_up, pc);
}

static void give_up(const void *object, uintptr_t pc)
{
    object_at(object)->given_up = call_note(pc);
}

/* Undoes the start when the function is left by an exception or a cancellation. */
static void abandon(int **unfinished)
{
    bool seen;

    if (!*unfinished)
        return;
    seen = sync_enter(CALLER);
    __atomic_store_n(*unfinished, ONCE_NEW, __ATOMIC_RELEASE);
    if (seen) {
        give_up(*unfinished, CALLER);
        sched_wake(*unfinished, UINT32_MAX);
        sync_leave();
    }
}

static void run_once(int *control, void (*function)(void), uintptr_t pc)
{
    int *unfinished __attribute__((cleanup(abandon))) = control;

    INVARIANT(local.turn && *control == ONCE_NEW);
    *control = ONCE_RUNNING;
    begin(control, pc);
    sync_leave();
    function();
    sync_enter(pc);
    INVARIANT((*control & 3) == ONCE_RUNNING); /* nobody else finishes what this thread began */
    __atomic_store_n(control, ONCE_DONE, __ATOMIC_RELEASE);
    log_emit(RECORD_ONCE_DONE, control, pc, 0);
    sched_wake(control, UINT32_MAX);
    unfinished = NULL;
}

static void once(int *control, void (*function)(void), uintptr_t pc)
{
    while ((__atomic_load_n(control, __ATOMIC_ACQUIRE) & 3) == ONCE_RUNNING)
        sched_block(WAIT_ONCE, control, TIME_NEVER);
    if (__atomic_load_n(control, __ATOMIC_ACQUIRE) == ONCE_NEW)
        run_once(control, function, pc);
    else
        log_emit(RECORD_ONCE_SEEN, control, pc, 0);
}

EXPORT int pthread_once(pthread_once_t *control, void (*function)(void))
{
    if (!sync_enter(CALLER))
        return real.pthread_once(control, function);
    once(control, function, CALLER);
    sync_leave();
    return 0;
}

EXPORT void call_once(once_flag *flag, void (*function)(void))
{
    if (!sync_enter(CALLER)) {
        real.call_once(flag, function);
        return;
    }
    once((int *)flag, function, CALLER);
    sync_leave();
}

/* The C++ library's own functions, which come with what a program in C loads. */
static const struct real *library(void)
{
    if (!real.__cxa_guard_acquire)
        real_find_library();
    return &real;
}

/* The guard of a function-local static: its first byte says done, the second is ours: being done. */
EXPORT int __cxa_guard_acquire(void *guard)
{
    uint8_t *byte = guard;
    int mine = 0;

    if (!sync_enter(CALLER))
        return library()->__cxa_guard_acquire(guard);
    while (!byte[0] && byte[1])
        sched_block(WAIT_ONCE, guard, TIME_NEVER);
    if (byte[0]) {
        log_emit(RECORD_ONCE_SEEN, guard, CALLER, 0);
    } else {
        byte[1] = 1;
        mine = 1;
        begin(guard, CALLER);
    }
    sync_leave();
    return mine;
}

static void leave_guard(void *guard, bool done, uintptr_t pc)
{
    uint8_t *byte = guard;

    if (done) {
        __atomic_store_n(&byte[0], 1, __ATOMIC_RELEASE);
        shadow_keep((uint64_t)(uintptr_t)guard); /* tests of it are recorded in the second pass, too */
        log_emit(RECORD_ONCE_DONE, guard, pc, 1);
    } else {
        give_up(guard, pc);
    }
    byte[1] = 0;
    sched_wake(guard, UINT32_MAX);
}

EXPORT void __cxa_guard_release(void *guard)
{
    if (!sync_enter(CALLER)) {
        library()->__cxa_guard_release(guard);
        return;
    }
    leave_guard(guard, true, CALLER);
    sync_leave();
}

EXPORT void __cxa_guard_abort(void *guard)
{
    if (!sync_enter(CALLER)) {
        library()->__cxa_guard_abort(guard);
        return;
    }
    leave_guard(guard, false, CALLER);
    sync_leave();
}
