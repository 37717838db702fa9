/* Ways to heap blocks: what a block is, told by a pointer that holds its address. */
#pragma once
#include "record/regions.h"
#include "record/types.h"

struct naming;

struct way {
    char text[512]; /* "queue->items" */
    Dwarf_Die type;
    bool several; /* it holds more than one object of the type */
};

/* The same as it is kept. */
struct known_way {
    bool found;
    bool several;
    uint32_t text;
    Dwarf_Die type;
};

/* The way to a heap block; false when no pointer is known to lead to it. Looked for once: there may be millions
 * of cells in the block. */
bool way_to(struct naming *naming, struct region *block, struct way *way);
