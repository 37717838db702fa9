/* Finds pointers that lead from named variables to heap blocks. */
#include "record/symbols/ways.h"
#include "base/memory.h"
#include "record/symbols/block_names.h"

#include <stdio.h>
#include <string.h>

/* A way as it is looked for. */
struct trail {
    char text[512];
    Dwarf_Die type;
    bool row; /* the pointer is to the first of several, whatever their type */
    bool several;
    bool locals; /* a local variable may be the pointer */
};

enum { WAY_NONE = 1, WAY_FIRST = 2 }; /* what a block knows of its way, beside 0: nothing yet */

/* Whether accesses show that the block holds several objects of that size. */
static bool is_row(struct naming *n, const struct region *block, uint64_t size)
{
    struct typed_object object;

    return typed_blocks_find(&n->typed, n->symbols, block->number, 0, 1, &object) && object.several &&
           object.type->size == size;
}

/* Whether the block can be one object of the type, or several. */
static bool fits(struct naming *n, struct trail *trail, const struct region *block)
{
    uint64_t size = type_size(&trail->type), length = block->length;

    trail->several = size > 0 && length >= 2 * size && length % size == 0 &&
                     (trail->row || type_repeats(&trail->type) || is_row(n, block, size));
    return size > 0 && (trail->several || length >= size);
}

/* A pointer within an object of the C++ library is named by the object: "jobs" rather than "jobs._M_impl._M_start". */
static void leave_out_internals(struct trail *trail)
{
    static const struct {
        const char *end;
        bool row;
    } internals[] = {{"._M_start", true}, {"._M_head_impl", false}, {"._M_p", false},
                     {"._M_ptr", false},  {"._M_t", false},         {"._M_impl", false}};

    for (size_t i = 0; i < sizeof internals / sizeof *internals; i++) {
        size_t length = strlen(trail->text), end = strlen(internals[i].end);
        if (length > end && strcmp(trail->text + length - end, internals[i].end) == 0) {
            trail->text[length - end] = '\0';
            trail->row |= internals[i].row;
        }
    }
}

static bool through_block(struct naming *n, struct region *block, uint64_t pointer, struct trail *trail,
                          int depth);

static bool find_way(struct naming *n, const struct region *block, struct trail *trail, int depth)
{
    uint64_t pointer;

    for (unsigned i = 0; (pointer = pointers_pointer(&n->pointers, block->number, i)); i++) {
        struct spelling unused;
        struct region *around = regions_find(&n->regions, pointer);
        trail->row = false;
        if (around ? !through_block(n, around, pointer, trail, depth)
                   : !symbols_pointer(n->symbols, pointer, &trail->type) ||
                         !symbols_variable(n->symbols, pointer, 8, trail->text, sizeof trail->text, &unused))
            continue;
        leave_out_internals(trail);
        if (fits(n, trail, block))
            return true;
    }
    return false;
}

/* The pointer is in a heap block whose type is known. */
static bool through_object(struct naming *n, struct region *block, uint64_t pointer, struct trail *trail)
{
    struct touched what = {.address = pointer, .length = 8};
    struct block_object object;
    struct spelling unused;
    uint64_t offset = pointer - block->start;

    return block_object_at(n, block, offset, 8, &object) && !object.library &&
           type_pointer_at(&object.type, offset - object.offset, &trail->type) &&
           block_part(n, block, &what, trail->text, sizeof trail->text, &unused);
}

/* The pointer is itself in a heap block that has a name, or a local variable. */
static bool through_block(struct naming *n, struct region *block, uint64_t pointer, struct trail *trail,
                          int depth)
{
    uint64_t offset = pointer - block->start;
    struct spelling unused;
    struct trail outer;
    size_t used;

    if (block->kind == REGION_STACK)
        return trail->locals &&
               naming_local_pointer(n, block, pointer, trail->text, sizeof trail->text, &trail->type);
    if (block->kind != REGION_HEAP || depth == 0)
        return false;
    outer.locals = trail->locals;
    if (!find_way(n, block, &outer, depth - 1) ||
        !type_pointer_at(&outer.type, outer.several ? offset % type_size(&outer.type) : offset, &trail->type))
        return through_object(n, block, pointer, trail);
    used = (size_t)snprintf(trail->text, sizeof trail->text, "%s", outer.text);
    known_pointed(&n->parts, &outer.type, type_size(&outer.type), outer.several, offset, 8, trail->text + used,
                  sizeof trail->text - used, &unused);
    return true;
}

static bool has_own_type(struct naming *n, struct region *block)
{
    struct block_object object;

    return block_object_at(n, block, 0, 1, &object) && !object.library;
}

enum { WAY_DEPTH = 4 };

/* A local variable may be gone when somebody reads the report: other pointers, and types of the program's own, name a block
 * better. */
static bool find_any_way(struct naming *n, struct region *block, struct trail *trail)
{
    trail->locals = false;
    if (find_way(n, block, trail, WAY_DEPTH))
        return true;
    trail->locals = !has_own_type(n, block);
    return trail->locals && find_way(n, block, trail, WAY_DEPTH);
}

struct way *way_to(struct naming *n, struct region *block)
{
    struct trail trail;

    if (block->way == 0 && find_any_way(n, block, &trail)) {
        uint32_t text = names_add(&n->way_texts, trail.text, strlen(trail.text));
        block->way = (uint32_t)n->ways_count + WAY_FIRST;
        ARRAY_PUSH(n, ways, (struct way){text, trail.several, trail.type, type_size(&trail.type)});
    } else if (block->way == 0) {
        block->way = WAY_NONE;
    }
    return block->way == WAY_NONE ? NULL : &n->ways[block->way - WAY_FIRST];
}
