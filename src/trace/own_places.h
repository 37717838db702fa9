/* Which line of the program's own code an event belongs to, where it happened inside a library's: a header of C++,
 * a class of the JDK. */
#pragma once
#include <stdbool.h>

struct trace;

/* Whether it is a line of the program's own code. */
bool place_is_own(const char *place);

/* Fills `own_places` of a trace that has call stacks and events in a library's code; nothing to do for others. */
void trace_find_own_places(struct trace *trace);
