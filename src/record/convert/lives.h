/* Values that are addresses of memory which was allocated again.
 *
 * Two pointers with the same bits may mean two blocks, one after the other in the same place. As numbers they
 * are equal, so a trace must not tell both: a read that decides which of the two is accessed could then see
 * the other one (semantics §1). The first block that a value is seen to mean has it; where the value means a
 * later one, it is left out. */
#pragma once
#include "base/map.h"
#include "record/convert/regions.h"

struct lives {
    struct map first;   /* value → the life it meant when it was first seen */
    uint32_t count;     /* so far; the first is 1 */
    uint64_t low, high; /* all memory that has one is between */
};

void lives_free(struct lives *lives);

/* The next life: of a block that is allocated, of a stack where another local takes a place. */
uint32_t lives_begin(struct lives *lives, uint64_t start, uint64_t length);

/* Whether the value was seen as an address of memory that has lived another life since. Notes what it means. */
bool lives_mixed(struct lives *lives, struct regions *regions, uint64_t value);
