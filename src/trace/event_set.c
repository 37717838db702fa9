/* Sorted lists of event numbers. */
#include "trace/event_set.h"
#include "base/memory.h"
#include "trace/trace.h"

#include <stdlib.h>

void event_set_add(struct event_set *set, uint32_t event)
{
    if (set->events_count == 0 || set->events[set->events_count - 1] != event)
        ARRAY_PUSH(set, events, event);
}

static int compare_numbers(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;

    return a < b ? -1 : a > b;
}

void event_set_sort(struct event_set *set)
{
    size_t kept = 0;

    if (set->events_count > 1)
        qsort(set->events, set->events_count, sizeof *set->events, compare_numbers);
    for (size_t i = 0; i < set->events_count; i++)
        if (kept == 0 || set->events[kept - 1] != set->events[i])
            set->events[kept++] = set->events[i];
    set->events_count = kept;
}

void event_set_free(struct event_set *set)
{
    free(set->events);
    *set = (struct event_set){0};
}

static bool is_read(enum event_kind kind)
{
    return kind_reads(kind);
}

static bool is_plain_write(enum event_kind kind)
{
    return kind == EVENT_WRITE;
}

static void settle(struct event_set *set, const struct trace *trace, bool (*fits)(enum event_kind kind))
{
    size_t kept = 0;

    event_set_sort(set);
    for (size_t i = 0; i < set->events_count; i++) {
        uint32_t event = set->events[i];
        if (event != EVENT_INIT && event <= trace->count && fits(trace_kind(trace, event)))
            set->events[kept++] = event;
    }
    set->events_count = kept;
}

void trace_settle_marks(struct trace *trace)
{
    settle(&trace->printed, trace, is_read);
    settle(&trace->freeing, trace, is_plain_write);
}

static bool has(const struct event_set *set, uint32_t event)
{
    return set->events_count > 0 &&
           bsearch(&event, set->events, set->events_count, sizeof *set->events, compare_numbers);
}

bool trace_is_printed(const struct trace *trace, uint32_t event)
{
    return has(&trace->printed, event);
}

bool trace_is_freeing(const struct trace *trace, uint32_t event)
{
    return has(&trace->freeing, event);
}
