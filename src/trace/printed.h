/* Reads whose value reaches the output: printed as it is, or as part of what is printed. Recorders tell; reports say it. */
#pragma once
#include "trace/event.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct trace;

struct printed_reads {
    uint32_t *reads; /* event numbers; ascending, each once, when the trace is loaded */
    size_t reads_count, reads_capacity;
};

void printed_add(struct printed_reads *printed, uint32_t read);
void printed_sort(struct printed_reads *printed);
void printed_free(struct printed_reads *printed);

/* Sorts the reads of the trace and drops what is none of them. */
void trace_settle_printed(struct trace *trace);

/* Whether the value that the event read is printed. */
bool trace_is_printed(const struct trace *trace, uint32_t event);
