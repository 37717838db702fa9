/* Which pointers hold the addresses of heap blocks: what a block is called, if one pointer never held another.
 *
 * Collected in the first walk; blocks are numbered in the order they were allocated, so that the second walk,
 * which sees the same records, knows them by the same numbers. */
#pragma once
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>

enum { BLOCK_POINTERS = 3 };

struct pointers {
    struct block_pointers {
        uint64_t start;
        uint64_t pointer[BLOCK_POINTERS]; /* where the block's address was stored first */
        uint32_t block, count;
    } * of; /* of blocks that ever had one, as long as they may have a name by it */
    size_t of_count, of_capacity;
    size_t of_much;     /* from here on it is worth looking for those that cannot have one any more */
    struct map place;   /* number of a block, plus one → its place there, plus one */
    uint32_t blocks;    /* so far */
    struct map live;    /* start → number of the last block there, plus one */
    struct map held;    /* address of a pointer → the only block it held, plus one; UINT32_MAX: several */
    uint64_t low, high; /* all blocks are between */
};

void pointers_free(struct pointers *pointers);

/* First walk: a block is allocated; a word is written; bytes are written with unknown values. */
void pointers_add(struct pointers *pointers, uint64_t start);
void pointers_wrote(struct pointers *pointers, uint64_t address, uint64_t value);
void pointers_overwrote(struct pointers *pointers, uint64_t address, uint64_t length);

/* Second walk: the i-th pointer that ever held the block's address and no other block's; 0: there is none. */
uint64_t pointers_pointer(const struct pointers *pointers, uint32_t number, unsigned i);
