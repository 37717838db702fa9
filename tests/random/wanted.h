/* What the environment asks of a random test. */
#pragma once
#include <stdint.h>

/* The seed to begin with: HEDDLE_SEED, else 1. */
uint64_t wanted_seed(void);

/* How many traces to try: HEDDLE_TRACES, else `many` in a long test, else `usual`, of which a
 * sanitized build tries a fifth. */
uint64_t wanted_traces(uint64_t usual, uint64_t many);
