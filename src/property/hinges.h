/* What a refutation hinges on: reads that must be as observed, without which the candidate would be feasible.
 *
 * Nothing is guessed: the checker accepts a run that shows the candidate in the trace in which nothing stands on these reads, and as
 * far as the budget goes the solver refutes it where something stands on one of them. */
#pragma once
#include "property/check.h"

enum { HINGES_MOST = 16 }; /* where more reads stand in the way, none is told of */

struct hinge {
    event_id read;
    event_id by; /* an event that stands on it; EVENT_NONE: the end of its thread does */
};

struct hinges {
    struct hinge *list; /* by read */
    size_t list_count, list_capacity;
};

/* Finds them for a claim that is infeasible; there may be none. */
void hinges_find(struct hinges *h, const struct model *m, const struct finding *claim,
                 const struct check_options *options, const stop_flag *stop);
