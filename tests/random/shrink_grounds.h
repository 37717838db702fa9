/* Copies of traces that stay true to their grounds and values; private to the shrinker. */
#pragma once
#include "trace/trace.h"

/* Makes `to` of the events of `from` that are not marked as dropped (by event number). Grounds lose the items
 * that name a dropped read; reads get the value of the write they see now, sums follow what they are made of.
 */
void trace_without(struct trace *to, const struct trace *from, const bool *dropped);

/* Gives an event the grounds that the event of the same number has in another trace. */
void grounds_copy(struct trace *to, const struct trace *from, uint32_t event);

/* Makes the grounds of an event simpler in the way numbered so; false: there are no more ways. */
bool grounds_simplify(struct trace *trace, uint32_t event, unsigned way);
