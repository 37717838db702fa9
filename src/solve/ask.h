/* Ways of asking for a run of the solver's query; private to this room. */
#pragma once
#include "solve/search.h"

/* The choices tried in the first window. */
enum { QUICK_BUDGET = 2 };

static inline struct verdict ask_refuted(enum refutation why)
{
    return (struct verdict){.answer = ANSWER_INFEASIBLE, .why = why};
}

/* Stores the verdict of the query and counts how many queries in a row were refuted. Returns true. */
bool ask_settle(struct solver *s, struct verdict *v, struct verdict settled);

/* The largest prefix that stops no later than the query's threads do. */
event_id ask_start(const struct solver *s, event_id start);

/* How many events of the cone come after the first `start`. */
event_id ask_inside(const struct solver *s, event_id start);

/* What was found, up to the event the run ends with: the start of a feasible run is one, too. The same in the window. */
struct verdict ask_found(const struct solver *s, event_id start, struct event_span run);
struct verdict ask_found_in_window(const struct solver *s, event_id start);

/* Whether there is a run that takes the first `start` events as observed. */
enum answer ask_prefix(struct solver *s, event_id start, uint64_t choices);

/* Tries for a run in the smallest window, where most are found, behind the first `start` events; then windows of growing size, each
 * for a plain contradiction and for a run, the larger ones also for a contradiction that takes choices to see. One window, large
 * enough for most and small enough for many choices, gets more of them. True when that settles the query.
 *
 * After queries that were refuted the first contradiction is looked for first; what is found is the same. */
bool ask_windows(struct solver *s, event_id start, struct verdict *v);

/* The same where what reads see and who wakes whom is in doubt. Who comes here has no run of the observed order, so most have none. */
bool ask_relaxed(struct solver *s, event_id start, struct verdict *v);

/* In the order of the trace; if that was in vain in other ways; or both. */
enum strides { STRIDES_ONCE, STRIDES_AGAIN, STRIDES_ALL };

/* Looks at how far threads can come, and for a run in strides. True when that settles the query. */
bool ask_in_strides(struct solver *s, enum strides how, struct verdict *v);
