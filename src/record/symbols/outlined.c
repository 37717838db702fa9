/* Finds the function that a parallel region was written in: gcc names "work._omp_fn.0" what it makes of one in "work", in C++
 * by the mangled name. */
#include "record/symbols/outlined.h"
#include "base/memory.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

struct origin_search {
    const char *name; /* not terminated */
    size_t length;
    Dwarf_Die found;
    bool any;
};

static bool is_called(Dwarf_Die *function, const struct origin_search *search)
{
    Dwarf_Attribute attribute;
    const char *name = dwarf_formstring(dwarf_attr_integrate(function, DW_AT_linkage_name, &attribute));

    if (!name)
        name = dwarf_diename(function);
    return name && strncmp(name, search->name, search->length) == 0 && name[search->length] == '\0';
}

static int look_at(Dwarf_Die *function, void *to)
{
    struct origin_search *search = to;

    if (!is_called(function, search))
        return DWARF_CB_OK;
    search->found = *function;
    search->any = true;
    return DWARF_CB_ABORT;
}

void outlined_free(struct outlined *o)
{
    free(o->known);
    *o = (struct outlined){0};
}

bool outlined_origin(struct outlined *o, Dwarf_Die *unit, const char *name, Dwarf_Die *origin)
{
    const char *mark = strstr(name, "._omp_fn.");
    struct origin_search search = {.name = name};

    if (!mark)
        return false;
    for (size_t i = 0; i < o->known_count; i++)
        if (o->known[i].unit == unit->addr && o->known[i].name == name) {
            *origin = o->known[i].origin;
            return o->known[i].any;
        }
    search.length = (size_t)(mark - name);
    dwarf_getfuncs(unit, look_at, &search, 0);
    ARRAY_PUSH(o, known, (struct outlined_known){unit->addr, name, search.found, search.any});
    *origin = search.found;
    return search.any;
}

Dwarf_Die outlined_from(struct outlined *o, Dwarf_Die *function)
{
    const char *name = dwarf_diename(function);
    Dwarf_Die unit, origin;

    return name && dwarf_diecu(function, &unit, NULL, NULL) && outlined_origin(o, &unit, name, &origin)
               ? origin
               : *function;
}
