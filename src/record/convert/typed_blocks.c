/* Types of heap blocks. */
#include "record/convert/typed_blocks.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void typed_blocks_init(struct typed_blocks *t)
{
    regions_init(&t->regions);
    t->sites = memory_new(TYPED_RECENT, sizeof *t->sites);
    t->seen = memory_new(TYPED_RECENT, sizeof *t->seen);
}

void typed_blocks_free(struct typed_blocks *t)
{
    regions_free(&t->regions);
    free(t->parts);
    map_free(&t->first);
    map_free(&t->mixed);
    free(t->kinds);
    map_free(&t->kind_of);
    map_free(&t->placed);
    free(t->sites);
    free(t->seen);
}

void typed_blocks_add(struct typed_blocks *t, uint64_t start, uint64_t length, uint32_t number)
{
    struct region region = {.start = start, .length = length, .number = number, .kind = REGION_HEAP};

    regions_add(&t->regions, &region);
}

void typed_blocks_grow(struct typed_blocks *t, uint64_t start, uint64_t length)
{
    const struct region *old = regions_find(&t->regions, start);

    if (old)
        typed_blocks_add(t, start, length, old->number);
}

/* What the compiler's plugin says about the access; recent answers are cached. */
static const struct site *site_of(struct typed_blocks *t, struct symbols *symbols, uint64_t pc)
{
    struct typed_site *recent = &t->sites[(pc ^ pc >> 12) % TYPED_RECENT];

    if (recent->pc != pc) {
        const struct site *site = symbols_site(symbols, pc);
        *recent = (struct typed_site){.pc = pc, .site = site ? *site : (struct site){0}};
    }
    return recent->site.type ? &recent->site : NULL;
}

static bool is_better(const struct site_type *type, const struct site_type *than)
{
    return type->library != than->library ? than->library : type->size > than->size;
}

/* From now on accesses are kept by their places, those that were seen already, too. */
static void mix(struct typed_blocks *t, uint32_t number)
{
    uint32_t *mixed = map_at(&t->mixed, number);

    if (!*mixed)
        memset(t->seen, 0, TYPED_RECENT * sizeof *t->seen);
    *mixed = 1;
}

static void add_part(struct typed_blocks *t, uint32_t number, const struct site *site, uint64_t offset)
{
    uint32_t *link = map_at(&t->first, number), index = *link;
    unsigned count = 0;

    for (; index; index = t->parts[index - 1].next, count++) {
        struct typed_part *part = &t->parts[index - 1];
        uint64_t apart = part->offset < offset ? offset - part->offset : part->offset - offset;
        if (part->type != site->type)
            continue;
        part->several |= apart > 0 && apart % site->size == 0;
        if (apart % site->size != 0) {
            part->scattered = true;
            mix(t, number);
        }
        return;
    }
    if (count < TYPED_MOST) {
        ARRAY_PUSH(t, parts, (struct typed_part){.type = site->type, .next = *link, .offset = offset});
        *link = (uint32_t)t->parts_count;
    }
    if (count > 0)
        mix(t, number);
}

/* Keeps the access if the block has room for several such objects and is mixed. The largest type stays. */
static void place(struct typed_blocks *t, const struct symbols *symbols, const struct region *block,
                  const struct site *site, uint64_t offset)
{
    uint32_t *kind, *here;

    if (block->length < 2 * site->size || offset > UINT32_MAX || site->offset > UINT32_MAX ||
        t->placed_count >= TYPED_PLACED || !map_get(&t->mixed, block->number))
        return;
    kind = map_at(&t->kind_of, map_pair(site->type, (uint32_t)site->offset));
    if (*kind == 0) {
        ARRAY_PUSH(t, kinds, *site);
        *kind = (uint32_t)t->kinds_count;
    }
    here = map_at(&t->placed, map_pair(block->number, (uint32_t)offset));
    t->placed_count += *here == 0;
    if (*here == 0 ||
        is_better(symbols_site_type(symbols, site->type), symbols_site_type(symbols, t->kinds[*here - 1].type)))
        *here = *kind;
}

void typed_blocks_note(struct typed_blocks *t, struct symbols *symbols, uint64_t pc, uint64_t address,
                       uint32_t blocks)
{
    const struct site *site = site_of(t, symbols, pc);
    struct typed_seen *seen = &t->seen[(pc ^ address >> 2) % TYPED_RECENT];
    const struct region *block;

    if (!site || (seen->pc == pc && seen->address == address && seen->blocks == blocks))
        return;
    *seen = (struct typed_seen){pc, address, blocks};
    block = address >= site->offset ? regions_find(&t->regions, address - site->offset) : NULL;
    if (block && address - site->offset + site->size <= block->start + block->length) {
        add_part(t, block->number, site, address - site->offset - block->start);
        place(t, symbols, block, site, address - block->start);
    }
}

/* Whether an object of the part holds the bytes. */
static bool holds(const struct typed_part *part, const struct site_type *type, uint64_t offset, uint64_t length,
                  struct typed_object *object)
{
    uint64_t first = part->several ? part->offset % type->size : part->offset, inside;

    if (offset < first || (!part->several && offset - first >= type->size))
        return false;
    inside = (offset - first) % type->size;
    *object = (struct typed_object){.type = type,
                                    .offset = offset - inside,
                                    .index = (offset - first) / type->size,
                                    .several = part->several,
                                    .scattered = part->scattered};
    return inside + length <= type->size;
}

bool typed_blocks_find(const struct typed_blocks *t, const struct symbols *symbols, uint32_t number,
                       uint64_t offset, uint64_t length, struct typed_object *object)
{
    struct typed_object one;
    bool found = false;

    for (uint32_t index = map_get(&t->first, number); index; index = t->parts[index - 1].next) {
        const struct typed_part *part = &t->parts[index - 1];
        if (!holds(part, symbols_site_type(symbols, part->type), offset, length ? length : 1, &one) ||
            (found && !is_better(one.type, object->type)))
            continue;
        *object = one;
        found = true;
    }
    return found;
}

bool typed_blocks_placed(const struct typed_blocks *t, const struct symbols *symbols, uint32_t number,
                         uint64_t offset, uint64_t length, struct typed_object *object)
{
    uint32_t kind = offset > UINT32_MAX ? 0 : map_get(&t->placed, map_pair(number, (uint32_t)offset));
    const struct site *site = kind ? &t->kinds[kind - 1] : NULL;

    if (!site || site->offset + length > site->size)
        return false;
    *object =
        (struct typed_object){.type = symbols_site_type(symbols, site->type), .offset = offset - site->offset};
    return true;
}
