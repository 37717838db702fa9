/* Parallel regions and tasks of OpenMP, which the compiler makes functions of. */
#pragma once
#include <elfutils/libdw.h>
#include <stdbool.h>

/* Whether `name` is one of such a function; then `*origin` is the function of the unit that the region was written in. */
bool outlined_origin(Dwarf_Die *unit, const char *name, Dwarf_Die *origin);

/* The same for a function that is described: any other one is returned as it is. */
Dwarf_Die outlined_from(Dwarf_Die *function);
