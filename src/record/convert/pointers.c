/* Pointers to heap blocks. */
#include "record/convert/pointers.h"
#include "base/memory.h"

#include <stdlib.h>

#define SEVERAL UINT32_MAX /* in place of a block: the pointer held more than one */

enum { MUCH = 4096 };

void pointers_free(struct pointers *b)
{
    free(b->of);
    map_free(&b->place);
    map_free(&b->live);
    map_free(&b->held);
}

void pointers_add(struct pointers *b, uint64_t start)
{
    *map_at(&b->live, start) = ++b->blocks;
    if (start < b->low || b->low == 0)
        b->low = start;
    if (start > b->high)
        b->high = start;
}

/* Whether it may be the address of a block that is not among the records: of several passes the last one leaves
 * out the blocks that nobody shares. */
static bool may_be_block(uint64_t value)
{
    return value % 16 == 0 && value >= 4096 && value >> 47 == 0;
}

/* One more may be stored, or one that was stored is still good. */
static bool may_be_named(const struct pointers *b, const struct block_pointers *p)
{
    if (map_get(&b->live, p->start) == p->block)
        return true;
    for (unsigned k = 0; k < p->count; k++)
        if (map_get(&b->held, p->pointer[k]) == p->block)
            return true;
    return false;
}

/* Memory that is reused many times is many blocks, most of which never get a name. */
static void clean_up(struct pointers *b)
{
    size_t kept = 0;

    map_free(&b->place);
    for (size_t i = 0; i < b->of_count; i++)
        if (may_be_named(b, &b->of[i])) {
            b->of[kept++] = b->of[i];
            *map_at(&b->place, b->of[i].block) = (uint32_t)kept;
        }
    b->of_count = kept;
    b->of_much = 2 * kept + MUCH;
}

static struct block_pointers *pointers_of(struct pointers *b, uint32_t block, uint64_t start)
{
    uint32_t *place;

    if (b->of_count >= b->of_much)
        clean_up(b);
    place = map_at(&b->place, block);
    if (*place == 0) {
        ARRAY_PUSH(b, of, (struct block_pointers){.start = start, .block = block});
        *place = (uint32_t)b->of_count;
    }
    return &b->of[*place - 1];
}

void pointers_wrote(struct pointers *b, uint64_t address, uint64_t value)
{
    uint32_t block = value >= b->low && value <= b->high ? map_get(&b->live, value) : 0;
    uint32_t *held;

    if (block == 0) {
        if (may_be_block(value) || (value && map_get(&b->held, address)))
            *map_at(&b->held, address) = SEVERAL;
        return;
    }
    held = map_at(&b->held, address);
    if (*held && *held != block) {
        *held = SEVERAL;
        return;
    }
    bool first = *held == 0;
    *held = block;
    if (!first)
        return;
    struct block_pointers *p = pointers_of(b, block, value);
    if (p->count < BLOCK_POINTERS)
        p->pointer[p->count++] = address;
}

void pointers_overwrote(struct pointers *b, uint64_t address, uint64_t length)
{
    uint64_t first = address & ~UINT64_C(7), end = address + length;

    if (b->held.entries == 0)
        return;
    if (length / 8 > b->held.entries) {
        for (size_t i = 0; i < b->held.slot_count; i++)
            if (b->held.used[i] && b->held.keys[i] >= first && b->held.keys[i] < end)
                b->held.values[i] = SEVERAL;
        return;
    }
    for (uint64_t at = first; at < end; at += 8)
        if (map_get(&b->held, at))
            *map_at(&b->held, at) = SEVERAL;
}

uint64_t pointers_pointer(const struct pointers *b, uint32_t number, unsigned i)
{
    uint32_t place = map_get(&b->place, (uint64_t)number + 1);
    const struct block_pointers *p = place ? &b->of[place - 1] : NULL;

    for (unsigned k = 0; p && k < p->count; k++)
        if (map_get(&b->held, p->pointer[k]) == number + 1 && i-- == 0)
            return p->pointer[k];
    return 0;
}
