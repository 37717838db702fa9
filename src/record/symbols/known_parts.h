/* Parts of types that were asked for before, in words: blocks of one type have the same parts, and there may be millions of
 * these. */
#pragma once
#include "base/map.h"
#include "base/names.h"
#include "record/symbols/types.h"

struct known_parts {
    struct known_part *list;
    size_t list_count, list_capacity;
    struct map at; /* hash → index + 1 */
    struct names texts;
};

void known_parts_init(struct known_parts *parts);
void known_parts_free(struct known_parts *parts);

/* As type_inside. `dot` is a text that lasts. */
void known_inside(struct known_parts *parts, Dwarf_Die *type, const char *dot, uint64_t offset, uint64_t length,
                  char *to, size_t room, struct spelling *spelling);

/* The same through a pointer to one object of the type or several in a row, of so many bytes each. */
void known_pointed(struct known_parts *parts, Dwarf_Die *type, uint64_t size, bool several, uint64_t offset,
                   uint64_t length, char *to, size_t room, struct spelling *spelling);
