/* A trace as text on a stream, for messages of tests; and copies of traces, event by event. */
#pragma once
#include "trace/trace.h"

#include <stdio.h>

/* The trace in the text format; names are printed as they are. */
void trace_print_std(FILE *out, const struct trace *trace);

/* Appends an event of another trace, giving its names ids here; without its grounds. */
void trace_append_from(struct trace *to, const struct trace *from, struct event event);
