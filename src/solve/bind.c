/* Which reads of a window must see which write: those that the run demands, as far as that leaves no choice, and
 * what the solver has pinned. */
#include "base/memory.h"
#include "solve/window.h"

#include <string.h>

const struct pin *query_pin(const struct query *q, event_id e)
{
    return q->pin_count > 0 && q->pin_of[e] ? &q->pins[q->pin_of[e] - 1] : NULL;
}

static void couple_add(struct window *w, event_id source, event_id read, uint32_t reader)
{
    uint32_t from = source == EVENT_INIT ? NODE_BEFORE : window_node(w, source);

    if (from == NODE_OUT)
        w->missing = source;
    if (reader < NODE_OUT)
        w->demanded[reader] |= NODE_COUPLED;
    ARRAY_PUSH(w, couples, (struct couple){source, from, reader, read, 0, 0, false});
}

bool window_assumes(struct window *w, const struct query *q, event_id e)
{
    if (!q->assume || (q->free && q->free[e]))
        return false;
    ARRAY_PUSH(w, assumed, e);
    return true;
}

/* The write that a read which must be as observed sees, if there is no choice; EVENT_NONE if there is. */
static event_id certain_source(struct window *w, const struct query *q, event_id read)
{
    const struct pin *pin = query_pin(q, read);

    if (pin)
        return pin->from;
    if (q->observed || !is_soft(w->m, read) || window_assumes(w, q, read))
        return w->m->source[read];
    return EVENT_NONE;
}

static void demand_made(struct window *w, const struct query *q, const struct couple *c);

/* The read must be as observed. */
static void demand(struct window *w, const struct query *q, event_id read)
{
    uint32_t node = window_node(w, read);
    event_id source;

    if (node >= NODE_OUT || w->demanded[node] & NODE_DEMANDED)
        return;
    bool coupled = w->demanded[node] & NODE_COUPLED; /* for another reason */
    w->demanded[node] |= NODE_DEMANDED;
    source = certain_source(w, q, read);
    if (!coupled && source != EVENT_NONE)
        couple_add(w, source, read, node);
    w->effort += coupled ? w->couples_done / SCAN_UNIT : 0;
    for (size_t i = 0; coupled && i < w->couples_done; i++)
        if (w->couples[i].reader == node && w->couples[i].source != EVENT_INIT)
            demand_made(w, q,
                        &(struct couple){w->couples[i].source, w->couples[i].from, node, read, 0, 0, false});
}

/* From which position on events of the thread are not in the run; its end counts as one. */
static uint32_t demand_limit(const struct window *w, const struct query *q, thread_id t)
{
    return w->high[t] + (q->keep[t] || w->joined[t]);
}

static void find_joined(struct window *w)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        for (uint32_t p = w->low[t]; p < w->high[t]; p++) {
            event_id e = event_at(m, t, p);
            if (kind_of(m, e) == EVENT_JOIN && w->high[m->lane_of[arg_of(m, e)]] == m->ends[arg_of(m, e)])
                w->joined[m->lane_of[arg_of(m, e)]] = true;
        }
    }
}

/* A read in itself: demanded, bound by a range, pinned, or free. In runs of the observed order a cas at the end of
 * its thread is as observed, too. */
static void bind_read(struct window *w, const struct query *q, event_id e, uint32_t limit)
{
    const struct model *m = w->m;
    uint32_t node = window_node(w, e);
    const struct pin *pin = query_pin(q, e);

    if (q->observed ? read_first_at(m, e) < limit || (kind_of(m, e) == EVENT_CAS && e != q->read)
                    : read_plain_at(m, e) < limit ||
                          (pin && pin->writes && !pin->if_demanded && kind_of(m, e) == EVENT_CAS))
        demand(w, q, e);
    else if (pin && !pin->if_demanded)
        couple_add(w, pin->from, e, node);
    else if (read_bound_at(m, e) < limit || (read_first_at(m, e) < limit && window_assumes(w, q, e)))
        couple_add(w, m->source[e], e, node);
}

/* Every earlier read of the thread of a write that must carry what it wrote. */
static void demand_all(struct window *w, const struct query *q, event_id write)
{
    const struct model *m = w->m;
    thread_id t = thread_of(m, write);
    uint32_t begin = m->begins[m->trace->thread[write]], from = begin > w->low[t] ? begin : w->low[t];
    bool known = w->all_demanded[t] > begin && w->all_demanded[t] <= m->ends[m->trace->thread[write]];

    if (!m->grounds)
        return; /* the write itself demands them */
    from = known && w->all_demanded[t] > from ? w->all_demanded[t] : from;
    for (uint32_t p = from; p < m->position[write]; p++)
        if (kind_reads(kind_of(m, event_at(m, t, p))))
            demand(w, q, event_at(m, t, p));
    if (!known || w->all_demanded[t] < m->position[write])
        w->all_demanded[t] = m->position[write];
}

/* Whether the couple's source must carry what it wrote in the trace. */
static bool must_carry(const struct window *w, const struct query *q, const struct couple *c,
                       const struct made *made)
{
    bool source = c->source == w->m->source[c->read];

    if (c->read == q->read || !kind_reads(kind_of(w->m, c->read)))
        return false;
    if (made->form == MADE_OFFSET)
        return source && w->demanded[c->reader] & NODE_DEMANDED &&
               (q->observed || model_sum_tells(w->m, c->source, made->read));
    return w->demanded[c->reader] & NODE_DEMANDED || (source && !query_pin(q, c->read));
}

/* What the couple's source must be made of; a cas must be as observed to write at all. */
static void demand_made(struct window *w, const struct query *q, const struct couple *c)
{
    const struct model *m = w->m;
    struct made made = model_made(m, c->source);
    bool carries = must_carry(w, q, c, &made);

    if (kind_of(m, c->source) == EVENT_CAS ||
        (carries && made.form == MADE_OF_ALL && kind_updates(kind_of(m, c->source))))
        demand(w, q, c->source);
    if (!carries)
        return;
    if (made.form == MADE_OF_ALL)
        demand_all(w, q, c->source);
    else if (made.form == MADE_OFFSET)
        demand(w, q, made.read);
    for (uint32_t i = 0; made.form == MADE_OF && i < made.list.count; i++)
        demand(w, q, ground_at(&made.list, i).read);
}

/* A cas at the end of its thread in the run that is not demanded as observed is taken not to be. */
static void find_failed(struct window *w, thread_id t)
{
    event_id last = event_at(w->m, t, w->high[t] - 1);
    uint32_t node = w->first[t] + (w->high[t] - 1 - w->low[t]);

    if (kind_of(w->m, last) != EVENT_CAS || w->demanded[node] & NODE_DEMANDED)
        return;
    w->actions[node] = CAS_FAILED;
}

/* What the query wants to be written must be. */
static void demand_query(struct window *w, const struct query *q)
{
    if (q->final != EVENT_NONE && kind_of(w->m, q->final) == EVENT_CAS)
        demand(w, q, q->final);
    if (q->written != EVENT_NONE)
        demand(w, q, q->written);
    for (unsigned i = 0; i < q->sight_count; i++)
        couple_add(w, q->sights[i].from, q->sights[i].event, window_node(w, q->sights[i].event));
    if (q->read != EVENT_NONE)
        couple_add(w, q->from, q->read, window_node(w, q->read));
}

/* Works through the couples, those that are added by it included. */
static void demand_all_made(struct window *w, const struct query *q)
{
    while (w->couples_done < w->couples_count) {
        struct couple c = w->couples[w->couples_done++];
        if (c.source != EVENT_INIT)
            demand_made(w, q, &c);
    }
}

bool window_bind(struct window *w, const struct query *q)
{
    const struct model *m = w->m;

    w->missing = EVENT_NONE;
    w->couples_count = w->couples_done = 0; /* what was assumed in smaller windows led to this one */
    w->demanded = memory_grow(w->demanded, &w->demanded_capacity, w->nodes, sizeof *w->demanded);
    w->actions = memory_grow(w->actions, &w->actions_capacity, w->nodes, sizeof *w->actions);
    memset(w->demanded, 0, w->nodes * sizeof *w->demanded);
    memset(w->actions, 0, w->nodes * sizeof *w->actions);
    memset(w->joined, 0, m->thread_count * sizeof *w->joined);
    memset(w->all_demanded, 0, m->thread_count * sizeof *w->all_demanded);
    find_joined(w);
    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        uint32_t limit = demand_limit(w, q, t);
        for (uint32_t p = w->low[t]; p < w->high[t]; p++)
            if (m->source[event_at(m, t, p)] != EVENT_NONE)
                bind_read(w, q, event_at(m, t, p), limit);
    }
    demand_all_made(w, q);
    demand_query(w, q);
    demand_all_made(w, q);
    for (size_t i = 0; i < w->active_count; i++)
        find_failed(w, w->active[i]);
    return w->missing == EVENT_NONE;
}
