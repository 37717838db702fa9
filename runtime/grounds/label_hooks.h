/* Labels: which reads the values of a program are computed from, as its code propagates them (gcc/ground_plugin.h).
 *
 * A label stands for a set of reads of the thread. Reads and unions of two sets are numbered as they come,
 * from 1, in one count for each thread; the recorder keeps the same count and knows which event each read
 * became. So 0 is the empty set, and code that computes with labels never asks what is in one.
 *
 * The words of a thread and the functions that programs call are an interface between programs and runtime:
 * change it, and change the number in their names. */
#pragma once
#include "runtime/hot.h"
#include "runtime/protocol/labels.h"

#include <stddef.h>

enum { GROUND_ARGUMENTS = 8 };

/* How labels go from function to function. */
struct ground_words {
    const void *callee;   /* the function that `arguments` are for */
    const void *returned; /* the function that `result` is of */
    uint32_t result;
    uint32_t from;  /* of the value that an atomic operation stores */
    uint32_t label; /* of what an atomic operation gives */
    uint32_t vouch; /* the running call of the runtime was made by code that tells what it stands on */
    uint32_t arguments[GROUND_ARGUMENTS];
    uint32_t
        plain; /* the mark of what the thread owns and no word of which has a label; or one that nothing has */
};

extern HOT_INTERFACE _Thread_local struct ground_words grounds __asm__("heddle_grounds_1");

/* An access within a granule of the thread's own, some word of which may have a label. */
HOT_INTERFACE uint32_t heddle_private_read_1(uint64_t address, unsigned size);
HOT_INTERFACE void heddle_private_write_1(uint64_t address, unsigned size, uint32_t label);

/* Hooks that know labels, where the hook of hot.h has more to do. */
HOT_INTERFACE uint32_t heddle_labelled_read_1(uint64_t address, unsigned size, uintptr_t pc);
HOT_INTERFACE void heddle_labelled_write_1(uint64_t address, unsigned size, uint32_t label, uintptr_t pc);

static inline __attribute__((always_inline)) uint32_t label_read(uint64_t address, unsigned size, uintptr_t pc)
{
    if (hot_usual(address, size)) {
        uint32_t mark = hot_mark(address);
        if (HOT_LIKELY((mark & (SHADOW_OWNER | SHADOW_LABELLED)) == grounds.plain)) {
            hot.budget--;
            hot.wrote = false;
            return 0;
        }
        if ((mark & SHADOW_OWNER) == hot.mark)
            return heddle_private_read_1(address, size);
    }
    return heddle_labelled_read_1(address, size, pc);
}

static inline __attribute__((always_inline)) void label_write(uint64_t address, unsigned size, uint32_t label,
                                                              uintptr_t pc)
{
    if (hot_usual(address, size)) {
        uint32_t mark = hot_mark(address) & (SHADOW_OWNER | SHADOW_WRITTEN | SHADOW_LABELLED);
        if (HOT_LIKELY(mark == hot.mark_written) && HOT_LIKELY(label == 0)) {
            hot.budget--;
            hot.wrote = true;
            return;
        }
        if ((mark & ~SHADOW_LABELLED) == hot.mark_written) {
            heddle_private_write_1(address, size, label);
            return;
        }
    }
    heddle_labelled_write_1(address, size, label, pc);
}

#define LABEL_SIZE(HOOK, size)                                                                                 \
    HOOK uint32_t heddle_label_read##size##_1(void *at);                                                       \
    HOOK void heddle_label_write##size##_1(void *at, uint32_t label);                                          \
    HOOK uint32_t heddle_label_read##size##_1(void *at)                                                        \
    {                                                                                                          \
        return label_read((uint64_t)(uintptr_t)at, size, HOT_CALLER);                                          \
    }                                                                                                          \
    HOOK void heddle_label_write##size##_1(void *at, uint32_t label)                                           \
    {                                                                                                          \
        label_write((uint64_t)(uintptr_t)at, size, label, HOT_CALLER);                                         \
    }

/* What decides, where there is something: these look again. */
HOT_INTERFACE void heddle_decided_1(uint32_t one, uint32_t other);
HOT_INTERFACE void heddle_compared_1(uint32_t one, uint64_t left, uint32_t other, uint64_t right, uint32_t how);
HOT_INTERFACE uint32_t heddle_united_1(uint32_t one, uint32_t other);
HOT_INTERFACE uint32_t heddle_summed_1(uint32_t one, uint32_t other);
HOT_INTERFACE void heddle_barrier_1(void);

/* A value that is printed, which decides, too. */
HOT_INTERFACE void heddle_printed_1(uint32_t label);
/* A function without labels that prints to a stream has returned: what it called of the program may have read anything. */
HOT_INTERFACE void heddle_print_end_1(const void *callee, const void *stream);

static inline uint32_t label_union(uint32_t one, uint32_t other)
{
    one &= LABEL_READS;
    other &= LABEL_READS;
    if (one == 0 || one == other)
        return other;
    return other == 0 ? one : heddle_united_1(one, other);
}

/* A function begins. A caller without labels has not set the labels of its arguments. */
static inline void label_enter(const void *self)
{
    if (!HOT_LIKELY(grounds.callee == self)) {
        for (unsigned i = 0; i < GROUND_ARGUMENTS; i++)
            grounds.arguments[i] = 0;
        grounds.vouch = 0;
        heddle_barrier_1();
    }
    grounds.callee = NULL;
}

/* A function returned, or a function without labels that it called. */
static inline uint32_t label_after(const void *callee)
{
    if (HOT_LIKELY(grounds.returned == callee))
        return grounds.result;
    heddle_barrier_1();
    return 0;
}

#define LABEL_FUNCTIONS(HOOK)                                                                                  \
    LABEL_SIZE(HOOK, 1)                                                                                        \
    LABEL_SIZE(HOOK, 2)                                                                                        \
    LABEL_SIZE(HOOK, 4)                                                                                        \
    LABEL_SIZE(HOOK, 8)                                                                                        \
    HOOK void heddle_decide_1(uint32_t one, uint32_t other);                                                   \
    HOOK void heddle_decide_1(uint32_t one, uint32_t other)                                                    \
    {                                                                                                          \
        if (one | other)                                                                                       \
            heddle_decided_1(one, other);                                                                      \
    }                                                                                                          \
    HOOK void heddle_compare_1(uint32_t one, uint64_t left, uint32_t other, uint64_t right, uint32_t how);     \
    HOOK void heddle_compare_1(uint32_t one, uint64_t left, uint32_t other, uint64_t right, uint32_t how)      \
    {                                                                                                          \
        if (one | other)                                                                                       \
            heddle_compared_1(one, left, other, right, how);                                                   \
    }                                                                                                          \
    HOOK uint32_t heddle_union_1(uint32_t one, uint32_t other);                                                \
    HOOK uint32_t heddle_union_1(uint32_t one, uint32_t other)                                                 \
    {                                                                                                          \
        return label_union(one, other);                                                                        \
    }                                                                                                          \
    HOOK uint32_t heddle_sum_1(uint32_t one, uint32_t other);                                                  \
    HOOK uint32_t heddle_sum_1(uint32_t one, uint32_t other)                                                   \
    {                                                                                                          \
        if (other == 0 || one == 0)                                                                            \
            return (one | other) & ~LABEL_EQUAL;                                                               \
        return heddle_summed_1(one, other);                                                                    \
    }                                                                                                          \
    HOOK void heddle_enter_1(const void *self);                                                                \
    HOOK void heddle_enter_1(const void *self)                                                                 \
    {                                                                                                          \
        label_enter(self);                                                                                     \
    }                                                                                                          \
    HOOK uint32_t heddle_after_1(const void *callee);                                                          \
    HOOK uint32_t heddle_after_1(const void *callee)                                                           \
    {                                                                                                          \
        return label_after(callee);                                                                            \
    }
