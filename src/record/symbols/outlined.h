/* Parallel regions and tasks of OpenMP, which the compiler makes functions of. */
#pragma once
#include <elfutils/libdw.h>
#include <stdbool.h>

/* What was found so far: each search goes through a whole unit. Valid as long as the files that it was found in are open. */
struct outlined {
    struct outlined_known {
        const void *unit;
        const char *name; /* as a pointer: that of the debugging information or of the table of symbols */
        Dwarf_Die origin;
        bool any;
    } * known;
    size_t known_count, known_capacity;
};

void outlined_free(struct outlined *outlined);

/* Whether `name` is one of such a function; then `*origin` is the function of the unit that the region was written in. */
bool outlined_origin(struct outlined *outlined, Dwarf_Die *unit, const char *name, Dwarf_Die *origin);

/* The same for a function that is described: any other one is returned as it is. */
Dwarf_Die outlined_from(struct outlined *outlined, Dwarf_Die *function);
