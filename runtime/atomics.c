/* What the compiler calls instead of atomic operations: they are done here, at the thread's turn. */
#include "runtime/atomics.h"
#include "runtime/access.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/spinning.h"

static bool locked; /* by atomics_lock */

/* Waits for the turn: communication by atomics is the same in every pass. The operation is done inside the
 * hook, so whatever follows comes after it. */
ALWAYS_INLINE bool atomic_wanted(const volatile void *at, unsigned size, bool write)
{
    grounds.label = 0;
    hot.wrote = false;
    hot.budget--;
    if (!with_turn(false))
        return false;
    settle(); /* the pending write may be to the variable that changes now */
    rt.acted = true;
    if (rt.trial)
        shadow_try((uint64_t)(uintptr_t)at, size, write);
    return rt.mode == SESSION_ALL || shadow_wants((uint64_t)(uintptr_t)at, size, write);
}

#define FETCH(bits, type, name, made, result)                                                                  \
    EXPORT type __tsan_atomic##bits##_fetch_##name(volatile type *at, type operand, int order)                 \
    {                                                                                                          \
        bool want = atomic_wanted(at, sizeof(type), true);                                                     \
        type old = GET_FETCH_##bits(at, operand, name);                                                        \
        if (want)                                                                                              \
            log_access(RECORD_RMW, (const void *)at, sizeof(type), change_order(order),                        \
                       CALLER | grounds_changed(made, (uint64_t)old), (uint64_t)(type)(result));               \
        else                                                                                                   \
            grounds_unrecorded(at, sizeof(type), true, made);                                                  \
        return old;                                                                                            \
    }

#define GET_FETCH_8(at, operand, name)   __atomic_fetch_##name(at, operand, __ATOMIC_SEQ_CST)
#define GET_FETCH_16(at, operand, name)  __atomic_fetch_##name(at, operand, __ATOMIC_SEQ_CST)
#define GET_FETCH_32(at, operand, name)  __atomic_fetch_##name(at, operand, __ATOMIC_SEQ_CST)
#define GET_FETCH_64(at, operand, name)  __atomic_fetch_##name(at, operand, __ATOMIC_SEQ_CST)
#define GET_FETCH_128(at, operand, name) fetch_##name##_128(at, operand)

void atomics_lock(void)
{
    while (__atomic_exchange_n(&locked, true, __ATOMIC_ACQUIRE))
        ;
}

void atomics_unlock(void)
{
    __atomic_store_n(&locked, false, __ATOMIC_RELEASE);
}

/* Sixteen bytes have no instruction without cx16. */
__extension__ typedef unsigned __int128 wide;

static wide load_128(const volatile wide *at)
{
    wide value;

    atomics_lock();
    value = *at;
    atomics_unlock();
    return value;
}

static void store_128(volatile wide *at, wide value)
{
    atomics_lock();
    *at = value;
    atomics_unlock();
}

static wide exchange_128(volatile wide *at, wide value)
{
    wide old;

    atomics_lock();
    old = *at;
    *at = value;
    atomics_unlock();
    return old;
}

static bool compare_exchange_128(volatile wide *at, wide *expected, wide value)
{
    wide old;

    atomics_lock();
    old = *at;
    if (old == *expected)
        *at = value;
    atomics_unlock();
    if (old == *expected)
        return true;
    *expected = old;
    return false;
}

#define FETCH_128(name, result)                                                                                \
    static wide fetch_##name##_128(volatile wide *at, wide operand)                                            \
    {                                                                                                          \
        wide old;                                                                                              \
        atomics_lock();                                                                                        \
        old = *at;                                                                                             \
        *at = (result);                                                                                        \
        atomics_unlock();                                                                                      \
        return old;                                                                                            \
    }

FETCH_128(add, old + operand)
FETCH_128(sub, old - operand)
FETCH_128(and, old &operand)
FETCH_128(or, old | operand)
FETCH_128(xor, old ^ operand)
FETCH_128(nand, ~(old &operand))

#define LOAD_N(at)            __atomic_load_n(at, __ATOMIC_SEQ_CST)
#define STORE_N(at, value)    __atomic_store_n(at, value, __ATOMIC_SEQ_CST)
#define EXCHANGE_N(at, value) __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST)
#define CHANGE_N(at, expected, value)                                                                          \
    __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define ATOMIC(bits, type, LOAD, STORE, EXCHANGE, CHANGE)                                                      \
    EXPORT type __tsan_atomic##bits##_load(const volatile type *at, int order)                                 \
    {                                                                                                          \
        bool want = atomic_wanted(at, sizeof(type), false);                                                    \
        type value = LOAD(at);                                                                                 \
        if (want)                                                                                              \
            log_access(RECORD_ATOMIC_READ, (const void *)at, sizeof(type), load_order(order),                  \
                       CALLER | grounds_atomic_read(), (uint64_t)value);                                       \
        else                                                                                                   \
            grounds_unrecorded(at, sizeof(type), false, MADE_OF_GIVEN);                                        \
        spinning_notice((const void *)at, CALLER, (uint64_t)value);                                            \
        return value;                                                                                          \
    }                                                                                                          \
    EXPORT void __tsan_atomic##bits##_store(volatile type *at, type value, int order)                          \
    {                                                                                                          \
        bool want = atomic_wanted(at, sizeof(type), true);                                                     \
        STORE(at, value);                                                                                      \
        if (want)                                                                                              \
            log_access(RECORD_ATOMIC_WRITE, (const void *)at, sizeof(type), store_order(order),                \
                       CALLER | grounds_stored(), (uint64_t)value);                                            \
        else                                                                                                   \
            grounds_unrecorded(at, sizeof(type), true, MADE_OF_GIVEN);                                         \
    }                                                                                                          \
    EXPORT type __tsan_atomic##bits##_exchange(volatile type *at, type value, int order)                       \
    {                                                                                                          \
        bool want = atomic_wanted(at, sizeof(type), true);                                                     \
        type old = EXCHANGE(at, value);                                                                        \
        if (want)                                                                                              \
            log_access(RECORD_RMW, (const void *)at, sizeof(type), change_order(order),                        \
                       CALLER | grounds_changed(MADE_OF_GIVEN, (uint64_t)old), (uint64_t)value);               \
        else                                                                                                   \
            grounds_unrecorded(at, sizeof(type), true, MADE_OF_GIVEN);                                         \
        if (old == value)                                                                                      \
            spinning_notice((const void *)at, CALLER, (uint64_t)value);                                        \
        return old;                                                                                            \
    }                                                                                                          \
    static bool compare_exchange_##bits##_at(volatile type *at, type *expected, type value, int order,         \
                                             int failed, uintptr_t pc)                                         \
    {                                                                                                          \
        bool want = atomic_wanted(at, sizeof(type), true);                                                     \
        grounds_expected(expected, sizeof(type));                                                              \
        bool done = CHANGE(at, expected, value);                                                               \
        if (want && done)                                                                                      \
            log_access(RECORD_CAS, (const void *)at, sizeof(type), change_order(order),                        \
                       pc | grounds_swapped((uint64_t)*expected), (uint64_t)value);                            \
        if (want && !done)                                                                                     \
            log_access(RECORD_ATOMIC_READ, (const void *)at, sizeof(type), load_order(failed),                 \
                       pc | grounds_failed(), (uint64_t)*expected);                                            \
        if (!want)                                                                                             \
            grounds_unrecorded_swap(at, expected, sizeof(type), done);                                         \
        if (!done)                                                                                             \
            spinning_notice((const void *)at, pc, (uint64_t)*expected);                                        \
        return done;                                                                                           \
    }                                                                                                          \
    EXPORT int __tsan_atomic##bits##_compare_exchange_strong(volatile type *at, type *expected, type value,    \
                                                             int order, int failed)                            \
    {                                                                                                          \
        return compare_exchange_##bits##_at(at, expected, value, order, failed, CALLER);                       \
    }                                                                                                          \
    EXPORT int __tsan_atomic##bits##_compare_exchange_weak(volatile type *at, type *expected, type value,      \
                                                           int order, int failed)                              \
    {                                                                                                          \
        return compare_exchange_##bits##_at(at, expected, value, order, failed, CALLER);                       \
    }                                                                                                          \
    EXPORT type __tsan_atomic##bits##_compare_exchange_val(volatile type *at, type expected, type value,       \
                                                           int order, int failed)                              \
    {                                                                                                          \
        compare_exchange_##bits##_at(at, &expected, value, order, failed, CALLER);                             \
        return expected;                                                                                       \
    }                                                                                                          \
    FETCH(bits, type, add, MADE_OF_SUM, old + operand)                                                         \
    FETCH(bits, type, sub, MADE_OF_SUM, old - operand)                                                         \
    FETCH(bits, type, and, MADE_OF_BOTH, old &operand)                                                         \
    FETCH(bits, type, or, MADE_OF_BOTH, old | operand)                                                         \
    FETCH(bits, type, xor, MADE_OF_BOTH, old ^ operand)                                                        \
    FETCH(bits, type, nand, MADE_OF_BOTH, ~(old & operand))

ATOMIC(8, uint8_t, LOAD_N, STORE_N, EXCHANGE_N, CHANGE_N)
ATOMIC(16, uint16_t, LOAD_N, STORE_N, EXCHANGE_N, CHANGE_N)
ATOMIC(32, uint32_t, LOAD_N, STORE_N, EXCHANGE_N, CHANGE_N)
ATOMIC(64, uint64_t, LOAD_N, STORE_N, EXCHANGE_N, CHANGE_N)
ATOMIC(128, wide, load_128, store_128, exchange_128, compare_exchange_128)

EXPORT void __tsan_atomic_thread_fence(int order)
{
    bool want;

    hot.budget--;
    want = with_turn(false);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (want && rt.mode != SESSION_MARK && change_order(order) != __ATOMIC_RELAXED)
        log_access(RECORD_FENCE, NULL, 0, change_order(order), CALLER | grounds_vouched(), 0);
}

EXPORT void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
