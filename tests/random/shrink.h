/* Makes a failing trace small: drops and simplifies events while the trace stays valid and keeps failing. */
#pragma once
#include "trace/trace.h"

/* `fails` must hold for the trace; in the end it holds for what is left, and no single step makes that smaller.
 * Every trace given to `fails` is valid (semantics §7), and where it has values, each read has that of its write. */
void shrink_trace(struct trace *t, bool (*fails)(const struct trace *t, void *context), void *context);
