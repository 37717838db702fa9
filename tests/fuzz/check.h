/* What every input of a reader must satisfy. */
#pragma once
#include <stddef.h>
#include <stdint.h>

/* Loads the bytes. A refusal must have a message and leave an empty trace; what loads must have a model and
 * come back the same through both formats. Aborts where that fails. */
void check_input(const uint8_t *bytes, size_t length);
