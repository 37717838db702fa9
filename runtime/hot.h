/* The fast path of a hook: an access within the slice, to memory that is the thread's own, leaves no trace
 * but a count.
 *
 * It is part of the runtime library, for programs built with plain `gcc -fsanitize=thread`, and linked into the
 * programs that `heddle cc` builds, where it is reached by a direct call and finds its words at a fixed place.
 * So these words are an interface between the two: change it, and change the number in their name. */
#pragma once
#include "runtime/protocol/session.h"

#include <stdbool.h>
#include <stdint.h>

#define HOT_INTERFACE __attribute__((visibility("default")))

struct hot_words {
    int32_t budget; /* what is left of the slice, or until a thread that runs ahead reports its position */
    int32_t floor;  /* a budget up to this one is for the slow path: 0, or all of it */
    uint32_t mark;  /* the thread's number as the shadow keeps it */
    uint32_t mark_written; /* the same for what it has written */
    bool wrote;            /* its last hook was for a plain write */
};

extern HOT_INTERFACE _Thread_local struct hot_words hot __asm__("heddle_hot_1");

/* All that was recorded of the thread's stack, in frames that have not ended, is here or above. */
extern HOT_INTERFACE _Thread_local uintptr_t hot_lowest __asm__("heddle_lowest_1");

static inline uint16_t *shadow_of(uint64_t address)
{
    return (uint16_t *)(SHADOW_BASE + ((address & (RECORD_ADDRESS >> 1)) >> 3) * sizeof(uint16_t));
}

#define HOT_LIKELY(condition) __builtin_expect(!!(condition), 1)

/* Whether the access may be one that leaves no trace: within the slice, and within a granule. */
static inline __attribute__((always_inline)) bool hot_usual(uint64_t address, unsigned size)
{
    return HOT_LIKELY(hot.budget > hot.floor) && HOT_LIKELY((address & (size - 1)) == 0);
}

/* What the shadow has of the granule. Compilers would compare 16 bits the slow way. */
static inline __attribute__((always_inline)) uint32_t hot_mark(uint64_t address)
{
    return __atomic_load_n(shadow_of(address), __ATOMIC_RELAXED);
}

/* Within a granule, and the thread's own. */
static inline __attribute__((always_inline)) bool hot_private(uint64_t address, unsigned size, bool write)
{
    if (!hot_usual(address, size))
        return false;
    return write ? HOT_LIKELY((hot_mark(address) & (SHADOW_OWNER | SHADOW_WRITTEN)) == hot.mark_written)
                 : HOT_LIKELY((hot_mark(address) & SHADOW_OWNER) == hot.mark);
}

/* All else: these look again. */
HOT_INTERFACE void heddle_read_1(uint64_t address, unsigned size, uintptr_t pc);
HOT_INTERFACE void heddle_write_1(uint64_t address, unsigned size, uintptr_t pc);

/* Called by what is linked into the program: where its hooks are. */
HOT_INTERFACE void heddle_linked_2(uintptr_t begin, uintptr_t end);

/* Where the hook returns to is looked up only where it is wanted. */
#define HOT_CALLER ((uintptr_t)__builtin_return_address(0))

static inline __attribute__((always_inline)) void hot_read(const void *at, unsigned size)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (HOT_LIKELY(hot_private(address, size, false))) {
        hot.budget--;
        hot.wrote = false;
        return;
    }
    heddle_read_1(address, size, HOT_CALLER);
}

static inline __attribute__((always_inline)) void hot_write(const void *at, unsigned size)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (HOT_LIKELY(hot_private(address, size, true))) {
        hot.budget--;
        hot.wrote = true;
        return;
    }
    heddle_write_1(address, size, HOT_CALLER);
}

/* A frame as functions lay it out: the caller's frame pointer, which points to such another one, then where the caller goes on. */
struct call_link {
    const struct call_link *outer;
    uintptr_t back;
};

/* The function that called the hook, whose frame is given, ends; something of the function's own frame may have been recorded. */
HOT_INTERFACE void heddle_frame_end_1(const struct call_link *hook, uintptr_t pc);

/* A step like an access, in whatever mode: positions do not depend on what is recorded. */
static inline __attribute__((always_inline)) void hot_frame_end(const struct call_link *hook)
{
    if (HOT_LIKELY(hot.budget > hot.floor) && HOT_LIKELY((uintptr_t)hook->outer <= hot_lowest)) {
        hot.budget--;
        hot.wrote = false;
        return;
    }
    heddle_frame_end_1(hook, HOT_CALLER);
}

/* The hooks of this kind; HOOK is what comes before each. */
#define HOT_SIZE(HOOK, size)                                                                                   \
    HOOK void __tsan_read##size(void *at)                                                                      \
    {                                                                                                          \
        hot_read(at, size);                                                                                    \
    }                                                                                                          \
    HOOK void __tsan_write##size(void *at)                                                                     \
    {                                                                                                          \
        hot_write(at, size);                                                                                   \
    }

#define HOT_HOOKS(HOOK)                                                                                        \
    HOT_SIZE(HOOK, 1)                                                                                          \
    HOT_SIZE(HOOK, 2)                                                                                          \
    HOT_SIZE(HOOK, 4)                                                                                          \
    HOT_SIZE(HOOK, 8)
