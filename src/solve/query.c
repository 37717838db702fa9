/* Queries: what a run must contain, where it stops, in which order. */
#include "solve/solver.h"

#include <assert.h>

void query_contain(const struct model *m, struct query *q, event_id e)
{
    thread_id t = thread_of(m, e);

    assert(e >= 1 && e <= m->event_count);
    if (q->least[t] <= m->position[e])
        q->least[t] = m->position[e] + 1;
}

void query_end_with(const struct model *m, struct query *q, event_id e)
{
    query_contain(m, q, e);
    q->most[thread_of(m, e)] = m->position[e] + 1;
    q->end = e;
}

void query_write(const struct model *m, struct query *q, event_id e)
{
    assert(kind_writes(kind_of(m, e)));
    if (kind_of(m, e) == EVENT_CAS)
        q->written = e;
}

void query_stop_before(const struct model *m, struct query *q, event_id e)
{
    thread_id t = thread_of(m, e);
    struct event_span required = is_thread_start(m, e) ? model_required(m, e) : (struct event_span){0};

    q->most[t] = m->position[e];
    q->keep[t] = true;
    if (q->least[t] < m->position[e])
        q->least[t] = m->position[e];
    for (size_t i = 0; i < required.count; i++)
        query_contain(m, q, required.events[i]);
}

void query_order(struct query *q, event_id before, event_id after)
{
    assert(q->order_count < QUERY_PAIRS);
    assert(before != after);
    q->order[q->order_count].before = before;
    q->order[q->order_count++].after = after;
}

void query_see(const struct model *m, struct query *q, event_id e, event_id from)
{
    assert(q->sight_count < QUERY_SIGHTS);
    assert(kind_accesses(kind_of(m, e)) && (from == EVENT_INIT || arg_of(m, from) == arg_of(m, e)));
    query_contain(m, q, e);
    if (from != EVENT_INIT)
        query_contain(m, q, from);
    q->sights[q->sight_count++] = (struct sight){e, from};
}

event_id outermost_start(const struct model *m, event_id e)
{
    uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]);

    if (h == HOLD_NONE)
        return e;
    while (m->holds[h].outer != HOLD_NONE)
        h = m->holds[h].outer;
    return m->sections[m->holds[h].section].acquire;
}
