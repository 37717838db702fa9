/* Pairs of sections left to order, and which of them matter. */
#include "method/graph/choices.h"
#include "base/memory.h"
#include "method/graph/witness.h"

#include <stdlib.h>
#include <string.h>

void choices_free(struct choices *c)
{
    free(c->pairs);
    *c = (struct choices){0};
}

void choices_unordered(struct choices *c, const struct digraph *g)
{
    const struct model *m = g->m;

    c->pairs_count = 0;
    for (lock_id l = 0; l < m->lock_count; l++) {
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            const struct section *p = &m->sections[i];
            for (uint32_t j = i + 1; j < m->section_start[l + 1] && digraph_has(g, p->acquire); j++) {
                const struct section *q = &m->sections[j];
                if (sections_exclude(p, q) && digraph_has(g, q->acquire) &&
                    !digraph_reaches(g, p->acquire, digraph_last(g, q)) &&
                    !digraph_reaches(g, q->acquire, digraph_last(g, p)))
                    ARRAY_PUSH(c, pairs, (struct choice_pair){{i, j}, false});
            }
        }
    }
}

/* The lock abstraction graph: events that sections cover together are one vertex, named by its first event. */
struct lock_graph {
    const struct digraph *g;
    event_id *vertex; /* by event */
    struct choice_link {
        event_id to;
        uint32_t next; /* link of the same vertex, plus 1 */
    } * links;
    size_t links_count, links_capacity;
    uint32_t *forward, *backward; /* by vertex: its latest link, plus 1 */
    event_id *queue;
};

static void find_vertices(struct lock_graph *a)
{
    const struct model *m = a->g->m;
    uint32_t *reach = memory_new(m->thread_count, sizeof *reach); /* by thread: a vertex lasts so long */
    event_id *start = memory_new(m->thread_count, sizeof *start);

    for (event_id e = 1; e <= m->event_count; e++) {
        thread_id t = thread_of(m, e);
        enum event_kind kind = kind_of(m, e);
        if (m->position[e] >= reach[t]) {
            start[t] = e;
            reach[t] = m->position[e] + 1;
        }
        a->vertex[e] = start[t];
        if (kind != EVENT_ACQUIRE && kind != EVENT_SHARED_ACQUIRE)
            continue;
        uint32_t s = model_section_of(m, e);
        if (s == SECTION_NONE || !digraph_has(a->g, e))
            continue;
        uint32_t end = m->position[digraph_last(a->g, &m->sections[s])] + 1;
        if (end > reach[t])
            reach[t] = end;
    }
    free(reach);
    free(start);
}

static void link_one(struct lock_graph *a, uint32_t *heads, event_id from, event_id to)
{
    ARRAY_PUSH(a, links, (struct choice_link){to, heads[from]});
    heads[from] = (uint32_t)a->links_count;
}

static void link_events(struct lock_graph *a, event_id from, event_id to)
{
    if (a->vertex[from] == a->vertex[to])
        return;
    link_one(a, a->forward, a->vertex[from], a->vertex[to]);
    link_one(a, a->backward, a->vertex[to], a->vertex[from]);
}

static void lock_graph_init(struct lock_graph *a, const struct digraph *g, const struct choices *c)
{
    const struct model *m = g->m;
    size_t events = (size_t)m->event_count + 1;

    *a = (struct lock_graph){.g = g};
    a->vertex = memory_new(events, sizeof *a->vertex);
    a->forward = memory_new(events, sizeof *a->forward);
    a->backward = memory_new(events, sizeof *a->backward);
    a->queue = memory_new(events, sizeof *a->queue);
    find_vertices(a);
    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t p = 1; p < g->cut[t]; p++)
            link_events(a, event_at(m, t, p - 1), event_at(m, t, p));
    for (size_t i = 0; i < g->arcs_count; i++)
        link_events(a, g->arcs[i].from, g->arcs[i].to);
    for (size_t i = 0; i < c->pairs_count; i++) {
        event_id p = m->sections[c->pairs[i].section[0]].acquire,
                 q = m->sections[c->pairs[i].section[1]].acquire;
        link_events(a, p, q);
        link_events(a, q, p);
    }
}

static void lock_graph_free(struct lock_graph *a)
{
    free(a->vertex);
    free(a->links);
    free(a->forward);
    free(a->backward);
    free(a->queue);
}

/* Marks what `heads` leads to from the vertex of `start`. */
static void search(struct lock_graph *a, const uint32_t *heads, event_id start, bool *seen)
{
    size_t count = 0;

    memset(seen, 0, ((size_t)a->g->m->event_count + 1) * sizeof *seen);
    a->queue[count++] = a->vertex[start];
    seen[a->vertex[start]] = true;
    for (size_t done = 0; done < count; done++) {
        for (uint32_t link = heads[a->queue[done]]; link != 0 && a->links; link = a->links[link - 1].next) {
            event_id to = a->links[link - 1].to;
            if (!seen[to]) {
                seen[to] = true;
                a->queue[count++] = to;
            }
        }
    }
}

void choices_keep_relevant(struct choices *c, const struct digraph *g, size_t first, size_t end)
{
    const struct model *m = g->m;
    size_t events = (size_t)m->event_count + 1, kept = 0;
    bool *after = memory_new(events, sizeof *after), *before = memory_new(events, sizeof *before);
    bool *relevant = memory_new(c->pairs_count, sizeof *relevant);
    struct lock_graph a;

    lock_graph_init(&a, g, c);
    for (size_t edge = first; edge < end; edge++) {
        search(&a, a.forward, g->arcs[edge].to, after);
        search(&a, a.backward, g->arcs[edge].from, before);
        for (size_t i = 0; i < c->pairs_count; i++) {
            event_id p = a.vertex[m->sections[c->pairs[i].section[0]].acquire];
            event_id q = a.vertex[m->sections[c->pairs[i].section[1]].acquire];
            relevant[i] |= (after[p] && before[q]) || (after[q] && before[p]);
        }
    }
    for (size_t i = 0; i < c->pairs_count; i++)
        if (relevant[i])
            c->pairs[kept++] = c->pairs[i];
    c->pairs_count = kept;
    lock_graph_free(&a);
    free(after);
    free(before);
    free(relevant);
}

void choices_guess(struct choices *c, const struct digraph *g)
{
    const struct model *m = g->m;

    for (size_t i = 0; i < c->pairs_count; i++) {
        bool moved[2] = {false, false};
        for (size_t arc = 0; arc < g->arcs_count; arc++)
            for (int side = 0; side < 2; side++)
                moved[side] |=
                    g->arcs[arc].from > g->arcs[arc].to &&
                    digraph_reaches(g, g->arcs[arc].to, m->sections[c->pairs[i].section[side]].acquire);
        c->pairs[i].swapped = moved[0] && !moved[1];
    }
}
