/* How far threads can come at most in runs of a query. */
#pragma once
#include "solve/solver.h"

struct climb;

struct climb *climb_new(const struct model *m);
void climb_free(struct climb *c);

/* Whether some thread cannot come as far as `least` says in any run that keeps to the query's limits. The climb goes on from where an
 * earlier one came with the same limits or lower ones. */
bool climb_refutes(struct climb *c, const struct query *q, const uint32_t *least);
