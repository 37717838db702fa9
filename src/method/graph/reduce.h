/* Smaller traces made of the events of a larger one. */
#pragma once
#include "trace/trace.h"

/* A copy of all events, without values; the copy is initialised here. */
void trace_copy_events(struct trace *to, const struct trace *from);
