/* Which 8-byte granules two threads touch, one of them writing: found in one pass, looked up in the next.
 *
 * Sixteen bits a granule: the first thread, whether there was another, whether anyone wrote. Threads that run
 * ahead change marks at the same time; each change is one atomic step, so that no second thread goes unseen. */
#pragma once
#include "runtime/runtime.h"

/* Maps the marks the recorder made room for. */
bool shadow_open(int fd);

/* Memory that is new: earlier accesses to it are forgotten. In a pass that knows the marks of one before, what
 * was kept at some time is kept now, unless it is part of something private. */
void shadow_renew(uint64_t address, size_t length, bool private_);

/* Whether any granule of the range is kept in the second pass. */
bool shadow_any(uint64_t address, size_t length);

/* Whether any was kept at some time, if only as part of what was there before or will be. */
bool shadow_any_once(uint64_t address, size_t length);

/* Marks a range (first pass), or returns whether part of it is to be recorded (second pass). */
/* The bytes of the range that were touched are written: whether that is wanted. Of many only the first count. */
bool shadow_wants_touched(uint64_t address, size_t length);
bool shadow_wants_range(uint64_t address, size_t length, bool write);

/* An access in the trial. */
void shadow_try(uint64_t address, size_t length, bool write);

/* Keeps a granule whatever touches it. */
void shadow_keep(uint64_t address);
void shadow_keep_range(uint64_t address, size_t length);

/* The rare ways through shadow_wants_granule. */
bool shadow_change(uint16_t *mark, bool write);

static inline __attribute__((always_inline)) bool shadow_wants_granule(uint64_t address, bool write)
{
    uint16_t *mark = shadow_of(address), now = __atomic_load_n(mark, __ATOMIC_RELAXED);

    /* A granule that is the thread's own, as before. Kept ones have no owner in the second pass. */
    if (write ? (now & (SHADOW_OWNER | SHADOW_WRITTEN)) == hot.mark_written : (now & SHADOW_OWNER) == hot.mark)
        return false;
    return shadow_change(mark, write);
}

static inline __attribute__((always_inline)) bool shadow_wants(uint64_t address, unsigned size, bool write)
{
    bool wants = shadow_wants_granule(address, write);

    if (UNLIKELY((address & 7) + size > 8))
        wants |= shadow_wants_granule(address + size - 1, write);
    return wants;
}
