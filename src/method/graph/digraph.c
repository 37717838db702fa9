/* A graph over events: arcs and the clocks that follow from them. */
#include "method/graph/digraph.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void digraph_init(struct digraph *g, const struct model *m, const uint32_t *cut)
{
    size_t events = (size_t)m->event_count + 1;

    *g = (struct digraph){.m = m};
    g->cut = memory_new(m->thread_count, sizeof *g->cut);
    for (thread_id t = 0; t < m->thread_count; t++)
        g->cut[t] = cut ? cut[t] : thread_length(m, t);
    g->first = memory_new(events, sizeof *g->first);
    g->clocks = memory_new(events * m->thread_count, sizeof *g->clocks);
    g->missing = memory_new(events, sizeof *g->missing);
    g->ready = memory_new(events, sizeof *g->ready);
}

void digraph_free(struct digraph *g)
{
    free(g->cut);
    free(g->arcs);
    free(g->first);
    free(g->clocks);
    free(g->missing);
    free(g->ready);
}

void digraph_add(struct digraph *g, event_id from, event_id to)
{
    assert(digraph_has(g, from) && digraph_has(g, to));
    ARRAY_PUSH(g, arcs, (struct arc){from, to, g->first[from]});
    g->first[from] = (uint32_t)g->arcs_count;
}

void digraph_shrink(struct digraph *g, size_t arcs)
{
    while (g->arcs_count > arcs) {
        const struct arc *last = &g->arcs[--g->arcs_count];
        g->first[last->from] = last->next;
    }
}

void digraph_add_required(struct digraph *g)
{
    const struct model *m = g->m;

    for (size_t i = 0; i < m->requirements_count; i++) {
        const struct requirement *r = &m->requirements[i];
        for (uint32_t k = 0; k < r->count && digraph_has(g, r->event); k++)
            digraph_add(g, m->required_events[r->first + k], r->event);
    }
}

/* What reaches `from` reaches `to`, which has one predecessor less to wait for. */
static void pass_on(struct digraph *g, event_id from, event_id to, size_t *ready_count)
{
    uint32_t threads = g->m->thread_count;
    const uint32_t *source = g->clocks + (size_t)from * threads;
    uint32_t *target = g->clocks + (size_t)to * threads;

    for (uint32_t t = 0; t < threads; t++)
        if (source[t] > target[t])
            target[t] = source[t];
    if (--g->missing[to] == 0)
        g->ready[(*ready_count)++] = to;
}

static size_t count_missing(struct digraph *g, size_t *ready_count)
{
    const struct model *m = g->m;
    size_t events = 0;

    for (size_t i = 0; i < g->arcs_count; i++)
        g->missing[g->arcs[i].to]++;
    for (thread_id t = 0; t < m->thread_count; t++) {
        events += g->cut[t];
        for (uint32_t p = 0; p < g->cut[t]; p++) {
            event_id e = event_at(m, t, p);
            g->missing[e] += p > 0;
            if (g->missing[e] == 0)
                g->ready[(*ready_count)++] = e;
        }
    }
    return events;
}

bool digraph_close(struct digraph *g)
{
    const struct model *m = g->m;
    size_t ready_count = 0, done = 0;

    memset(g->clocks, 0, ((size_t)m->event_count + 1) * m->thread_count * sizeof *g->clocks);
    memset(g->missing, 0, ((size_t)m->event_count + 1) * sizeof *g->missing);
    size_t events = count_missing(g, &ready_count);
    for (; done < ready_count; done++) {
        event_id e = g->ready[done];
        thread_id t = thread_of(m, e);
        g->clocks[(size_t)e * m->thread_count + t] = m->position[e] + 1;
        for (uint32_t arc = g->first[e]; arc != 0; arc = g->arcs[arc - 1].next)
            pass_on(g, e, g->arcs[arc - 1].to, &ready_count);
        if (m->position[e] + 1 < g->cut[t])
            pass_on(g, e, event_at(m, t, m->position[e] + 1), &ready_count);
    }
    return done == events;
}

event_id digraph_release(const struct digraph *g, const struct section *s)
{
    return s->release != EVENT_NONE && digraph_has(g, s->release) ? s->release : EVENT_NONE;
}

event_id digraph_last(const struct digraph *g, const struct section *s)
{
    event_id release = digraph_release(g, s);

    return release != EVENT_NONE ? release : event_at(g->m, s->owner, g->cut[s->owner] - 1);
}
