/* What the recorded run itself shows: how it ended, if that was not well (semantics §3, observed). */
#pragma once
#include "finding/results.h"
#include "trace/trace.h"

/* Adds the finding, at most one, and says that the property was checked if the trace tells how the run ended.
 * Its events are the last ones of the threads that waited, ascending; where none is known to have waited, the
 * last event of the trace. */
void observed_check(const struct trace *trace, struct results *results);

/* Why results from this trace are not the whole story, one reason at a time, from 0; NULL after the last. */
const char *trace_incomplete(const struct trace *trace, size_t index);
