/* Rows of numbers. */
#include "base/row.h"

bool row_raise(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count)
{
    uint32_t changed = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = from[i] > to[i] ? from[i] : to[i];
        changed |= more ^ to[i];
        to[i] = more;
    }
    return changed != 0;
}

void row_larger(uint32_t *restrict to, const uint32_t *restrict a, const uint32_t *restrict b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = a[i] > b[i] ? a[i] : b[i];
}
