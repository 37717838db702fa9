/* Columns of numbers that never fall and rise little at a time. */
#include "base/rising.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void rising_take(struct rising *r, const uint32_t *numbers, size_t count)
{
    uint32_t base = 0;

    rising_free(r);
    r->bases = memory_resize(NULL, count / RISING_BLOCK + 1, sizeof *r->bases);
    r->steps = memory_resize(NULL, count, sizeof *r->steps);
    for (size_t i = 0; i < count; i++) {
        assert(i == 0 || numbers[i] >= numbers[i - 1]);
        if (i % RISING_BLOCK == 0)
            r->bases[i / RISING_BLOCK] = base = numbers[i];
        r->steps[i] = numbers[i] - base < RISING_FAR ? (uint8_t)(numbers[i] - base) : RISING_FAR;
        if (r->steps[i] == RISING_FAR)
            *map_at(&r->far, i) = numbers[i];
    }
}

void rising_free(struct rising *r)
{
    free(r->bases);
    free(r->steps);
    map_free(&r->far);
    *r = (struct rising){0};
}
