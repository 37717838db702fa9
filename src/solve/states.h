/* Answers a query by going through the states of runs: where each thread stands, what variables hold, what reads saw
 * that still matters. Exact; meant for short traces, where the states can be counted. */
#pragma once
#include "base/stop.h"
#include "solve/solver.h"

struct states;

/* Whether the trace is short enough. */
bool states_fit(const struct model *m);

struct states *states_new(const struct model *m);
void states_free(struct states *s);

/* Whether there is a run that answers the query, which holds at least `least`. May cost `*work`, in vectors of clocks, and
 * takes off what it has cost; undecided when nothing is left. */
enum answer states_search(struct states *s, const struct query *q, const uint32_t *least, uint64_t *work,
                          const stop_flag *stop);

/* The run that was found. Valid until the next search. */
struct event_span states_run(const struct states *s);
