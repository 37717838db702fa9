/* Blocks of memory by address. */
#include "record/regions.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_BITS = 24, CHUNK_SLOTS = 1 << (CHUNK_BITS - 4), TABLE = 1 << (48 - CHUNK_BITS), LARGE = 1 << 16 };

void regions_init(struct regions *r)
{
    memset(r, 0, sizeof *r);
    r->table = memory_new(TABLE, sizeof *r->table);
    ARRAY_PUSH(r, regions, (struct region){0});
}

void regions_free(struct regions *r)
{
    for (size_t i = 0; i < r->used_count; i++)
        free(r->table[r->used[i]]);
    free(r->table);
    free(r->used);
    free(r->regions);
    free(r->large);
}

static bool holds(const struct region *region, uint64_t address)
{
    return address - region->start < region->length;
}

/* Blocks that begin in the new one are gone, and large ones that reach into it. */
static void drop_overlapped(struct regions *r, const struct region *new)
{
    uint64_t slot = new->start >> 4, end = (new->start + new->length + 15) >> 4;
    size_t kept = 0;

    while (slot < end) {
        uint64_t next = ((slot >> (CHUNK_BITS - 4)) + 1) << (CHUNK_BITS - 4), to = next < end ? next : end;
        uint32_t *chunk = r->table[slot >> (CHUNK_BITS - 4)];
        if (chunk)
            memset(&chunk[slot & (CHUNK_SLOTS - 1)], 0, (to - slot) * sizeof *chunk);
        slot = to;
    }
    for (size_t i = 0; i < r->large_count; i++) {
        const struct region *old = &r->regions[r->large[i]];
        if (holds(old, new->start) || holds(new, old->start))
            continue;
        r->large[kept++] = r->large[i];
    }
    r->large_count = kept;
}

void regions_add(struct regions *r, const struct region *region)
{
    uint32_t number = (uint32_t)r->regions_count;
    uint32_t **chunk;

    ARRAY_PUSH(r, regions, *region);
    r->recent = 0;
    drop_overlapped(r, region);
    if (region->kind != REGION_HEAP || region->length >= LARGE) {
        ARRAY_PUSH(r, large, number);
        return;
    }
    chunk = &r->table[region->start >> CHUNK_BITS];
    if (!*chunk) {
        *chunk = memory_new(CHUNK_SLOTS, sizeof **chunk);
        ARRAY_PUSH(r, used, (uint32_t)(region->start >> CHUNK_BITS));
    }
    (*chunk)[(region->start & ((1u << CHUNK_BITS) - 1)) >> 4] = number;
}

/* A small block begins at most LARGE bytes before any of its bytes. */
static uint32_t find_small(const struct regions *r, uint64_t address)
{
    uint64_t slot = address >> 4, last = slot > LARGE >> 4 ? slot - (LARGE >> 4) : 0;

    for (; slot > last; slot--) {
        const uint32_t *chunk = r->table[slot >> (CHUNK_BITS - 4)];
        uint32_t number = chunk ? chunk[slot & (CHUNK_SLOTS - 1)] : 0;
        if (number)
            return holds(&r->regions[number], address) ? number : 0;
    }
    return 0;
}

struct region *regions_find(struct regions *r, uint64_t address)
{
    uint32_t number = r->recent && holds(&r->regions[r->recent], address) ? r->recent : find_small(r, address);

    for (size_t i = r->large_count; number == 0 && i-- > 0;)
        if (holds(&r->regions[r->large[i]], address))
            number = r->large[i];
    r->recent = number;
    return number ? &r->regions[number] : NULL;
}
