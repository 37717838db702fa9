/* Rows of numbers, compared and joined whole vectors at a time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* to = the larger of both, number by number; true if that changed it. The rows do not overlap. */
bool row_raise(uint32_t *to, const uint32_t *from, uint32_t count);

/* to = the larger of a and b, number by number. */
void row_larger(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t count);
