/* Finds pointers that lead from named variables to heap blocks. */
#include "record/ways.h"
#include "base/memory.h"
#include "record/naming.h"

#include <stdio.h>
#include <string.h>

/* Whether a block of the length can be one object of the type, or several. */
static bool fits(struct way *way, uint64_t length)
{
    uint64_t size = type_size(&way->type);

    way->several = size > 0 && length >= 2 * size && length % size == 0 && type_repeats(&way->type);
    return size > 0 && (way->several || length >= size);
}

static bool through_block(struct naming *n, const struct region *block, uint64_t pointer, struct way *way,
                          int depth);

static bool find_way(struct naming *n, const struct region *block, struct way *way, int depth)
{
    uint64_t pointer;

    for (unsigned i = 0; (pointer = pointers_pointer(&n->pointers, block->number, i)); i++) {
        struct spelling unused;
        const struct region *around = regions_find(&n->regions, pointer);
        if (around ? through_block(n, around, pointer, way, depth)
                   : symbols_pointer(n->symbols, pointer, &way->type) &&
                         symbols_variable(n->symbols, pointer, 8, way->text, sizeof way->text, &unused))
            if (fits(way, block->length))
                return true;
    }
    return false;
}

/* The pointer is itself in a heap block that has a name. */
static bool through_block(struct naming *n, const struct region *block, uint64_t pointer, struct way *way,
                          int depth)
{
    uint64_t offset = pointer - block->start;
    struct region around = *block;
    struct spelling unused;
    struct way outer;
    size_t used;

    if (block->kind != REGION_HEAP || depth == 0 || !find_way(n, &around, &outer, depth - 1) ||
        !type_pointer_at(&outer.type, outer.several ? offset % type_size(&outer.type) : offset, &way->type))
        return false;
    used = (size_t)snprintf(way->text, sizeof way->text, "%s", outer.text);
    type_pointed(&outer.type, outer.several, offset, 8, way->text + used, sizeof way->text - used, &unused);
    return true;
}

enum { WAY_DEPTH = 4 };

bool way_to(struct naming *n, struct region *block, struct way *way)
{
    const struct known_way *known;

    if (block->way == 0) {
        struct known_way new = {.found = find_way(n, block, way, WAY_DEPTH)};
        if (new.found) {
            new.type = way->type;
            new.several = way->several;
            new.text = names_add(&n->way_texts, way->text, strlen(way->text));
        }
        if (new.found)
            ARRAY_PUSH(n, ways, new);
        block->way = new.found ? (uint32_t)n->ways_count : 1;
        return new.found;
    }
    known = &n->ways[block->way - 1];
    if (known->found) {
        way->type = known->type;
        way->several = known->several;
        snprintf(way->text, sizeof way->text, "%s", names_text(&n->way_texts, known->text));
    }
    return known->found;
}
