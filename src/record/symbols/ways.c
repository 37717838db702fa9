/* Finds pointers that lead from named variables to heap blocks. */
#include "record/symbols/ways.h"
#include "base/memory.h"
#include "record/symbols/naming.h"

#include <stdio.h>
#include <string.h>

/* A way as it is looked for. */
struct trail {
    char text[512];
    Dwarf_Die type;
    bool several;
};

enum { WAY_NONE = 1, WAY_FIRST = 2 }; /* what a block knows of its way, beside 0: nothing yet */

/* Whether a block of the length can be one object of the type, or several. */
static bool fits(struct trail *trail, uint64_t length)
{
    uint64_t size = type_size(&trail->type);

    trail->several = size > 0 && length >= 2 * size && length % size == 0 && type_repeats(&trail->type);
    return size > 0 && (trail->several || length >= size);
}

static bool through_block(struct naming *n, const struct region *block, uint64_t pointer, struct trail *trail,
                          int depth);

static bool find_way(struct naming *n, const struct region *block, struct trail *trail, int depth)
{
    uint64_t pointer;

    for (unsigned i = 0; (pointer = pointers_pointer(&n->pointers, block->number, i)); i++) {
        struct spelling unused;
        const struct region *around = regions_find(&n->regions, pointer);
        if (around ? through_block(n, around, pointer, trail, depth)
                   : symbols_pointer(n->symbols, pointer, &trail->type) &&
                         symbols_variable(n->symbols, pointer, 8, trail->text, sizeof trail->text, &unused))
            if (fits(trail, block->length))
                return true;
    }
    return false;
}

/* The pointer is itself in a heap block that has a name. */
static bool through_block(struct naming *n, const struct region *block, uint64_t pointer, struct trail *trail,
                          int depth)
{
    uint64_t offset = pointer - block->start;
    struct region around = *block;
    struct spelling unused;
    struct trail outer;
    size_t used;

    if (block->kind != REGION_HEAP || depth == 0 || !find_way(n, &around, &outer, depth - 1) ||
        !type_pointer_at(&outer.type, outer.several ? offset % type_size(&outer.type) : offset, &trail->type))
        return false;
    used = (size_t)snprintf(trail->text, sizeof trail->text, "%s", outer.text);
    type_pointed(&outer.type, outer.several, offset, 8, trail->text + used, sizeof trail->text - used, &unused);
    return true;
}

enum { WAY_DEPTH = 4 };

struct way *way_to(struct naming *n, struct region *block)
{
    struct trail trail;

    if (block->way == 0 && find_way(n, block, &trail, WAY_DEPTH)) {
        uint32_t text = names_add(&n->way_texts, trail.text, strlen(trail.text));
        block->way = (uint32_t)n->ways_count + WAY_FIRST;
        ARRAY_PUSH(n, ways, (struct way){text, trail.several, trail.type, type_size(&trail.type)});
    } else if (block->way == 0) {
        block->way = WAY_NONE;
    }
    return block->way == WAY_NONE ? NULL : &n->ways[block->way - WAY_FIRST];
}
