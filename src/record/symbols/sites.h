/* What accesses are parts of: the section that the compiler's plugin leaves in a program (docs/recording.md). */
#pragma once
#include "record/symbols/types.h"

#include <elfutils/libdwfl.h>

/* An access to a part of an object, by its place in the code. */
struct site {
    uint64_t offset; /* of the part in the object */
    uint64_t size;   /* of the object */
    uint32_t type;   /* the same for the same type, from 1 */
};

/* A type that objects at sites have. */
struct site_type {
    Dwarf_Die die;
    uint64_t size;
    const char *name;
    bool library; /* it is declared in the system's headers */
};

struct sites;

struct sites *sites_new(void);
void sites_free(struct sites *sites);

/* The site of the access that returns to `pc`; `unit` is the one around it. NULL: nothing is said of it. Valid until the next
 * call. */
const struct site *sites_at(struct sites *sites, Dwfl_Module *module, Dwarf_Die *unit, uint64_t pc);

const struct site_type *sites_type(const struct sites *sites, uint32_t type);
