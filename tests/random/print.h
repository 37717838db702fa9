/* A trace as text on a stream, for messages of tests. */
#pragma once
#include "trace/trace.h"

#include <stdio.h>

/* The trace in the text format; names are printed as they are. */
void trace_print_std(FILE *out, const struct trace *trace);
