/* Decodes the machine code after a hook. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the instructions from `pc` on, before they call or jump anywhere, store so many bytes: at this
 * address, as far as the code tells. False where they are not understood. */
bool code_stores(uintptr_t pc, const void *at, size_t length);

/* Whether the instructions from the end of the hook of a write to that of the next hook, of a read, only compute addresses
 * and are hooks, called or in place (gcc/hooks_in_place.cc): nothing is stored before the read, so both are of one copy. False
 * where they are not understood. */
bool code_copies(uintptr_t write, uintptr_t read);
