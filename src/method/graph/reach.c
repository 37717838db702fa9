/* Reachability that grows: arcs, and what mutual exclusion makes of them. */
#include "method/graph/reach.h"
#include "base/memory.h"
#include "method/graph/reach_parts.h"
#include "method/graph/witness.h"

struct reach_mark reach_mark(const struct reach *r)
{
    return (struct reach_mark){r->arcs_count, r->undo_count, r->gone_count};
}

void reach_set(struct reach *r, uint32_t *where, uint32_t value)
{
    ARRAY_PUSH(r, undo, (struct reach_undo){where, *where});
    *where = value;
}

void reach_undo(struct reach *r, struct reach_mark mark)
{
    r->work_count = r->checks_count = 0;
    while (r->undo_count > mark.undo) {
        const struct reach_undo *last = &r->undo[--r->undo_count];
        *last->where = last->old;
    }
    while (r->arcs_count > mark.arcs) {
        const struct reach_arc *last = &r->arcs[--r->arcs_count];
        r->first_out[last->from] = last->next_out;
        r->first_in[last->to] = last->next_in;
    }
    while (r->gone_count > mark.gone)
        r->arcs[r->gone[--r->gone_count]].gone = false;
}

void reach_push_arc(struct reach *r, event_id from, event_id to)
{
    ARRAY_PUSH(r, arcs, (struct reach_arc){from, to, r->first_out[from], r->first_in[to], false});
    r->first_out[from] = r->first_in[to] = (uint32_t)r->arcs_count;
}

/* The sections that last until `e`, or until the end of its thread, have to be looked at again. */
static void want_checks(struct reach *r, event_id e)
{
    const struct model *m = r->m;
    thread_id t = thread_of(m, e);

    if (r->closes[e])
        ARRAY_PUSH(r, checks, r->closes[e] - 1);
    if (is_thread_end(m, e))
        for (uint32_t i = r->open_start[t]; i < r->open_start[t + 1]; i++)
            ARRAY_PUSH(r, checks, r->open_sections[i]);
}

/* What reaches `from` reaches `to`. False when `to` reaches `from`. */
static bool merge(struct reach *r, event_id from, event_id to)
{
    const struct model *m = r->m;
    uint32_t *source = reach_row(r, from), *target = reach_row(r, to);
    bool grown = false;

    if (source[thread_of(m, to)] > m->position[to])
        return false;
    for (uint32_t t = 0; t < m->thread_count; t++) {
        if (source[t] > target[t]) {
            reach_set(r, &target[t], source[t]);
            grown = true;
        }
    }
    if (grown) {
        ARRAY_PUSH(r, work, to);
        want_checks(r, to);
    }
    return true;
}

/* Propagates rows until none grows. */
static bool propagate(struct reach *r)
{
    const struct model *m = r->m;

    while (r->work_count > 0) {
        event_id e = r->work[--r->work_count];
        for (uint32_t arc = r->first_out[e]; arc != 0; arc = r->arcs[arc - 1].next_out)
            if (!r->arcs[arc - 1].gone && !merge(r, e, r->arcs[arc - 1].to))
                return false;
        if (!is_thread_end(m, e) && !merge(r, e, event_at(m, thread_of(m, e), m->position[e] + 1)))
            return false;
    }
    return true;
}

/* The first `count` sections of the rival come before this one, so this one is after each of them. */
static void note_before(struct reach *r, uint32_t section, uint32_t rival_slot, uint32_t count)
{
    const struct tracks *t = &r->tracks;
    uint32_t own = t->track_of[section];
    const struct track *rival = &t->list[t->rivals[t->list[own].first_rival + rival_slot]];
    uint32_t back = t->slot[t->list[own].first_rival + rival_slot];
    uint32_t *bound = &r->before[tracks_bounds(t, section) + rival_slot];

    for (uint32_t i = *bound; i < count; i++) {
        uint32_t *after = &r->after[rival->bounds + (size_t)i * rival->rival_count + back];
        if (*after > t->index_in[section])
            reach_set(r, after, t->index_in[section]);
    }
    reach_set(r, bound, count);
}

/* How many sections of a track have their acquire among the first `position` events of its owner; at least
 * `start`. */
static uint32_t track_entered(const struct model *m, const struct track *track, uint32_t start,
                              uint32_t position)
{
    uint32_t count = start;

    while (count < track->sections_count && m->position[m->sections[track->sections[count]].acquire] < position)
        count++;
    return count;
}

/* p ends before q begins; the work is left to reach_settle. */
static bool induce(struct reach *r, const struct section *p, const struct section *q)
{
    reach_push_arc(r, p->release, q->acquire);
    if (!r->base_arcs)
        reach_explain(r, p, q);
    return merge(r, p->release, q->acquire);
}

/* Looks for sections that must end before this one begins. */
static bool check_section(struct reach *r, uint32_t section)
{
    const struct model *m = r->m;
    const struct section *q = &m->sections[section];
    const struct track *own = &r->tracks.list[r->tracks.track_of[section]];
    const uint32_t *last = reach_row(r, section_last(m, q));
    size_t bounds = tracks_bounds(&r->tracks, section);

    for (uint32_t k = 0; k < own->rival_count; k++) {
        const struct track *rival = &r->tracks.list[r->tracks.rivals[own->first_rival + k]];
        uint32_t count = track_entered(m, rival, r->before[bounds + k], last[rival->owner]);
        if (count == 0)
            continue;
        if (count > r->before[bounds + k])
            note_before(r, section, k, count);
        const struct section *p = &m->sections[rival->sections[count - 1]];
        if (p->release == EVENT_NONE)
            return false;
        if (!reaches(r, p->release, q->acquire) && !induce(r, p, q))
            return false;
    }
    return true;
}

bool reach_settle(struct reach *r)
{
    for (;;) {
        if (!propagate(r))
            return false;
        if (r->checks_count == 0)
            return true;
        if (!check_section(r, r->checks[--r->checks_count]))
            return false;
    }
}

bool reach_add(struct reach *r, event_id from, event_id to)
{
    if (thread_of(r->m, from) == thread_of(r->m, to))
        return r->m->position[from] < r->m->position[to];
    reach_push_arc(r, from, to);
    return merge(r, from, to) && reach_settle(r);
}
