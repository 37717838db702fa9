/* What heap blocks are made of, by how the program accesses them: an access through a pointer to a structure says which type is
 * there, and where.
 *
 * Collected in the first walk, asked in the second; blocks are known by their numbers, as in pointers.h. */
#pragma once
#include "base/map.h"
#include "record/convert/regions.h"
#include "record/symbols/symbols.h"
#include "runtime/protocol/session.h"

enum {
    TYPED_RECENT = 4096,
    TYPED_MOST = 8,         /* types in a block */
    TYPED_PLACED = 1 << 20, /* accesses that are kept by their places */
};

struct typed_part {
    uint32_t type;   /* sites.h */
    uint32_t next;   /* the block's next part, plus one */
    uint64_t offset; /* of the first object of the type that was seen */
    bool several;    /* there are others, in a row with it */
    bool scattered;  /* there are others, not in a row with it */
};

struct typed_blocks {
    struct regions regions; /* first walk: the blocks so far */
    struct typed_part *parts;
    size_t parts_count, parts_capacity;
    struct map first; /* number of a block → its first part, plus one */
    struct map mixed; /* number of a block → whether it holds objects of several types, or not in a row */
    struct site *kinds;
    size_t kinds_count, kinds_capacity;
    struct map kind_of; /* type and offset of a site → its place among the kinds, plus one */
    struct map
        placed; /* of a mixed block: its number and the offset of an access → the kind of site, plus one */
    size_t placed_count;
    struct typed_site {
        uint64_t pc;
        struct site site; /* type 0: nothing is said of it */
    } * sites;            /* recent ones, by pc */
    struct typed_seen {
        uint64_t pc, address;
        uint32_t blocks;
    } * seen; /* recent accesses that are noted, and how many blocks there were */
};

void typed_blocks_init(struct typed_blocks *typed);
void typed_blocks_free(struct typed_blocks *typed);

/* First walk: a block is handed out, the `number`-th; one grew where it is. */
void typed_blocks_add(struct typed_blocks *typed, uint64_t start, uint64_t length, uint32_t number);
void typed_blocks_grow(struct typed_blocks *typed, uint64_t start, uint64_t length);

/* First walk: an access; `blocks` is how many blocks there are. */
void typed_blocks_note(struct typed_blocks *typed, struct symbols *symbols, uint64_t pc, uint64_t address,
                       uint32_t blocks);

/* The object in the block that holds `length` bytes (0: a whole object) at `offset`. Of several the largest one, those of the
 * program's own types first. */
struct typed_object {
    const struct site_type *type;
    uint64_t offset; /* of the object in the block */
    uint64_t index;  /* among those in a row */
    bool several, scattered;
};
bool typed_blocks_find(const struct typed_blocks *typed, const struct symbols *symbols, uint32_t number,
                       uint64_t offset, uint64_t length, struct typed_object *object);

/* The same by the access itself, where a block holds objects of several types or not in a row, as those of allocators of the
 * program's own do. */
bool typed_blocks_placed(const struct typed_blocks *typed, const struct symbols *symbols, uint32_t number,
                         uint64_t offset, uint64_t length, struct typed_object *object);
