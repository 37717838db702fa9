/* Functions of the thread sanitizer's interface that programs call by name: for their own locks, orders and
 * suppressions. */
#include "runtime/sched/sched.h"

/* `release` before `acquire` on the same address: as an atomic store and load would. */
EXPORT void __tsan_release(void *at)
{
    if (!sync_enter(CALLER))
        return;
    log_access(RECORD_RMW, at, 1, __ATOMIC_RELEASE, CALLER, 0);
    sync_leave();
}

EXPORT void __tsan_acquire(void *at)
{
    if (!sync_enter(CALLER))
        return;
    log_access(RECORD_ATOMIC_READ, at, 1, __ATOMIC_ACQUIRE, CALLER, 0);
    sync_leave();
}

enum { READ_LOCK = 1 << 3, TRY_LOCK = 1 << 4, TRY_FAILED = 1 << 5 };

EXPORT void __tsan_mutex_create(void *at, unsigned flags)
{
    (void)flags;
    if (!sync_enter(CALLER))
        return;
    log_emit(RECORD_NEW, at, CALLER, 0);
    sync_leave();
}

EXPORT void __tsan_mutex_destroy(void *at, unsigned flags)
{
    __tsan_mutex_create(at, flags);
}

/* The program's own lock waits by itself, with hooks in its loop or a system call: only the result counts. */
EXPORT void __tsan_mutex_pre_lock(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}

EXPORT void __tsan_mutex_post_lock(void *at, unsigned flags, int depth)
{
    (void)depth;
    if (flags & TRY_FAILED || !sync_enter(CALLER))
        return;
    log_emit(flags & READ_LOCK ? RECORD_SHARED_ACQUIRE : RECORD_ACQUIRE, at, CALLER, (flags & TRY_LOCK) != 0);
    sync_leave();
}

EXPORT int __tsan_mutex_pre_unlock(void *at, unsigned flags)
{
    if (!sync_enter(CALLER))
        return 0;
    log_emit(flags & READ_LOCK ? RECORD_SHARED_RELEASE : RECORD_RELEASE, at, CALLER, 0);
    sync_leave();
    return 0;
}

EXPORT void __tsan_mutex_post_unlock(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}

EXPORT void __tsan_mutex_pre_signal(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}

EXPORT void __tsan_mutex_post_signal(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}

EXPORT void __tsan_mutex_pre_divert(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}

EXPORT void __tsan_mutex_post_divert(void *at, unsigned flags)
{
    (void)at;
    (void)flags;
}
