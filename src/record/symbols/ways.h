/* Access paths to heap blocks: a block is named after a pointer that holds its address. */
#pragma once
#include "record/convert/regions.h"
#include "record/symbols/types.h"

struct naming;

struct way {
    uint32_t text; /* in way_texts: "queue->items" */
    bool several;  /* it holds more than one object of the type */
    Dwarf_Die type;
    uint64_t size; /* of the type */
};

/* The way to a heap block; NULL when no pointer is known to lead to it. Looked for once: there may be millions
 * of cells in the block. Valid until the next call. */
struct way *way_to(struct naming *naming, struct region *block);
