/* Sets of events that recorders mark, beside what the events say themselves: reads whose value reaches the output, printed as it is or as
 * part of what is printed; writes that free the variable's memory. */
#pragma once
#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;

struct event_set {
    uint32_t *events; /* numbers; ascending, each once, when the trace is loaded */
    size_t events_count, events_capacity;
};

void event_set_add(struct event_set *set, uint32_t event);
void event_set_sort(struct event_set *set);
void event_set_free(struct event_set *set);

/* Sorts the marked events of the trace and drops what is no read, and no plain write. */
void trace_settle_marks(struct trace *trace);

/* Whether the value that the event read is printed. */
bool trace_is_printed(const struct trace *trace, uint32_t event);

/* Whether the event is a write that frees the memory. */
bool trace_is_freeing(const struct trace *trace, uint32_t event);
