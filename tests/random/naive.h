/* The same sets a second time, from semantics §3 word by word: every feasible run is made and looked at by itself.
 *
 * For traces of up to about nine events. It checks the oracle's exploration; it takes what a trace means, and
 * whether a sequence is a feasible run, from the oracle. */
#pragma once
#include "random/oracle.h"

/* Fills all sets but ORACLE_UNORDERED, which is not about runs. */
void naive_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets);
