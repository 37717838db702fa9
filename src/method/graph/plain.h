/* The graph method of FMCAD'12, the definition as code: a fresh graph for every witness.
 *
 * Slow, and the oracle for the incremental one. */
#pragma once
#include "method/graph/witness.h"

struct plain;

/* Works on the whole trace or, with a cut (events a thread), on a run that stops early: there, sections whose
 * release is missing stay open and the last read of each thread is bound to no source. `budget`: choice graphs
 * looked at for one witness. */
struct plain *plain_new(const struct model *m, const uint32_t *cut, uint64_t budget);
void plain_free(struct plain *p);

struct witness_outcome plain_decide(struct plain *p, const struct witness *w);
