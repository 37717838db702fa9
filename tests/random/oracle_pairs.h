/* The sets that depend on the order of two events of a run: an exploration for each pair. Private to the
 * oracle. */
#pragma once
#include "random/oracle_runs.h"

/* What the exploration of all runs saw, whatever the order: which other events were done when an access was
 * ready, and which write was then the last. Explorations that cannot find anything are left out by it. */
struct pair_hints {
    event_set done[EVENT_SLOTS], last[EVENT_SLOTS]; /* by access */
};

/* The access is ready in this state. */
void pair_hint(struct pair_hints *hints, const struct search *search, const struct run_state *s, size_t access);

void pairs_atomicity(const struct meaning *m, const struct pair_hints *hints, struct tuple_set *triples);
void pairs_stale(const struct meaning *m, const struct pair_hints *hints, struct tuple_set *triples);
