/* What a stuck run must show (semantics §3): no thread can continue, and at least one waits. */
#include "certify/certify_parts.h"

/* Whether a thread may wait at the event for as long as it takes: for a lock, a token, a notify, others at a
 * barrier, the end of a thread. At other events that cannot happen now it does something that was not
 * observed. */
static bool waits_at(struct certifier *c, uint32_t e)
{
    const struct certify_index *index = c->index;
    const struct trace *trace = index->trace;
    uint32_t seminit;

    switch (trace_kind(trace, e)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        return op_order(trace->op[e]) != ORDER_TRY;
    case EVENT_SEM_WAIT:
        seminit = index->seminit[trace->arg[e]];
        return !seminit || seminit > e || in_run(c, seminit);
    case EVENT_WAIT_POST:
    case EVENT_BARRIER_EXIT:
    case EVENT_JOIN:
        return true;
    default:
        return false;
    }
}

/* Whether the thread has not begun, or is over. */
static bool is_away(struct certifier *c, thread_id t)
{
    const struct certify_index *index = c->index;
    uint32_t start = index->thread_start[t], end = index->thread_start[t + 1], fork = index->forked_by[t];
    bool exits = end > start && trace_kind(index->trace, index->thread_events[end - 1]) == EVENT_EXIT;

    if (fork && !in_run(c, fork))
        return true;
    if (end == start) /* it left no event: only a join says that it ended */
        return !fork || index->joined[t];
    return next_of(c, t) == 0 && (exits || index->joined[t]) && end_holds(c, t);
}

/* Whether the acquire waits for a lock that another thread holds exclusively, and whose. */
static bool waits_for_lock(struct certifier *c, uint32_t e, thread_id *holder)
{
    if (!op_waits_for_lock(c->index->trace->op[e]))
        return false;
    *holder = holder_of(c, e);
    return *holder != NOBODY && *holder != c->index->trace->thread[e];
}

/* Whether following who holds the lock leads from the waiting event back to it: a deadlock. */
static bool in_deadlock(struct certifier *c, const struct finding *f, uint32_t e)
{
    thread_id holder;
    uint32_t at = e;

    for (uint32_t steps = 0; steps < f->event_count; steps++) {
        if (!waits_for_lock(c, at, &holder))
            return false;
        at = next_of(c, holder);
        if (at == 0 || !grounds_hold(c, at))
            return false;
        if (at == e)
            return true;
    }
    return false;
}

static bool waits_for_ever(struct certifier *c, uint32_t e)
{
    struct error *why = c->why;
    bool happens;

    if (!is_next(c, e))
        return false;
    if (!waits_at(c, e))
        return reject(c, "event %u is not one that a thread can wait at", e);
    c->why = NULL;
    happens = can_happen(c, e);
    c->why = why;
    return !happens || reject(c, "event %u does not wait: it can happen now", e);
}

static bool is_named(const struct finding *f, uint32_t e)
{
    for (uint32_t i = 0; i < f->event_count; i++)
        if (f->events[i] == e)
            return true;
    return false;
}

bool shows_stuck(struct certifier *c, const struct finding *f)
{
    const struct certify_index *index = c->index;

    if (f->event_count == 0 || f->event_count > index->thread_count)
        return reject(c, "a stuck run has one waiting event or more, at most one a thread, not %u",
                      f->event_count);
    for (uint32_t i = 0; i < f->event_count; i++) {
        uint32_t e = f->events[i];
        if (e < 1 || e > index->count)
            return reject(c, "event %u does not exist: the trace has events 1 to %u", e, index->count);
        if (i > 0 && f->events[i - 1] >= e)
            return reject(c, "events %u and %u are not in ascending order", f->events[i - 1], e);
        if (!waits_for_ever(c, e))
            return false;
    }
    for (thread_id t = 0; t < index->thread_count; t++) {
        uint32_t next = next_of(c, t);
        if (!(next && is_named(f, next)) && !is_away(c, t))
            return reject(c, "%.80s neither waits at one of the events nor is over",
                          trace_name(index->trace, NAME_THREAD, t));
    }
    for (uint32_t i = 0; i < f->event_count; i++)
        if (in_deadlock(c, f, f->events[i]))
            return reject(c, "event %u is part of a deadlock", f->events[i]);
    return true;
}
