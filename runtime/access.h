/* The hot path: one access of the program, from its hook to the ring. */
#pragma once
#include "runtime/call_paths.h"
#include "runtime/grounds/decisions.h"
#include "runtime/runtime.h"
#include "runtime/shadow.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

/* The `size` <= 8 bytes at `address`, the rest is garbage. Reads whole aligned words only: never past a page
 * that the bytes themselves do not touch. */
ALWAYS_INLINE uint64_t peek(uint64_t address, unsigned size)
{
    const uint64_t *word = (const uint64_t *)(address & ~UINT64_C(7));
    unsigned shift = 8 * (unsigned)(address & 7);
    uint64_t value = __atomic_load_n(word, __ATOMIC_RELAXED) >> shift;

    if (UNLIKELY(shift + 8 * size > 64))
        value |= __atomic_load_n(word + 1, __ATOMIC_RELAXED) << (64 - shift);
    return value;
}

/* Appends to the ring. */
ALWAYS_INLINE struct record *append_bare(uint64_t word, uint64_t pc, uint64_t value)
{
    if (UNLIKELY(rt.next == rt.limit))
        log_next_chunk();

    struct record *r = rt.next;
    r->value = value;
    r->pc = pc;
    __atomic_store_n(&r->word, word, __ATOMIC_RELEASE);
    rt.next = r + 1;
    return r;
}

/* The same, with how far the thread got since its last record; which calls are under way was told. */
ALWAYS_INLINE struct record *append_told(uint64_t word, uint64_t pc, uint64_t value)
{
    uint64_t position = local.limit - (uint64_t)(int64_t)hot.budget, ticks = position - rt.ticked;
    uint64_t address = word & RECORD_ADDRESS;

    if (address < hot_lowest && address > (uintptr_t)__builtin_frame_address(0))
        hot_lowest = address;
    if (record_kind(word) <= RECORD_LAST_EVENT && UNLIKELY(ground_state.telling))
        pc |= grounds_flush(pc);
    rt.ticked = position;
    if (UNLIKELY(ticks > RECORD_TICK_MOST)) {
        log_ticks(ticks);
        ticks = 0;
    }
    return append_bare(word, pc | ticks << RECORD_TICK_SHIFT, value);
}

ALWAYS_INLINE struct record *append(uint64_t word, uint64_t pc, uint64_t value)
{
    if (record_kind(word) <= RECORD_LAST_EVENT && rt.stacks)
        call_paths_tell(pc & RECORD_ADDRESS, __builtin_frame_address(0));
    return append_told(word, pc, value);
}

/* Reads the value after the record is written: the program may crash at the read. The upper half may hold a label. */
ALWAYS_INLINE void read_value(struct record *r, uint64_t address, unsigned size)
{
    if (r->pc & RECORD_MADE)
        r->value |= (uint32_t)peek(address, size);
    else
        r->value = peek(address, size);
    r->pc |= RECORD_VALUED;
}

/* The value of the last write, once it was done. Compilers hook the write of a structure copy before its read:
 * a read right after a write says nothing about that, all else comes after it. */
ALWAYS_INLINE void settle(void)
{
    struct record *p = rt.pending;

    if (!p)
        return;
    read_value(p, p->word & RECORD_ADDRESS, record_size(p->word));
    rt.pending = NULL;
}

/* Makes sure of the turn, for what was counted already; false when nothing is to be recorded. */
ALWAYS_INLINE bool with_turn(bool copying)
{
    return (local.turn && hot.budget >= 0 && (HOT_LIKELY(!local.due) || local.inside)) || hook_turn(copying);
}

/* Counts the access; false when it is not to be recorded. Otherwise the thread has the turn. */
ALWAYS_INLINE bool wanted(uint64_t address, unsigned size, bool write)
{
    bool copying = !write && hot.wrote;

    hot.wrote = write;
    hot.budget--;
    if (UNLIKELY(rt.mode == SESSION_OFF) && !hook_turn(false))
        return false;
    if (rt.mode >= SESSION_MARK) {
        if (UNLIKELY(!local.self) && !hook_turn(false))
            return false;
        if (!shadow_wants(address, size, write))
            return hot.budget < 0 && hook_beyond(copying);
    }
    if (!with_turn(copying))
        return false;
    if (rt.trial)
        shadow_try(address, size, write);
    return true;
}
