/* Universal causality graphs, one for all properties, each begun at a causality barrier.
 *
 * Rows are kept thread by thread: how many events of each thread reach an event, those before the barrier left
 * out unless something after it is known to need them. */
#include "method/ucg/causality.h"
#include "base/map.h"
#include "base/memory.h"
#include "method/graph/witness.h"
#include "method/ucg/causality_barrier.h"

#include <stdlib.h>
#include <string.h>

struct causality {
    const struct model *m;
    struct barriers barriers;
    uint32_t *low, *high; /* by thread: the vertices of the graph under way */
    uint32_t *rows;       /* by place in thread_events, and thread */
    uint32_t *needs;      /* by event: its requirement, plus 1 */
    uint32_t *opens;      /* by event: the section that begins there, plus 1 */
    struct entered {      /* sections of the graph, those of a lock linked */
        uint32_t section;
        uint32_t next; /* plus 1 */
    } * entered;
    size_t entered_count, entered_capacity;
    uint32_t *first_entered; /* by lock, plus 1 */
    struct causality_arc {
        event_id from, to;
    } * arcs; /* of the graph under way: the property's, then what it induces */
    size_t arcs_count, arcs_capacity;
    bool chopped;

    struct map labels_of; /* edge (from, to) → its first label, plus 1 */
    struct label {
        uint32_t property, next;
    } * labels;
    size_t labels_count, labels_capacity;
};

struct causality *causality_new(const struct model *m)
{
    struct causality *c = memory_new(1, sizeof *c);
    size_t events = (size_t)m->event_count + 1;

    c->m = m;
    barriers_init(&c->barriers, m);
    c->low = memory_new(m->thread_count, sizeof *c->low);
    c->high = memory_new(m->thread_count, sizeof *c->high);
    c->rows = memory_new(events * m->thread_count, sizeof *c->rows);
    c->needs = memory_new(events, sizeof *c->needs);
    c->opens = memory_new(events, sizeof *c->opens);
    c->first_entered = memory_new(m->lock_count, sizeof *c->first_entered);
    for (size_t i = 0; i < m->requirements_count; i++)
        c->needs[m->requirements[i].event] = (uint32_t)i + 1;
    for (uint32_t s = 0; m->lock_count > 0 && s < m->section_start[m->lock_count]; s++)
        c->opens[m->sections[s].acquire] = s + 1;
    return c;
}

void causality_free(struct causality *c)
{
    barriers_free(&c->barriers);
    free(c->low);
    free(c->high);
    free(c->rows);
    free(c->needs);
    free(c->opens);
    free(c->entered);
    free(c->first_entered);
    free(c->arcs);
    map_free(&c->labels_of);
    free(c->labels);
    free(c);
}

static uint32_t *row_at(const struct causality *c, thread_id t, uint32_t position)
{
    return c->rows + ((size_t)c->m->thread_start[t] + position) * c->m->thread_count;
}

static bool is_vertex(const struct causality *c, event_id e)
{
    thread_id t = thread_of(c->m, e);

    return c->m->position[e] >= c->low[t] && c->m->position[e] < c->high[t];
}

/* Whether there is a path between two vertices. */
static bool leads(const struct causality *c, event_id from, event_id to)
{
    return row_at(c, thread_of(c->m, to), c->m->position[to])[thread_of(c->m, from)] > c->m->position[from];
}

/* Takes in the events of a thread up to `count`; false when the property forbids that. */
static bool extend(struct causality *c, const struct causality_property *p, thread_id t, uint32_t count)
{
    uint32_t threads = c->m->thread_count;

    if (count > p->most[t])
        return false;
    for (; c->high[t] < count; c->high[t]++) {
        uint32_t *row = row_at(c, t, c->high[t]);
        uint32_t opened = c->opens[event_at(c->m, t, c->high[t])];
        memset(row, 0, threads * sizeof *row);
        row[t] = c->high[t] + 1;
        if (opened) {
            lock_id l = section_lock(&c->m->sections[opened - 1]);
            ARRAY_PUSH(c, entered, (struct entered){opened - 1, c->first_entered[l]});
            c->first_entered[l] = (uint32_t)c->entered_count;
        }
    }
    return true;
}

/* What reaches `from` reaches `to`; true if that is news. */
static bool merge(const struct causality *c, const uint32_t *from, uint32_t *to)
{
    bool news = false;

    for (uint32_t t = 0; t < c->m->thread_count; t++) {
        if (from[t] > to[t]) {
            to[t] = from[t];
            news = true;
        }
    }
    return news;
}

/* One vertex: its predecessors are vertices or lie before the barrier. */
static bool update(struct causality *c, const struct causality_property *p, event_id e, bool *again)
{
    const struct model *m = c->m;
    thread_id t = thread_of(m, e);
    uint32_t position = m->position[e], *row = row_at(c, t, position);

    if (position > c->low[t])
        *again |= merge(c, row_at(c, t, position - 1), row);
    if (c->needs[e]) {
        const struct requirement *r = &m->requirements[c->needs[e] - 1];
        for (uint32_t i = 0; i < r->count; i++) {
            event_id needed = m->required_events[r->first + i];
            thread_id u = thread_of(m, needed);
            if (m->position[needed] < c->low[u])
                continue;
            if (m->position[needed] >= c->high[u]) {
                *again = true;
                if (!extend(c, p, u, m->position[needed] + 1))
                    return false;
            }
            *again |= merge(c, row_at(c, u, m->position[needed]), row);
        }
    }
    return row[t] == position + 1;
}

/* Propagates rows until nothing changes; false when the graph has a cycle or a thread would have to go too
 * far. */
static bool propagate(struct causality *c, const struct causality_property *p)
{
    const struct model *m = c->m;
    bool again = true;

    while (again) {
        again = false;
        for (size_t i = 0; i < c->arcs_count; i++) {
            event_id from = c->arcs[i].from, to = c->arcs[i].to;
            uint32_t *row = row_at(c, thread_of(m, to), m->position[to]);
            again |= merge(c, row_at(c, thread_of(m, from), m->position[from]), row);
            if (row[thread_of(m, to)] > m->position[to] + 1)
                return false;
        }
        for (thread_id t = 0; t < m->thread_count; t++)
            for (uint32_t position = c->low[t]; position < c->high[t]; position++)
                if (!update(c, p, event_at(m, t, position), &again))
                    return false;
    }
    return true;
}

static void label_edge(struct causality *c, event_id from, event_id to, uint32_t label)
{
    uint32_t *first = map_at(&c->labels_of, map_pair(from, to));

    ARRAY_PUSH(c, labels, (struct label){label, *first});
    *first = (uint32_t)c->labels_count;
}

static void add_arc(struct causality *c, event_id from, event_id to, uint32_t label)
{
    ARRAY_PUSH(c, arcs, (struct causality_arc){from, to});
    label_edge(c, from, to, label);
}

static bool stays_open(const struct causality *c, const struct causality_property *p, const struct section *s)
{
    return s->release == EVENT_NONE || c->m->position[s->release] >= p->most[s->owner];
}

/* The last vertex of a section that has been entered. */
static event_id last_vertex(const struct causality *c, const struct section *s)
{
    if (s->release != EVENT_NONE && is_vertex(c, s->release))
        return s->release;
    return event_at(c->m, s->owner, c->high[s->owner] - 1);
}

/* If p has to end before q begins, makes it so. False when it cannot. */
static bool order_pair(struct causality *c, const struct causality_property *property, const struct section *p,
                       const struct section *q, uint32_t label, bool *again)
{
    if (!sections_exclude(p, q) || (!stays_open(c, property, q) && !leads(c, p->acquire, last_vertex(c, q))))
        return true;
    if (stays_open(c, property, p))
        return false;
    if (!is_vertex(c, p->release)) {
        *again = true;
        if (!extend(c, property, p->owner, c->m->position[p->release] + 1))
            return false;
    } else if (leads(c, p->release, q->acquire)) {
        return true;
    }
    *again = true;
    add_arc(c, p->release, q->acquire, label);
    return true;
}

/* One round over the sections that have been entered, lock by lock. */
static bool order_sections(struct causality *c, const struct causality_property *p, uint32_t label, bool *again)
{
    const struct model *m = c->m;

    for (size_t i = 0; i < c->entered_count; i++) {
        const struct section *one = &m->sections[c->entered[i].section];
        for (uint32_t j = c->entered[i].next; j != 0; j = c->entered[j - 1].next) {
            const struct section *other = &m->sections[c->entered[j - 1].section];
            if (!order_pair(c, p, one, other, label, again) || !order_pair(c, p, other, one, label, again))
                return false;
        }
    }
    return true;
}

static void clear(struct causality *c)
{
    for (size_t i = 0; i < c->entered_count; i++)
        c->first_entered[section_lock(&c->m->sections[c->entered[i].section])] = 0;
    c->entered_count = c->arcs_count = 0;
}

bool causality_holds(struct causality *c, const struct causality_property *p, uint32_t label)
{
    const struct model *m = c->m;
    bool again = true;

    clear(c);
    c->chopped = barriers_find(&c->barriers, p, c->low);
    memcpy(c->high, c->low, m->thread_count * sizeof *c->high);
    for (thread_id t = 0; t < m->thread_count; t++)
        if (p->least[t] > c->high[t] && !extend(c, p, t, p->least[t]))
            return false;
    for (unsigned i = 0; i < p->order_count; i++)
        add_arc(c, p->order[i].before, p->order[i].after, label);
    while (again) {
        again = false;
        if (!propagate(c, p) || !order_sections(c, p, label, &again))
            return false;
    }
    return true;
}

bool causality_was_chopped(const struct causality *c)
{
    return c->chopped;
}

bool causality_has_edge(const struct causality *c, event_id from, event_id to, uint32_t label)
{
    for (uint32_t i = map_get(&c->labels_of, map_pair(from, to)); i != 0; i = c->labels[i - 1].next)
        if (c->labels[i - 1].property == label)
            return true;
    return false;
}

bool causality_must(const struct causality *c, event_id from, event_id to)
{
    return barriers_must(&c->barriers, from, to);
}
