/* Blocks of memory as they are allocated: heap, mapped, stacks. */
#pragma once
#include "base/map.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum region_kind { REGION_HEAP, REGION_MAPPED, REGION_STACK };

struct region {
    uint64_t start, length;
    uint64_t pc; /* who asked for it */
    uint32_t thread;
    enum region_kind kind;
    uint32_t number; /* heap blocks: in the order they were made */
    uint32_t label;  /* for the caller, 0 at first */
    uint32_t way;    /* for the caller, 0 at first */
    uint64_t origin; /* the place of the program's own code that asked for it */
    uint32_t typed;  /* for the caller, 0 at first */
    uint32_t serial; /* for the caller, 0 at first: which of those that look alike */
    uint32_t life;   /* for the caller: which of all that ever were there */
};

struct regions {
    struct region *regions; /* the first is none */
    size_t regions_count, regions_capacity;
    uint32_t free; /* the first of those that are gone, each has the next one's index as `number`; 0: none */
    struct region_chunk **table; /* by 16 MiB: where heap blocks begin */
    uint32_t *used;              /* which entries of the table there are */
    size_t used_count, used_capacity;
    uint32_t *large; /* stacks, mapped and large blocks, by address */
    size_t large_count, large_capacity;
    uint32_t recent; /* where the last look-up ended */
};

void regions_init(struct regions *regions);
void regions_free(struct regions *regions);

/* A new block; those it overlaps are gone. */
void regions_add(struct regions *regions, const struct region *region);

/* Memory that is no block any more: those that overlap it are gone. */
void regions_drop(struct regions *regions, uint64_t start, uint64_t length);

/* The block that was last allocated with this byte in it, or NULL. */
struct region *regions_find(struct regions *regions, uint64_t address);
