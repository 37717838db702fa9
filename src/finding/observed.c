/* How the recorded run ended, as a finding. */
#include "finding/observed.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The last event of each thread that waited. */
static uint32_t last_events(const struct trace *trace, uint32_t *events)
{
    size_t threads = trace_names(trace, NAME_THREAD);
    bool *waits = memory_new(threads, sizeof *waits);
    uint32_t count = 0;

    for (size_t i = 0; i < trace->end.waiters_count; i++) {
        const char *name = trace->end.waiters[i].thread;
        thread_id thread = names_find(&trace->names[NAME_THREAD], name, strlen(name));
        if (thread != NAME_NONE)
            waits[thread] = true;
    }
    for (uint32_t e = (uint32_t)trace->count; e > 0 && count < trace->end.waiters_count; e--) {
        if (!waits[trace->thread[e]])
            continue;
        waits[trace->thread[e]] = false;
        events[count++] = e;
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t event = events[i];
        events[i] = events[count - 1 - i];
        events[count - 1 - i] = event;
    }
    free(waits);
    return count;
}

void observed_check(const struct trace *trace, struct results *results)
{
    uint32_t *events, count;

    if (trace->end.outcome == RUN_UNKNOWN)
        return;
    results->stats[PROPERTY_OBSERVED].checked = true;
    if (!trace_end_failed(&trace->end))
        return;
    events = memory_new(trace->end.waiters_count + 1, sizeof *events);
    count = last_events(trace, events);
    if (count == 0 && trace->count > 0)
        events[count++] = (uint32_t)trace->count;
    finding_add(&results->found, PROPERTY_OBSERVED, events, count, (struct schedule){0});
    results->stats[PROPERTY_OBSERVED].subjects = results->stats[PROPERTY_OBSERVED].candidates = 1;
    results->stats[PROPERTY_OBSERVED].feasible = 1;
    free(events);
}

const char *trace_incomplete(const struct trace *trace, size_t index)
{
    const struct trace_end *end = &trace->end;

    if (trace->note && index-- == 0)
        return trace->note;
    if (end->outcome == RUN_DEADLOCK && index-- == 0)
        return "the recorded run stopped in a deadlock";
    if (end->outcome == RUN_HANG && index-- == 0)
        return "the recorded run stopped with every thread waiting";
    if (index < end->incomplete_count)
        return end->incomplete[index];
    return trace->count == 0 && index == end->incomplete_count ? "the trace has no events" : NULL;
}
