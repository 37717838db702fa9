/* Candidates as queries: what has to be asked of the solver for the events of a possible finding (semantics
 * §3).
 *
 * Does not check whether the events fit the property: whoever lists candidates has done that; candidate_check
 * does it for events that come from outside. */
#pragma once
#include "base/error.h"
#include "solve/solver.h"

/* Fills the query; the events are those of struct finding for the property, without the observed ones:
 * read and alternative; alternative; both accesses; the acquires; first, remote and second; of blocks, a cycle
 * of two transactions. */
void candidate_fill(const struct model *m, struct query *q, enum property property, const uint32_t *events,
                    uint32_t count);

/* Whether a candidate may be feasible in another way than that filled above; fills the query with it. */
bool candidate_has_other_way(const struct model *m, enum property property, const uint32_t *events);
void candidate_fill_other_way(const struct model *m, struct query *q, const uint32_t *events);

/* Whether events typed by a person make a candidate of the property. */
enum status candidate_check(const struct model *m, enum property property, const uint32_t *events,
                            uint32_t count, struct error *err);
