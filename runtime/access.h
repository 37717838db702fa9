/* The hot path: one access of the program, from its hook to the ring. */
#pragma once
#include "runtime.h"
#include "shadow.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The `size` <= 8 bytes at `address`, the rest is garbage. Reads whole aligned words only: never past a page
 * that the bytes themselves do not touch. */
ALWAYS_INLINE uint64_t peek(uint64_t address, unsigned size)
{
    const uint64_t *word = (const uint64_t *)(address & ~UINT64_C(7)); // NOLINT(performance-no-int-to-ptr)
    unsigned shift = 8 * (unsigned)(address & 7);
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED) >> shift;

    if (UNLIKELY(shift + 8 * size > 64))
        value |= __atomic_load_n(word + 1, __ATOMIC_RELAXED) << (64 - shift);
    return value;
}

/* Appends to the ring; the value of a write that went before is known by now. */
ALWAYS_INLINE struct record *append(uint64_t word, uint64_t pc, uint64_t value)
{
    if (rt.pending) {
        struct record *p = rt.pending;
        p->value = peek(p->word & RECORD_ADDRESS, record_size(p->word));
        p->pc |= RECORD_VALUED;
        rt.pending = NULL;
    }
    if (UNLIKELY(rt.next == rt.limit))
        log_next_chunk();

    struct record *r = rt.next;
    r->value = value;
    r->pc = pc;
    __atomic_store_n(&r->word, word, __ATOMIC_RELEASE);
    rt.next = r + 1;
    return r;
}

/* Counts the access against the slice; false when it is not to be recorded. */
ALWAYS_INLINE bool wanted(uint64_t address, unsigned size, bool write)
{
    if (UNLIKELY(--local.budget < 0) && !hook_slow())
        return false;
    if (rt.mode == SESSION_ALL)
        return true;
    return rt.mode != SESSION_OFF && shadow_wants(address, size, write);
}

/* `size` is at most 8. */
ALWAYS_INLINE void plain_access(const void *at, unsigned size, bool write, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (!wanted(address, size, write))
        return;
    if (write)
        rt.pending = append(record_word(address, RECORD_WRITE, size), pc, 0);
    else
        append(record_word(address, RECORD_READ, size), pc | RECORD_VALUED, peek(address, size));
}
