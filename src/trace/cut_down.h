/* Makes traces smaller: leaves events out, large steps first, as long as that will do. */
#pragma once
#include "trace/trace.h"

/* Appends an event of another trace, giving its names ids here; without its grounds. */
void trace_append_from(struct trace *to, const struct trace *from, struct event event);

/* Puts the trace without the events marked (by number) in its place, if that will do; says whether it did. */
typedef bool trace_cutter(const bool *dropped, void *context);

/* Proposes threads, variables, locks, runs of neighbours and pairs of events, each until it is refused. `t` is what
 * `cut` changes. Returns whether any were left out: then the next round may find more. */
bool trace_cut_down(const struct trace *t, trace_cutter *cut, void *context);
