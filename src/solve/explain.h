/* Why a query has no run, in words. */
#pragma once
#include "base/buffer.h"
#include "solve/solver.h"

/* Says why the solver's query, answered infeasible just now, is so. Solves it once more, as a whole. */
void solver_explain(struct solver *s, struct buffer *to);

/* An event in words: its number and what it does. */
void explain_event(const struct model *m, event_id e, struct buffer *to);
