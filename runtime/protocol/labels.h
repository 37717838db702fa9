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
