/* Global variables and their parts, from DWARF. */
#pragma once
#include "record/symbols/types.h"

#include <elfutils/libdwfl.h>

struct globals;

struct globals *globals_new(void);
void globals_free(struct globals *globals);

/* Names `length` bytes (0: a whole object) at `address` as a part of a variable of the module; false when no
 * variable is there. */
bool globals_name(struct globals *globals, Dwfl_Module *module, uint64_t address, uint64_t length, char *to,
                  size_t room, struct spelling *spelling);

/* What the pointer at the address points to, by its type; false when no variable has one there. */
bool globals_pointer(struct globals *globals, Dwfl_Module *module, uint64_t address, Dwarf_Die *pointed);

/* Whether the type of what is at `address` is known, and then whether it is an atomic one. */
bool globals_type(struct globals *globals, Dwfl_Module *module, uint64_t address, uint64_t length,
                  bool *atomic);
