/* syscall(SYS_futex, …): what std::atomic::wait, latch, barrier, counting_semaphore and future block by.
 *
 * The atomics around it are seen by their own hooks; here only the waiting is the scheduler's. */
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

static long wait_on(uint32_t *word, uint32_t expected, uint64_t deadline)
{
    if (__atomic_load_n(word, __ATOMIC_SEQ_CST) != expected)
        return -EAGAIN;
    if (!sched_block(WAIT_FUTEX, word, deadline))
        return -ETIMEDOUT;
    return local.self->interrupted & INTERRUPT_ALL ? -EINTR : 0;
}

/* The operations that are emulated; false: the kernel's own. */
static bool emulate(long word_address, long operation, long value, long limit_address, long *result)
{
    uint32_t *word = (uint32_t *)word_address;
    const struct timespec *limit = (const struct timespec *)limit_address;
    clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;

    if (!(operation & FUTEX_PRIVATE_FLAG))
        local.self->foreign = true;
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        *result = wait_on(word, (uint32_t)value, limit ? timing_after(limit) : TIME_NEVER);
        return true;
    case FUTEX_WAIT_BITSET:
        *result = wait_on(word, (uint32_t)value, timing_deadline(clock, limit));
        return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        *result = (long)sched_wake(word, value < 0 ? UINT32_MAX : (unsigned)value);
        if (!(operation & FUTEX_PRIVATE_FLAG))
            system_call(SYS_futex, word_address, operation, value, 0, 0, 0);
        return true;
    default:
        return false;
    }
}

EXPORT long syscall(long number, ...)
{
    va_list list;
    long a[6], result = 0;
    bool done = false;

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    if (number == SYS_execve)
        return execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]);
    if (number == SYS_futex && sync_enter(CALLER)) {
        done = emulate(a[0], a[1], a[2], a[3], &result);
        local.self->foreign = false;
        sync_leave();
    }
    if (!done)
        result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
