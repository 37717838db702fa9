/* Whether a run that was made again gave the same trace. */
#pragma once
#include "trace/trace.h"

/* How many events from the first on happened again: threads, kinds, objects and places. `at`, with room for all events
 * of `was`, gets the event of `is` by that of `was`; between them are only the posts for threads of a timer that made
 * more of them now. */
uint32_t events_again(const struct trace *was, const struct trace *is, uint32_t *at);

/* Whether `is` has the events of `was`: values included, in the same order. Grounds are not compared. Of a trace that
 * holds part of its run only what it holds is compared. If not, `why` gets the first event that differs, in words. */
bool same_trace(const struct trace *was, const struct trace *is, char *why, size_t room);
