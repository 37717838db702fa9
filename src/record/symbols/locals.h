/* Local variables, from DWARF: those that live in memory at a fixed place of their function's frame. */
#pragma once
#include "record/symbols/outlined.h"
#include "record/symbols/scopes.h"
#include "record/symbols/types.h"

#include <elfutils/libdwfl.h>

/* A call that was under way: where it will go on, and the part of the stack that is its own. */
struct scope_frame {
    uint64_t pc;
    uint64_t low, high; /* stack pointer at the call it made; at the call of it */
};

/* "main: counter" for `length` bytes at the address in the frame; false when no variable is known to be there.
 */
bool locals_name(struct scopes *scopes, struct outlined *outlined, Dwarf_Die *unit, Dwarf_Addr bias,
                 const struct scope_frame *frame, uint64_t address, uint64_t length, char *to, size_t room,
                 struct spelling *spelling);
