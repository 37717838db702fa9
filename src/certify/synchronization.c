/* Schedules of synchronization events: conditions 1–3 of semantics §2. */
#include "certify/certify_parts.h"

/* Lets the thread of `e` come as far as it, past nothing that synchronizes. */
static bool come_to(struct certifier *c, uint32_t e)
{
    const struct certify_index *index = c->index;
    thread_id t = index->trace->thread[e];
    uint32_t first = 0, fork = index->forked_by[t];

    for (uint32_t at = e; at && !in_run(c, at); at = index->before[at]) {
        if (kind_synchronizes(trace_kind(index->trace, at)))
            return reject(c, "event %u, which synchronizes, is left out", at);
        first = at;
    }
    if (!first)
        return true;
    if (!index->before[first] && fork && !in_run(c, fork))
        return reject(c, "event %u runs before event %u, which forks its thread", first, fork);
    thread_at(c, t)->last = e;
    return true;
}

/* A thread that is joined may end with accesses. */
static bool end_joined(struct certifier *c, uint32_t join)
{
    const struct certify_index *index = c->index;
    uint32_t list = index->detail[join];

    for (uint32_t i = index->lists[list]; i < index->lists[list + 1]; i++)
        if (!kind_synchronizes(trace_kind(index->trace, index->required[i])) && !come_to(c, index->required[i]))
            return false;
    return true;
}

static bool synchronize(struct certifier *c, uint32_t e)
{
    const struct certify_index *index = c->index;

    if (e == 0 || e > index->count)
        return reject(c, "event %u does not exist: the trace has events 1 to %u", e, index->count);
    if (!kind_synchronizes(trace_kind(index->trace, e)))
        return reject(c, "event %u does not synchronize", e);
    if (index->before[e] && !come_to(c, index->before[e]))
        return false;
    if (trace_kind(index->trace, e) == EVENT_JOIN && !end_joined(c, e))
        return false;
    return run_step(c, e);
}

bool run_synchronization(struct certifier *c, const struct schedule *schedule, uint32_t a, uint32_t b)
{
    const struct certify_index *index = c->index;

    if (!run_begin(c, schedule->prefix))
        return false;
    for (uint32_t i = 0; i < schedule->tail_count; i++)
        if (!synchronize(c, schedule->tail[i]))
            return false;
    return (!index->before[a] || come_to(c, index->before[a])) &&
           (!index->before[b] || come_to(c, index->before[b]));
}
