/* Names of parts of heap blocks by what the blocks are made of: "Account::balance_", "Task[2].state". */
#pragma once
#include "record/symbols/naming.h"

/* The object of a known type that holds the bytes. */
struct block_object {
    Dwarf_Die type;
    uint64_t offset; /* of the object in the block */
    uint64_t index;  /* among several in a row */
    bool several;
    bool alone;       /* it is in no row: a chunk of the program's own allocator */
    bool library;     /* the type is one of the system's headers, or a plain one */
    const char *node; /* what of a library it is stored in; NULL: nothing */
};

/* The object that holds `length` bytes (0: a whole object) of the block; false when its type is not known. */
bool block_object_at(struct naming *naming, struct region *block, uint64_t offset, uint64_t length,
                     struct block_object *object);

bool block_is_typed(struct naming *naming, struct region *block, uint64_t offset, uint64_t length);

/* The name of the bytes by that; false when there is none. */
bool block_part(struct naming *naming, struct region *block, const struct touched *what, char *to, size_t room,
                struct spelling *spelling);
