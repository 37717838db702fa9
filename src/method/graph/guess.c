/* The first choice graph: what the witness moves comes last, everything else stays as observed. */
#include "method/graph/abstraction.h"
#include "method/graph/witness.h"

/* The cut of what the heads of arcs that lead back in the trace lead to. */
static void find_moved(struct abstraction *a, size_t arcs)
{
    const struct reach *r = a->r;
    const struct model *m = r->m;
    uint32_t *done = a->scratch;
    bool again = true;

    for (thread_id t = 0; t < m->thread_count; t++)
        a->moved[t] = done[t] = thread_length(m, t);
    for (size_t i = arcs; i < r->arcs_count; i++) {
        event_id to = r->arcs[i].to;
        if (r->arcs[i].from > to && m->position[to] < a->moved[thread_of(m, to)])
            a->moved[thread_of(m, to)] = m->position[to];
    }
    while (again) {
        again = false;
        for (thread_id t = 0; t < m->thread_count; t++) {
            uint32_t from = a->moved[t], end = done[t];
            again |= from < end;
            done[t] = from;
            for (uint32_t p = from; p < end; p++) {
                event_id e = event_at(m, t, p);
                for (uint32_t arc = r->first_out[e]; arc != 0; arc = r->arcs[arc - 1].next_out) {
                    event_id to = r->arcs[arc - 1].to;
                    if (!r->arcs[arc - 1].gone && m->position[to] < a->moved[thread_of(m, to)])
                        a->moved[thread_of(m, to)] = m->position[to];
                }
            }
        }
    }
}

static bool is_moved(const struct abstraction *a, event_id e)
{
    return a->r->m->position[e] >= a->moved[thread_of(a->r->m, e)];
}

bool abstraction_swaps(const struct abstraction *a, const struct section *earlier, const struct section *later)
{
    return is_moved(a, earlier->acquire) && !is_moved(a, later->acquire);
}

/* A section that begins before the cut and ends after it, or never, stands in the way of those that the first
 * graph puts after it and that begin before its end does. */
static bool is_in_the_way(const struct abstraction *a, uint32_t section)
{
    const struct reach *r = a->r;
    const struct section *s = &r->m->sections[section];
    const struct track *own = &r->tracks.list[r->tracks.track_of[section]];
    size_t bounds = tracks_bounds(&r->tracks, section);

    for (uint32_t k = 0; k < own->rival_count; k++) {
        const struct track *rival = &r->tracks.list[r->tracks.rivals[own->first_rival + k]];
        for (uint32_t i = r->before[bounds + k]; i < r->after[bounds + k]; i++) {
            event_id other = r->m->sections[rival->sections[i]].acquire;
            if ((other > s->acquire) != is_moved(a, other))
                return true;
        }
    }
    return false;
}

bool abstraction_guess_holds(struct abstraction *a, size_t arcs)
{
    const struct reach *r = a->r;
    const struct model *m = r->m;

    find_moved(a, arcs);
    for (size_t i = arcs; i < r->arcs_count; i++)
        if (r->arcs[i].from > r->arcs[i].to && is_moved(a, r->arcs[i].from))
            return false;
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t h = model_hold_at(m, t, a->moved[t]); h != HOLD_NONE; h = m->holds[h].outer) {
            uint32_t section = m->holds[h].section;
            if (abstraction_holds(a, m->sections[section].acquire) && is_in_the_way(a, section))
                return false;
        }
    }
    return true;
}
