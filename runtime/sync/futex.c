/* syscall(SYS_futex, …): what std::atomic::wait, latch, barrier, counting_semaphore and future block by.
 *
 * The atomics around it are seen by their own hooks; here only the waiting is the scheduler's. */
#include "runtime/effects/effects.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

/* Wakes by signal handlers that interrupted the runtime: it is unknown which thread they were for. */
static uint32_t blind_wakes;

static bool has_changed(const uint32_t *word, uint32_t expected)
{
    return __atomic_load_n(word, __ATOMIC_SEQ_CST) != expected;
}

/* Explored: the word is read, and the thread begins to wait, in one step. */
static bool begin_wait(const uint32_t *word, uint32_t expected, uint64_t deadline, uintptr_t pc)
{
    uint32_t value = __atomic_load_n(word, __ATOMIC_SEQ_CST);

    if (deadline != TIME_NEVER)
        effects_missed("a futex wait with a time-out", pc);
    log_access(RECORD_ATOMIC_READ, word, sizeof *word, __ATOMIC_SEQ_CST, pc, value);
    if (value != expected)
        return false;
    log_emit(RECORD_FUTEX_WAIT, word, pc, 0);
    return true;
}

/* As the kernel does: an interrupted wait goes on if the handler asks for it, unless it is timed; when it goes on,
 * it looks at the word again. */
static long wait_on(uint32_t *word, uint32_t expected, uint64_t deadline, uintptr_t pc)
{
    uint32_t blind = __atomic_load_n(&blind_wakes, __ATOMIC_RELAXED);
    bool foreign = local.self->foreign;

    if (rt.session->effects && !begin_wait(word, expected, deadline, pc))
        return -EAGAIN;
    INVARIANT(local.turn);
    while (!has_changed(word, expected)) {
        enum wake wake = sched_block(WAIT_FUTEX, word, deadline);
        local.self->foreign = foreign;
        if (wake == WAKE_TIME)
            return -ETIMEDOUT;
        if (rt.session->effects)
            log_emit(RECORD_FUTEX_WOKEN, word, pc, 0);
        if (wake == WAKE_CALL || __atomic_load_n(&blind_wakes, __ATOMIC_RELAXED) != blind)
            return 0;
        if (wake == WAKE_LOOK && has_changed(word, expected))
            return 0; /* the change happened where it could not wake the thread */
        if (local.self->interrupted & (deadline == TIME_NEVER ? INTERRUPT_ALL : INTERRUPT_SOME))
            return -EINTR;
        __atomic_store_n(&local.self->interrupted, 0, __ATOMIC_RELAXED);
    }
    return -EAGAIN;
}

enum { WAKES_ALL = 64 }; /* more threads than can be explored */

static long wake(uint32_t *word, long count, uintptr_t pc)
{
    long woken = (long)sched_wake(word, count < 0 ? UINT32_MAX : (unsigned)count);

    INVARIANT(woken >= 0 && (count < 0 || woken <= count));
    if (!rt.session->effects)
        return woken;
    if (count != 1 && count >= 0 && count < WAKES_ALL)
        effects_missed("a futex that wakes some threads", pc);
    log_emit(RECORD_FUTEX_WAKE, word, pc, 2 * (uint64_t)woken + (count != 1));
    return woken;
}

/* Some threads are woken, others wait at another word from now on. */
static long requeue(uint32_t *word, long value, long other_count, uint32_t *other, uintptr_t pc)
{
    long woken = wake(word, value, pc);

    if (rt.session->effects)
        effects_missed("a futex that requeues threads", pc);

    return woken + (long)sched_move(word, (unsigned)other_count, other);
}

/* The operations that are emulated; false: the kernel's own. */
static bool emulate(const long *a, long *result, uintptr_t pc)
{
    uint32_t *word = (uint32_t *)a[0];
    long operation = a[1], value = a[2];
    const struct timespec *limit = (const struct timespec *)a[3];
    clockid_t clock = operation & FUTEX_CLOCK_REALTIME ? CLOCK_REALTIME : CLOCK_MONOTONIC;

    if (!(operation & FUTEX_PRIVATE_FLAG) && rt.shares && !rt.session->effects) /* fork is not explored */
        local.self->foreign = true;
    if ((operation & FUTEX_CMD_MASK) >= FUTEX_WAIT_BITSET && rt.session->effects &&
        (uint32_t)a[5] != UINT32_MAX)
        effects_missed("a futex with a set of bits", pc);
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
        *result = wait_on(word, (uint32_t)value, limit ? timing_after(limit) : TIME_NEVER, pc);
        return true;
    case FUTEX_WAIT_BITSET:
        *result = wait_on(word, (uint32_t)value, timing_deadline(clock, limit), pc);
        return true;
    case FUTEX_WAKE:
    case FUTEX_WAKE_BITSET:
        *result = wake(word, value, pc);
        if (!(operation & FUTEX_PRIVATE_FLAG))
            system_call(SYS_futex, a[0], operation, value, 0, 0, 0);
        return true;
    case FUTEX_REQUEUE:
        *result = requeue(word, value, a[3], (uint32_t *)a[4], pc);
        return true;
    case FUTEX_CMP_REQUEUE:
        *result =
            has_changed(word, (uint32_t)a[5]) ? -EAGAIN : requeue(word, value, a[3], (uint32_t *)a[4], pc);
        return true;
    case FUTEX_WAKE_OP: /* a waiter may be woken for nothing: it looks again */
        *result = system_call(SYS_futex, a[0], operation, value, a[3], a[4], a[5]);
        if (rt.session->effects)
            effects_missed("a futex that changes another one", pc);
        if (*result >= 0)
            *result += wake(word, -1, pc) + wake((uint32_t *)a[4], -1, pc);
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
        done = emulate(a, &result, CALLER);
        local.self->foreign = false;
        sync_leave();
    } else if (number == SYS_futex && recording() && (a[1] & FUTEX_CMD_MASK) != FUTEX_WAIT) {
        __atomic_fetch_add(&blind_wakes, 1, __ATOMIC_RELAXED);
    }
    if (!done)
        result = system_call(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (result < 0 && result > -4096) {
        errno = (int)-result;
        return -1;
    }
    return result;
}
