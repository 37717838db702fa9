/* Names by types: what accesses say of a block, and what the allocator of a container says of it. */
#include "record/symbols/block_names.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

/* What people call the blocks of containers. */
static const char *node_of(Dwarf_Die *type)
{
    static const struct {
        const char *type, *called;
    } nodes[] = {{"_Rb_tree_node", "tree node"},
                 {"_List_node", "list node"},
                 {"_Hash_node", "hash node"},
                 {"_Fwd_list_node", "list node"},
                 {"_Sp_counted", "shared pointer's block"}};
    const char *name = dwarf_diename(type);

    for (size_t i = 0; name && i < sizeof nodes / sizeof *nodes; i++)
        if (strncmp(name, nodes[i].type, strlen(nodes[i].type)) == 0)
            return nodes[i].called;
    return NULL;
}

/* What an allocator of the library made the block for. */
static struct allocated_type *allocated_as(struct naming *n, const struct region *block)
{
    uint32_t *index = map_at(&n->allocated_at, block->pc);

    if (*index == 0) {
        struct allocated_type made = {0};
        if (symbols_allocated(n->symbols, block->pc, &made.type))
            made.size = type_size(&made.type);
        ARRAY_PUSH(n, allocated, made);
        *index = (uint32_t)n->allocated_count;
    }
    return n->allocated[*index - 1].size ? &n->allocated[*index - 1] : NULL;
}

static bool by_allocator(struct naming *n, const struct region *block, uint64_t offset, uint64_t length,
                         struct block_object *object)
{
    struct allocated_type *made = allocated_as(n, block);
    uint64_t inside, rest;

    if (!made || offset / made->size >= block->length / made->size || offset % made->size + length > made->size)
        return false;
    inside = rest = offset % made->size;
    *object = (struct block_object){.type = made->type,
                                    .offset = offset - inside,
                                    .index = offset / made->size,
                                    .several = block->length >= 2 * made->size,
                                    .node = node_of(&made->type)};
    if (object->node && type_stored(&made->type, &rest, length, &object->type))
        object->offset += inside - rest;
    object->library = !type_is_structure(&object->type) || type_is_library(&object->type);
    return true;
}

/* Whether what one access says is not a part of an object that other accesses show. */
static bool stands_alone(const struct typed_object *one, const struct typed_object *among)
{
    Dwarf_Die type = among->type->die, part = one->type->die;

    return among->scattered || one->offset < among->offset ||
           !type_may_hold(&type, one->offset - among->offset, &part);
}

static bool by_access(struct naming *n, const struct region *block, uint64_t offset, uint64_t length,
                      struct block_object *object)
{
    struct typed_object found, placed;
    bool any = typed_blocks_find(&n->typed, n->symbols, block->number, offset, length, &found),
         alone = typed_blocks_placed(&n->typed, n->symbols, block->number, offset, length, &placed) &&
                 (!any || stands_alone(&placed, &found));

    if (!any && !alone)
        return false;
    if (alone)
        found = placed;
    *object = (struct block_object){.type = found.type->die,
                                    .offset = found.offset,
                                    .index = found.index,
                                    .several = found.several,
                                    .alone = alone,
                                    .library = found.type->library};
    object->node = node_of(&object->type);
    return true;
}

bool block_object_at(struct naming *n, struct region *block, uint64_t offset, uint64_t length,
                     struct block_object *object)
{
    struct block_object made;
    bool accessed = by_access(n, block, offset, length, object),
         allocated = (!accessed || object->library) && by_allocator(n, block, offset, length, &made);

    if (allocated)
        *object = made;
    return accessed || allocated;
}

bool block_is_typed(struct naming *n, struct region *block, uint64_t offset, uint64_t length)
{
    struct block_object object;

    return block_object_at(n, block, offset, length, &object);
}

/* What is between the name of an object and that of its member. */
static const char *dot_of(struct block_object *object)
{
    if (object->library)
        return ": ";
    return object->several ? "." : type_is_c(&object->type) ? "->" : "::";
}

/* Which one of the blocks that are named by the type, or of the objects in them. */
static uint32_t serial_of(struct naming *n, struct region *block, const struct block_object *object,
                          const char *name)
{
    uint64_t type = XXH3_64bits(name, strlen(name)), place[] = {block->number, object->offset, type};
    uint32_t *serial =
        object->alone ? map_at(&n->objects_alike, XXH3_64bits(place, sizeof place)) : &block->typed;

    if (*serial == 0)
        *serial = ++*map_at(&n->typed_alike, type);
    return *serial;
}

bool block_part(struct naming *n, struct region *block, const struct touched *what, char *to, size_t room,
                struct spelling *spelling)
{
    uint64_t offset = what->address - block->start;
    struct block_object object;
    const char *name;
    uint32_t serial;
    size_t used;

    if (!block_object_at(n, block, offset, what->length, &object) || !(name = dwarf_diename(&object.type)))
        return false;
    if (object.library && object.node)
        used =
            (size_t)snprintf(to, room, "%s allocated at %.800s", object.node, naming_origin(n, block->origin));
    else if (object.library)
        used = (size_t)snprintf(to, room, "%s allocated at %.800s", name, naming_origin(n, block->origin));
    else
        used = (size_t)snprintf(to, room, "%.400s", name);
    if (object.several && used < room)
        used += (size_t)snprintf(to + used, room - used, "[%llu]", (unsigned long long)object.index);
    if (used >= room)
        return true;
    known_inside(&n->parts, &object.type, dot_of(&object), offset - object.offset, what->length, to + used,
                 room - used, spelling);
    used += strlen(to + used);
    serial = serial_of(n, block, &object, name);
    if (serial > 1 && used < room)
        snprintf(to + used, room - used, " #%u", serial);
    return true;
}
