/* The graph method of FMCAD'12 with the "Optimization" of its §III.C: one graph with all couples and what they
 * induce; for a read its couple is taken away, for a witness its own edges are added and taken back.
 *
 * The same outcomes as plain.h, witness by witness. */
#pragma once
#include "method/graph/witness.h"

struct incremental;

struct incremental *incremental_new(const struct model *m, uint64_t budget);
void incremental_free(struct incremental *i);

/* Where the outcomes of one read's witnesses go: `count` of them, all alike, for challengers[first …]. */
typedef void outcome_sink(void *context, const struct witness *w, const struct witness_outcome *out);

/* Decides all witnesses of a read. The challengers are the writes to its variable that are neither the read nor
 * its source, in any order; EVENT_INIT may be one. */
void incremental_decide(struct incremental *i, event_id read, const event_id *challengers, size_t count,
                        outcome_sink *sink, void *context);
