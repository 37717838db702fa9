/* Blocks of memory by address. */
#include "record/convert/regions.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BITS = 24,
    CHUNK_SLOTS = 1 << (CHUNK_BITS - 4),
    TABLE = 1 << (48 - CHUNK_BITS),
    LARGE = 1 << 16,
    GROUP = 64, /* slots, or groups, that are looked at in one go */
    CHUNK_GROUPS = CHUNK_SLOTS / GROUP
};

/* For each 16 bytes the heap block that begins there, which of them there are, and in which groups some are, a bit each. */
struct region_chunk {
    uint32_t number[CHUNK_SLOTS];
    uint64_t begins[CHUNK_GROUPS];
    uint64_t any[CHUNK_GROUPS / GROUP];
};

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

/* Bits from..to-1 of a word. */
static uint64_t bits(uint64_t from, uint64_t to)
{
    return (UINT64_MAX << from) & (UINT64_MAX >> (GROUP - to));
}

/* Another block may have its place in the list. */
static void let_go(struct regions *r, uint32_t index)
{
    r->regions[index].number = r->free;
    r->free = index;
}

static void clear_slots(struct regions *r, struct region_chunk *chunk, uint64_t first, uint64_t count)
{
    uint64_t end = first + count;

    for (uint64_t at = first; at < end; at = (at | (GROUP - 1)) + 1) {
        uint64_t from = at % GROUP, to = end - (at - from) < GROUP ? end % GROUP : GROUP;
        uint64_t gone = chunk->begins[at / GROUP] & bits(from, to);
        chunk->begins[at / GROUP] &= ~gone;
        if (chunk->begins[at / GROUP] == 0)
            chunk->any[at / GROUP / GROUP] &= ~(UINT64_C(1) << at / GROUP % GROUP);
        for (; gone; gone &= gone - 1)
            let_go(r, chunk->number[at / GROUP * GROUP + (unsigned)__builtin_ctzll(gone)]);
    }
}

/* Blocks that begin in the new one are gone, and large ones that reach into it. */
static void drop_overlapped(struct regions *r, const struct region *new)
{
    uint64_t slot = new->start >> 4, end = (new->start + new->length + 15) >> 4;
    size_t kept = 0;

    while (slot < end) {
        uint64_t next = ((slot >> (CHUNK_BITS - 4)) + 1) << (CHUNK_BITS - 4), to = next < end ? next : end;
        struct region_chunk *chunk = r->table[slot >> (CHUNK_BITS - 4)];
        if (chunk)
            clear_slots(r, chunk, slot & (CHUNK_SLOTS - 1), to - slot);
        slot = to;
    }
    for (size_t i = 0; i < r->large_count; i++) {
        const struct region *old = &r->regions[r->large[i]];
        if (holds(old, new->start) || holds(new, old->start))
            let_go(r, r->large[i]);
        else
            r->large[kept++] = r->large[i];
    }
    r->large_count = kept;
}

void regions_drop(struct regions *r, uint64_t start, uint64_t length)
{
    r->recent = 0;
    drop_overlapped(r, &(struct region){.start = start, .length = length});
}

/* How many of the large blocks begin at the address or before it: they overlap nowhere and stand in order. */
static size_t large_until(const struct regions *r, uint64_t address)
{
    size_t low = 0, high = r->large_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (r->regions[r->large[middle]].start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void add_large(struct regions *r, uint32_t number)
{
    size_t at = large_until(r, r->regions[number].start);

    ARRAY_PUSH(r, large, number);
    memmove(&r->large[at + 1], &r->large[at], (r->large_count - 1 - at) * sizeof *r->large);
    r->large[at] = number;
}

void regions_add(struct regions *r, const struct region *region)
{
    uint32_t number;
    struct region_chunk **chunk;
    uint64_t slot = (region->start & ((1u << CHUNK_BITS) - 1)) >> 4;

    r->recent = 0;
    drop_overlapped(r, region);
    number = r->free;
    if (number) {
        r->free = r->regions[number].number;
        r->regions[number] = *region;
    } else {
        number = (uint32_t)r->regions_count;
        ARRAY_PUSH(r, regions, *region);
    }
    if (region->kind != REGION_HEAP || region->length >= LARGE) {
        add_large(r, number);
        return;
    }
    chunk = &r->table[region->start >> CHUNK_BITS];
    if (!*chunk) {
        *chunk = memory_new(1, sizeof **chunk);
        ARRAY_PUSH(r, used, (uint32_t)(region->start >> CHUNK_BITS));
    }
    (*chunk)->number[slot] = number;
    (*chunk)->begins[slot / GROUP] |= UINT64_C(1) << slot % GROUP;
    (*chunk)->any[slot / GROUP / GROUP] |= UINT64_C(1) << slot / GROUP % GROUP;
}

static struct region_chunk *chunk_of(const struct regions *r, uint64_t group)
{
    return r->table[group / CHUNK_GROUPS];
}

/* The last group before `group` in which a block begins, from `first` on; UINT64_MAX: none. */
static uint64_t group_before(const struct regions *r, uint64_t group, uint64_t first)
{
    for (uint64_t at; group > first; group = at / GROUP * GROUP) {
        at = group - 1;
        const struct region_chunk *chunk = chunk_of(r, at);
        uint64_t any = chunk ? chunk->any[at % CHUNK_GROUPS / GROUP] & bits(0, at % GROUP + 1) : 0;
        if (any) {
            at = at / GROUP * GROUP + 63 - (unsigned)__builtin_clzll(any);
            return at >= first ? at : UINT64_MAX;
        }
    }
    return UINT64_MAX;
}

/* A small block begins at most LARGE bytes before any of its bytes. */
static uint32_t find_small(const struct regions *r, uint64_t address)
{
    enum { REACH = LARGE / 16 / GROUP };
    uint64_t slot = address >> 4, group = slot / GROUP, first = group > REACH ? group - REACH : 0;
    const struct region_chunk *chunk = chunk_of(r, group);
    uint64_t begins = chunk ? chunk->begins[group % CHUNK_GROUPS] & bits(0, slot % GROUP + 1) : 0;
    uint32_t found;

    if (!begins) {
        group = group_before(r, group, first);
        if (group == UINT64_MAX)
            return 0;
        chunk = chunk_of(r, group);
        begins = chunk->begins[group % CHUNK_GROUPS];
    }
    found = chunk->number[group % CHUNK_GROUPS * GROUP + 63 - (unsigned)__builtin_clzll(begins)];
    return holds(&r->regions[found], address) ? found : 0;
}

struct region *regions_find(struct regions *r, uint64_t address)
{
    uint32_t number = r->recent && holds(&r->regions[r->recent], address) ? r->recent : find_small(r, address);
    size_t large = number == 0 ? large_until(r, address) : 0;

    if (large > 0 && holds(&r->regions[r->large[large - 1]], address))
        number = r->large[large - 1];
    r->recent = number;
    return number ? &r->regions[number] : NULL;
}
