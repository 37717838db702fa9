/* How far threads can come at most in runs of a query. */
#pragma once
#include "solve/solver.h"

/* Whether some thread cannot come as far as `least` says in any run that keeps to the query's limits. The first `start` events
 * of the trace, as observed, keep to them. */
bool climb_refutes(const struct model *m, const struct query *q, const uint32_t *least, event_id start);
