/* The model of the paper as one process, and its refinement check without any reduction of the search: the
 * definition as code, for small traces. */
#pragma once
#include "method/csp/csp_processes.h"

/* Whether (PROGRAM ‖ PATTERN(t1, t2, v)) \ (Σ − {race}) refines STOP in the traces model. With `reduced`,
 * PROGRAM has the accesses to v alone, and of a thread between two synchronizations only those that can race
 * with most; without, every access of the trace. */
enum csp_verdict csp_plain_check(struct csp_processes *pr, struct csp_pattern pattern, bool reduced,
                                 uint64_t budget);

/* Whether the reduction keeps the access: no other one of its thread, variable and segment stands for it. */
bool csp_keeps(const struct csp_plan *p, event_id access);
