/* Pointers to heap blocks. */
#include "record/pointers.h"
#include "base/memory.h"

#include <stdlib.h>

#define SEVERAL UINT32_MAX /* in place of a block: the pointer held more than one */

void pointers_free(struct pointers *b)
{
    free(b->of);
    map_free(&b->live);
    map_free(&b->held);
}

void pointers_add(struct pointers *b, uint64_t start)
{
    ARRAY_PUSH(b, of, (struct block_pointers){0});
    *map_at(&b->live, start) = (uint32_t)b->of_count;
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
    struct block_pointers *p = &b->of[block - 1];
    if (*held == 0 && p->count < BLOCK_POINTERS)
        p->pointer[p->count++] = address;
    *held = block;
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
    const struct block_pointers *p = number < b->of_count ? &b->of[number] : NULL;

    for (unsigned k = 0; p && k < p->count; k++)
        if (map_get(&b->held, p->pointer[k]) == number + 1 && i-- == 0)
            return p->pointer[k];
    return 0;
}
