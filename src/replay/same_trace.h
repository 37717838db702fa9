/* Whether a run that was made again gave the same trace. */
#pragma once
#include "trace/trace.h"

/* How many events from the first on are the same in both: threads, kinds, objects, places, and values if asked
 * for and recorded in both. */
uint32_t same_events(const struct trace *was, const struct trace *is, bool values);

/* Whether `is` has the events of `was`: values included, in the same order. Grounds are not compared. Of a trace that holds part of its run only what it
 * holds is compared. If not, `why` gets the first event that differs, in words. */
bool same_trace(const struct trace *was, const struct trace *is, char *why, size_t room);
