/* Decodes the machine code after a hook. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether the instructions from `pc` on, before they call or jump anywhere, store so many bytes: at this
 * address, as far as the code tells. False where they are not understood. */
bool code_stores(uintptr_t pc, const void *at, size_t length);
