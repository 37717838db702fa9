/* Counts a trace's events and objects in one pass. */
#include "trace/counts.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TOUCHED = 1, BY_TWO = 2, WRITTEN = 4, SHARED = BY_TWO | WRITTEN };

static void count_variables(const struct trace *trace, struct trace_counts *counts)
{
    size_t variables = trace_names(trace, NAME_VARIABLE);
    uint8_t *state = memory_new(variables, sizeof *state);
    thread_id *toucher = memory_new(variables, sizeof *toucher);

    for (size_t e = 1; e <= trace->count; e++) {
        if (!kind_accesses(trace_kind(trace, e)))
            continue;
        variable_id x = trace->arg[e];
        if (!(state[x] & TOUCHED))
            toucher[x] = trace->thread[e];
        else if (toucher[x] != trace->thread[e])
            state[x] |= BY_TWO;
        state[x] |= kind_writes(trace_kind(trace, e)) ? TOUCHED | WRITTEN : TOUCHED;
    }
    for (size_t x = 0; x < variables; x++)
        counts->shared_variables += (state[x] & SHARED) == SHARED;
    assert(counts->shared_variables <= variables);
    counts->local_variables = variables - counts->shared_variables;
    free(state);
    free(toucher);
}

void trace_count(const struct trace *trace, struct trace_counts *counts)
{
    memset(counts, 0, sizeof *counts);
    counts->threads = trace_names(trace, NAME_THREAD);
    for (size_t e = 1; e <= trace->count; e++)
        counts->kinds[trace_kind(trace, e)]++;
    for (size_t e = 1; trace->grounds && e <= trace->count; e++)
        counts->grounded += trace->grounds[e] != GROUNDS_NONE;
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        if (kind_accesses(kind))
            counts->accesses += counts->kinds[kind];
        if (kind_argument(kind) == NAME_LOCK)
            counts->lock_events += counts->kinds[kind];
        if (kind_argument(kind) == NAME_CONDITION)
            counts->wait_notify_events += counts->kinds[kind];
    }
    count_variables(trace, counts);
}
