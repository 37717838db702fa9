/* Universal causality graphs, the definition as code. */
#include "base/memory.h"
#include "method/graph/digraph.h"
#include "method/graph/witness.h"
#include "method/ucg/causality.h"

#include <stdlib.h>
#include <string.h>

void property_init(struct causality_property *p, const struct model *m)
{
    *p = (struct causality_property){0};
    p->least = memory_new(m->thread_count, sizeof *p->least);
    p->most = memory_new(m->thread_count, sizeof *p->most);
}

void property_free(struct causality_property *p)
{
    free(p->least);
    free(p->most);
}

static void clear(struct causality_property *p, const struct model *m)
{
    p->order_count = 0;
    for (thread_id t = 0; t < m->thread_count; t++) {
        p->least[t] = 0;
        p->most[t] = thread_length(m, t);
    }
}

/* All that `e` needs is done; its thread stops there. */
static void stop_before(struct causality_property *p, const struct model *m, event_id e)
{
    struct event_span required = model_required(m, e);
    thread_id t = thread_of(m, e);

    p->least[t] = p->most[t] = m->position[e];
    for (size_t i = 0; i < required.count; i++) {
        thread_id u = thread_of(m, required.events[i]);
        if (p->least[u] <= m->position[required.events[i]])
            p->least[u] = m->position[required.events[i]] + 1;
    }
}

void property_race(struct causality_property *p, const struct model *m, event_id a, event_id b)
{
    clear(p, m);
    stop_before(p, m, a);
    stop_before(p, m, b);
}

void property_atomicity(struct causality_property *p, const struct model *m, event_id a, event_id b, event_id c)
{
    clear(p, m);
    p->least[thread_of(m, b)] = m->position[b] + 1;
    p->least[thread_of(m, c)] = p->most[thread_of(m, c)] = m->position[c] + 1;
    p->order[0].before = a;
    p->order[0].after = p->order[1].before = b;
    p->order[1].after = c;
    p->order_count = 2;
}

struct plain_graph {
    const struct model *m;
    const struct causality_property *p;
    uint32_t *cut;
    struct section_order {
        uint32_t before, after;
    } * orders; /* sections that come before others */
    size_t orders_count, orders_capacity;
};

/* Takes in what the events of the cut require; false when a thread would have to go too far. */
static bool close_cut(struct plain_graph *g)
{
    const struct model *m = g->m;
    bool again = true;

    while (again) {
        again = false;
        for (size_t i = 0; i < m->requirements_count; i++) {
            event_id e = m->requirements[i].event;
            for (uint32_t k = 0; k < m->requirements[i].count && m->position[e] < g->cut[thread_of(m, e)];
                 k++) {
                event_id needed = m->required_events[m->requirements[i].first + k];
                if (m->position[needed] >= g->cut[thread_of(m, needed)]) {
                    g->cut[thread_of(m, needed)] = m->position[needed] + 1;
                    again = true;
                }
            }
        }
    }
    for (thread_id t = 0; t < m->thread_count; t++)
        if (g->cut[t] > g->p->most[t])
            return false;
    return true;
}

/* Whether the section cannot end in any run of the property. */
static bool stays_open(const struct plain_graph *g, const struct section *s)
{
    return s->release == EVENT_NONE || g->m->position[s->release] >= g->p->most[s->owner];
}

/* One round over all pairs of sections. Sets `again` when something is new; false when the property is refuted.
 */
static bool order_sections(struct plain_graph *g, const struct digraph *d, bool *again)
{
    const struct model *m = g->m;

    for (lock_id l = 0; l < m->lock_count; l++) {
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            for (uint32_t j = m->section_start[l]; j < m->section_start[l + 1]; j++) {
                const struct section *p = &m->sections[i], *q = &m->sections[j];
                if (!sections_exclude(p, q) || !digraph_has(d, p->acquire) || !digraph_has(d, q->acquire) ||
                    (!stays_open(g, q) && !digraph_reaches(d, p->acquire, digraph_last(d, q))))
                    continue;
                if (stays_open(g, p))
                    return false;
                if (!digraph_has(d, p->release))
                    g->cut[p->owner] = m->position[p->release] + 1;
                else if (digraph_reaches(d, p->release, q->acquire))
                    continue;
                else
                    ARRAY_PUSH(g, orders, (struct section_order){i, j});
                *again = true;
                if (!digraph_has(d, p->release))
                    return true; /* the graph is another one now */
            }
        }
    }
    return true;
}

static bool round_holds(struct plain_graph *g, bool *again)
{
    const struct causality_property *p = g->p;
    struct digraph d;
    bool holds;

    *again = false;
    if (!close_cut(g))
        return false;
    digraph_init(&d, g->m, g->cut);
    digraph_add_required(&d);
    for (unsigned i = 0; i < p->order_count; i++)
        digraph_add(&d, p->order[i].before, p->order[i].after);
    for (size_t i = 0; i < g->orders_count; i++)
        digraph_add(&d, g->m->sections[g->orders[i].before].release,
                    g->m->sections[g->orders[i].after].acquire);
    holds = digraph_close(&d) && order_sections(g, &d, again);
    digraph_free(&d);
    return holds;
}

bool causality_plain(const struct model *m, const struct causality_property *p)
{
    struct plain_graph g = {.m = m, .p = p, .cut = memory_new(m->thread_count, sizeof *g.cut)};
    bool again = true, holds = true;

    memcpy(g.cut, p->least, m->thread_count * sizeof *g.cut);
    while (again && holds)
        holds = round_holds(&g, &again);
    free(g.cut);
    free(g.orders);
    return holds;
}
