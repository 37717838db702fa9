/* Addresses of memory that was allocated again. */
#include "record/convert/lives.h"

#include <assert.h>

void lives_free(struct lives *l)
{
    map_free(&l->first);
}

uint32_t lives_begin(struct lives *l, uint64_t start, uint64_t length)
{
    if (l->count == 0 || start < l->low)
        l->low = start;
    if (start + length > l->high)
        l->high = start + length;
    return ++l->count;
}

bool lives_mixed(struct lives *l, struct regions *regions, uint64_t value)
{
    uint64_t address = value & ((UINT64_C(1) << 48) - 1); /* programs keep marks in the bits above */
    const struct region *region = address - l->low < l->high - l->low ? regions_find(regions, address) : NULL;
    uint32_t *first;

    if (!region)
        return false;
    assert(region->life > 0 && region->life <= l->count);
    first = map_at(&l->first, value);
    if (*first == 0)
        *first = region->life;
    return *first != region->life;
}
