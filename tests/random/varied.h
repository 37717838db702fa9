/* Random programs of a few thousand events, of very different shapes: how many threads, how they are forked, how many locks
 * and how deep they nest, how many variables and how hot they are. */
#pragma once
#include <stdint.h>
#include <stdio.h>

/* Writes the trace of a random program as text. The same seed gives the same trace on every machine. */
void varied_trace(FILE *out, uint64_t seed);

/* Says what the program of a seed is like, in one line. */
void varied_describe(FILE *out, uint64_t seed);
