/* Rows of numbers, compared and joined whole vectors at a time. */
#pragma once
#include <stdbool.h>
#include <stdint.h>

/* to = the larger of both, number by number; true if that changed it. The rows do not overlap. */
bool row_raise(uint32_t *to, const uint32_t *from, uint32_t count);

/* to = the larger of a and b, number by number. */
void row_larger(uint32_t *to, const uint32_t *a, const uint32_t *b, uint32_t count);

/* The first place from `start` on where a is larger than b; `count` if there is none. */
uint32_t row_first_larger(const uint32_t *a, const uint32_t *b, uint32_t start, uint32_t count);

/* to = the smaller of both, number by number; true if a number of it is larger than that of `known`. */
bool row_lower(uint32_t *to, const uint32_t *from, const uint32_t *known, uint32_t count);
