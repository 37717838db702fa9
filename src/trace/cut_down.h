/* Makes traces smaller: removes events, large groups first, as long as the caller accepts the result. */
#pragma once
#include "trace/trace.h"

/* Appends an event of another trace, giving its names ids here; without its grounds. */
void trace_append_from(struct trace *to, const struct trace *from, struct event event);

/* Removes the marked events (by number) from the trace if the result is acceptable; returns whether it did. */
typedef bool trace_cutter(const bool *dropped, void *context);

/* Proposes threads, variables, locks, runs of neighbours and pairs of events for removal. `cut` changes `t`.
 * Returns whether any were removed: then the next round may find more. */
bool trace_cut_down(const struct trace *t, trace_cutter *cut, void *context);
