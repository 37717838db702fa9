/* Columns of numbers that stay the same over long stretches. */
#include "base/stretches.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_even(const uint32_t *numbers, size_t length)
{
    for (size_t i = 1; i < length; i++)
        if (numbers[i] != numbers[0])
            return false;
    return true;
}

/* The block before this one if it holds this number alone, so that both can share it. */
static bool shares(const struct stretches *s, size_t block, uint32_t number)
{
    return block > 0 && !(s->blocks[block - 1] & 1) && s->numbers[s->blocks[block - 1] >> 1] == number;
}

static void put_block(struct stretches *s, size_t block, const uint32_t *numbers, size_t length)
{
    bool even = is_even(numbers, length);
    size_t at = s->numbers_count, kept = even ? 1 : length;

    assert(at <= UINT32_MAX / 2);
    s->blocks = memory_grow(s->blocks, &s->capacity, block + 1, sizeof *s->blocks);
    if (even && shares(s, block, *numbers)) {
        s->blocks[block] = s->blocks[block - 1];
        return;
    }
    s->numbers = memory_grow(s->numbers, &s->numbers_capacity, at + kept, sizeof *s->numbers);
    memcpy(s->numbers + at, numbers, kept * sizeof *numbers);
    s->numbers_count += kept;
    s->blocks[block] = (uint32_t)at << 1 | !even;
}

void stretches_fill(struct stretches *s, size_t until, uint32_t number)
{
    while (s->count < until) {
        s->last[s->count++ % STRETCH_BLOCK] = number;
        if (s->count % STRETCH_BLOCK == 0)
            put_block(s, s->count / STRETCH_BLOCK - 1, s->last, STRETCH_BLOCK);
    }
}

void stretches_end(struct stretches *s)
{
    if (s->count % STRETCH_BLOCK != 0)
        put_block(s, s->count / STRETCH_BLOCK, s->last, s->count % STRETCH_BLOCK);
    s->numbers = memory_resize(s->numbers, s->numbers_count, sizeof *s->numbers);
}

void stretches_take(struct stretches *s, const uint32_t *numbers, size_t count)
{
    assert(s->count == 0);
    s->count = count;
    for (size_t at = 0; at < count; at += STRETCH_BLOCK)
        put_block(s, at / STRETCH_BLOCK, numbers + at, count - at < STRETCH_BLOCK ? count - at : STRETCH_BLOCK);
    s->numbers = memory_resize(s->numbers, s->numbers_count, sizeof *s->numbers);
}

void stretches_free(struct stretches *s)
{
    free(s->blocks);
    free(s->numbers);
    *s = (struct stretches){0};
}
