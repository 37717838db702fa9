/* Columns of numbers that never fall and rise little at a time: where the items of each place end.
 *
 * A number takes a byte: how far it is above the one that its block begins with. The few that are further are kept apart. */
#pragma once
#include "base/map.h"

enum { RISING_BLOCK = 64, RISING_FAR = 255 };

struct rising {
    uint32_t *bases; /* by block */
    uint8_t *steps;  /* RISING_FAR: in `far` */
    struct map far;
};

/* Makes the column of these numbers. */
void rising_take(struct rising *column, const uint32_t *numbers, size_t count);
void rising_free(struct rising *column);

static inline uint32_t rising_at(const struct rising *column, size_t index)
{
    uint8_t step = column->steps[index];

    return step == RISING_FAR ? map_get(&column->far, index) : column->bases[index / RISING_BLOCK] + step;
}
