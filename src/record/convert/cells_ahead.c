/* Cells of accesses that come: what the walks will need of them is fetched. */
#include "record/convert/cells_pages.h"

#include <stddef.h>

/* Where the number of its granule is; NULL: nothing near it was touched. */
static inline const uint32_t *number_place(const struct cells *cells, uint64_t address)
{
    const struct cells_chunk *chunk = cells->table[address >> CHUNK_BITS];

    return chunk ? &chunk->number[(address & ((1u << CHUNK_BITS) - 1)) >> 3] : NULL;
}

/* The steps are made for different accesses at a time: each needs what the one before has fetched. */
void cells_expect_survey(const struct cells *cells, struct cells_ahead *ahead, uint64_t address)
{
    unsigned now = ahead->count++;
    const uint32_t **place = ahead->place, *number = place[(now - CELLS_STEP) % CELLS_AHEAD];

    place[now % CELLS_AHEAD] = number_place(cells, address);
    __builtin_prefetch(place[now % CELLS_AHEAD]);
    if (number && *number)
        __builtin_prefetch(&cells->pages[*number >> PAGE_BITS].surveyed[*number % PAGE]);
}

/* The number of the numbers of the granule's cells, 0: none are needed so far. */
static inline uint32_t numbers_of(const struct cells *cells, uint32_t granule)
{
    const struct kept_granules *k = cells->pages[granule >> PAGE_BITS].granules;

    return k ? k->numbers[granule % PAGE] : 0;
}

uint32_t cells_expect(const struct cells *cells, struct cells_ahead *ahead, uint64_t address)
{
    unsigned now = ahead->count++, second = (now - CELLS_STEP) % CELLS_AHEAD,
             third = (now - 2 * CELLS_STEP) % CELLS_AHEAD, last = (now - 3 * CELLS_STEP) % CELLS_AHEAD;
    uint32_t granule = ahead->place[second] ? *ahead->place[second] : 0,
             numbers = numbers_of(cells, ahead->granule[third]);
    const struct kept_granules *k = cells->pages[granule >> PAGE_BITS].granules;

    now %= CELLS_AHEAD;
    ahead->byte[now] = address & 7;
    ahead->place[now] = number_place(cells, address);
    __builtin_prefetch(ahead->place[now]);
    ahead->granule[second] = granule;
    if (k) {
        __builtin_prefetch(&k->of[granule % PAGE]);
        __builtin_prefetch(&k->numbers[granule % PAGE]);
    }
    ahead->cell[third] = numbers ? (numbers - 1) * 8 + ahead->byte[third] + 1 : 0;
    if (numbers)
        __builtin_prefetch(&cells->numbers[ahead->cell[third] - 1]);
    return ahead->cell[last] ? cells->numbers[ahead->cell[last] - 1] : 0;
}
