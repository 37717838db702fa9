/* Columns of numbers that stay the same over long stretches: the lock that a thread holds, the clock it has reached.
 *
 * A block of 64 equal numbers takes 4 bytes, another one 260, and any number is found at once. */
#pragma once
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { STRETCH_BLOCK = 64 };

struct stretches {
    uint32_t *
        blocks; /* by block: where its numbers begin, doubled, and one more if there are as many as in a block */
    uint32_t *numbers;
    size_t numbers_count, numbers_capacity;
    size_t count, capacity;       /* numbers of the column; room in `blocks` for so many blocks */
    uint32_t last[STRETCH_BLOCK]; /* while it is filled: the block that is not full */
};

/* Appends a number until the column has so many; zeros are an empty column. */
void stretches_fill(struct stretches *column, size_t until, uint32_t number);

/* After the last one: they can be asked for now. */
void stretches_end(struct stretches *column);

/* Both at once: an empty column gets these numbers. */
void stretches_take(struct stretches *column, const uint32_t *numbers, size_t count);

void stretches_free(struct stretches *column);

static inline uint32_t stretches_at(const struct stretches *column, size_t index)
{
    uint32_t block = column->blocks[index / STRETCH_BLOCK];

    assert(index < column->count);
    return column->numbers[(block >> 1) + (index % STRETCH_BLOCK & -(size_t)(block & 1))];
}
