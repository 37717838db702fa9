/* Labels of values (runtime/grounds/label_hooks.h), as records carry them. */
#pragma once
#include <stdint.h>

/* Bits of a label besides its set: the value is what one read saw plus a constant, modulo the size of its type;
 * that constant is 0, and the numbers are equal. */
#define LABEL_LINEAR UINT32_C(0x80000000)
#define LABEL_EQUAL  UINT32_C(0x40000000)
#define LABEL_READS  UINT32_C(0x3fffffff)
#define LABEL_ALL    UINT32_C(0x3fffffff) /* every earlier read */
#define LABEL_COPY   UINT32_C(0x3ffffffe) /* of a write: what the hook after it reads */
#define LABEL_LAST   UINT32_C(0x3ffffff0) /* of those that are counted */

/* How far a label is behind the thread's last one, with its bits; and back: the same function. Places of a program give labels
 * that are as far behind each time, which packs well. */
static inline uint32_t label_distance(uint32_t last, uint32_t label)
{
    return (label & ~LABEL_READS) | ((last - label) & LABEL_READS);
}

/* A union as the record of an access tells it: LABEL_EQUAL, which no label has without LABEL_LINEAR; then whether the union,
 * the one and the other are linear, and how far these two are behind the thread's last label. */
#define UNION_LINEAR       UINT32_C(0x20000000)
#define UNION_ONE_LINEAR   UINT32_C(0x10000000)
#define UNION_OTHER_LINEAR UINT32_C(0x08000000)
enum { UNION_SHIFT = 13, UNION_FAR = 1 << UNION_SHIFT };

static inline int tells_union(uint32_t told)
{
    return (told & ~LABEL_READS) == LABEL_EQUAL;
}

/* 0: one of the two is too far behind. */
static inline uint32_t union_told(uint32_t last, uint32_t one, uint32_t other)
{
    uint32_t behind = (last - one) & LABEL_READS, other_behind = (last - other) & LABEL_READS;

    if (behind >= UNION_FAR || other_behind >= UNION_FAR)
        return 0;
    return LABEL_EQUAL | (one & LABEL_LINEAR ? UNION_ONE_LINEAR : 0) |
           (other & LABEL_LINEAR ? UNION_OTHER_LINEAR : 0) | behind << UNION_SHIFT | other_behind;
}

static inline uint32_t union_one(uint32_t last, uint32_t told)
{
    return ((last - (told >> UNION_SHIFT & (UNION_FAR - 1))) & LABEL_READS) |
           (told & UNION_ONE_LINEAR ? LABEL_LINEAR : 0);
}

static inline uint32_t union_other(uint32_t last, uint32_t told)
{
    return ((last - (told & (UNION_FAR - 1))) & LABEL_READS) | (told & UNION_OTHER_LINEAR ? LABEL_LINEAR : 0);
}
