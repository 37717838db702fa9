/* Takes one couple away from the observed run: what was derived from it goes, what holds anyway is derived
 * again. */
#include "base/memory.h"
#include "method/graph/reach_parts.h"
#include "method/graph/witness.h"

#include <assert.h>
#include <stdlib.h>

/* The arc by which event number `count` of thread u reaches `e` other than by program order; not the arc
 * that is to be explained. */
static uint32_t arc_that_told(const struct reach *r, event_id e, thread_id u, uint32_t count)
{
    for (uint32_t arc = r->first_in[e]; arc != 0; arc = r->arcs[arc - 1].next_in)
        if (arc != r->arcs_count && reach_row(r, r->arcs[arc - 1].from)[u] >= count)
            return arc;
    assert(!"a row has its numbers from somewhere");
    return 0;
}

void reach_explain(struct reach *r, const struct section *p, const struct section *q)
{
    const struct model *m = r->m;
    uint32_t mine = (uint32_t)r->arcs_count - 1, count = m->position[p->acquire] + 1;
    event_id e = section_last(m, q);

    while (r->first_use_count < r->arcs_count)
        ARRAY_PUSH(r, first_use, 0);
    while (thread_of(m, e) != p->owner) {
        thread_id t = thread_of(m, e);
        if (m->position[e] > 0 && reach_row(r, event_at(m, t, m->position[e] - 1))[p->owner] >= count) {
            e = event_at(m, t, m->position[e] - 1);
            continue;
        }
        uint32_t arc = arc_that_told(r, e, p->owner, count) - 1;
        ARRAY_PUSH(r, uses, (struct reach_use){mine, r->first_use[arc]});
        r->first_use[arc] = (uint32_t)r->uses_count;
        e = r->arcs[arc].from;
    }
}

/* Removes the arc and every arc that depends on it; returns the first event that one of them led to. */
static event_id drop_arcs(struct reach *r, uint32_t arc)
{
    size_t done = r->gone_count;
    event_id first = r->arcs[arc].to;

    r->arcs[arc].gone = true;
    ARRAY_PUSH(r, gone, arc);
    for (; done < r->gone_count; done++) {
        event_id to = r->arcs[r->gone[done]].to;
        first = to < first ? to : first;
        for (uint32_t use = r->first_use[r->gone[done]]; use != 0; use = r->uses[use - 1].next) {
            uint32_t dependent = r->uses[use - 1].arc;
            if (!r->arcs[dependent].gone) {
                r->arcs[dependent].gone = true;
                ARRAY_PUSH(r, gone, dependent);
            }
        }
    }
    return first;
}

/* Computes the rows again from `first` on, where a predecessor's has changed; every arc leads forward in the
 * trace. Leaves the events whose row has changed in `work`. */
static void shrink_rows(struct reach *r, event_id first, size_t first_gone)
{
    const struct model *m = r->m;
    uint32_t threads = m->thread_count, *row = memory_new(threads, sizeof *row);
    size_t pending = 0;

    for (size_t i = first_gone; i < r->gone_count; i++) {
        event_id to = r->arcs[r->gone[i]].to;
        pending += !r->dirty[to];
        r->dirty[to] = 1;
    }
    for (event_id e = first; pending > 0; e++) {
        uint32_t *old = reach_row(r, e);
        bool changed = false;
        if (!r->dirty[e])
            continue;
        r->dirty[e] = 0;
        pending--;
        reach_gather(r, e, row);
        for (uint32_t t = 0; t < threads; t++) {
            if (row[t] != old[t]) {
                reach_set(r, &old[t], row[t]);
                changed = true;
            }
        }
        if (!changed)
            continue;
        ARRAY_PUSH(r, work, e);
        event_id next = is_thread_end(m, e) ? EVENT_NONE : event_at(m, thread_of(m, e), m->position[e] + 1);
        if (next != EVENT_NONE && !r->dirty[next]) {
            r->dirty[next] = 1;
            pending++;
        }
        for (uint32_t arc = r->first_out[e]; arc != 0; arc = r->arcs[arc - 1].next_out) {
            event_id to = r->arcs[arc - 1].to;
            pending += !r->dirty[to];
            r->dirty[to] = 1;
        }
    }
    free(row);
}

/* Fewer sections come before this one, by the row of its last event. */
static void shrink_before(struct reach *r, uint32_t section)
{
    const struct tracks *t = &r->tracks;
    const struct track *own = &t->list[t->track_of[section]];
    const uint32_t *last = reach_row(r, section_last(r->m, &r->m->sections[section]));
    size_t bounds = tracks_bounds(t, section);

    for (uint32_t k = 0; k < own->rival_count; k++) {
        const struct track *rival = &t->list[t->rivals[own->first_rival + k]];
        uint32_t count = r->before[bounds + k];
        while (count > 0 &&
               r->m->position[r->m->sections[rival->sections[count - 1]].acquire] >= last[rival->owner])
            count--;
        if (count == r->before[bounds + k])
            continue;
        ARRAY_PUSH(r, shrunk, (struct reach_shrunk){section, k, r->before[bounds + k]});
        reach_set(r, &r->before[bounds + k], count);
    }
}

/* The first section of `own` that the rival's section number i comes before, from `index` on. */
static uint32_t first_after(const struct reach *r, const struct track *own, uint32_t slot, uint32_t i,
                            uint32_t index)
{
    while (index < own->sections_count && r->before[own->bounds + (size_t)index * own->rival_count + slot] <= i)
        index++;
    return index;
}

/* The other side of shrink_before, once it is done for all: what no longer comes before this section. */
static void grow_after(struct reach *r, const struct reach_shrunk *s)
{
    const struct tracks *t = &r->tracks;
    const struct track *own = &t->list[t->track_of[s->section]];
    const struct track *rival = &t->list[t->rivals[own->first_rival + s->slot]];
    uint32_t back = t->slot[own->first_rival + s->slot], index = t->index_in[s->section];

    for (uint32_t i = r->before[tracks_bounds(t, s->section) + s->slot]; i < s->old; i++) {
        uint32_t *after = &r->after[rival->bounds + (size_t)i * rival->rival_count + back];
        if (*after == index)
            reach_set(r, after, first_after(r, own, s->slot, i, index));
    }
}

void reach_without_couple(struct reach *r, event_id read)
{
    const struct model *m = r->m;
    size_t first_gone = r->gone_count, changed;

    assert(r->arcs_count == r->base_arcs && r->undo_count == 0);
    if (!r->couple[read])
        return;
    shrink_rows(r, drop_arcs(r, r->couple[read] - 1), first_gone);
    changed = r->work_count;
    for (size_t i = 0; i < changed; i++) {
        event_id e = r->work[i];
        thread_id t = thread_of(m, e);
        if (r->closes[e])
            ARRAY_PUSH(r, checks, r->closes[e] - 1);
        if (is_thread_end(m, e))
            for (uint32_t k = r->open_start[t]; k < r->open_start[t + 1]; k++)
                ARRAY_PUSH(r, checks, r->open_sections[k]);
    }
    for (size_t i = 0; i < r->checks_count; i++)
        shrink_before(r, r->checks[i]);
    for (size_t i = 0; i < r->shrunk_count; i++)
        grow_after(r, &r->shrunk[i]);
    r->shrunk_count = 0;
    for (size_t i = 0; i < changed; i++)
        if (r->opens[r->work[i]])
            ARRAY_PUSH(r, checks, r->opens[r->work[i]] - 1);
    r->work_count = 0;
    bool possible = reach_settle(r);
    assert(possible); /* less than the observed run keeps */
    (void)possible;
}
