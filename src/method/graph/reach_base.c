/* Reachability of the observed run. */
#include "base/memory.h"
#include "method/graph/reach_parts.h"
#include "method/graph/witness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void find_sections(struct reach *r)
{
    const struct model *m = r->m;
    uint32_t sections = m->lock_count > 0 ? m->section_start[m->lock_count] : 0, fill = 0;

    r->open_start = memory_new((size_t)m->thread_count + 1, sizeof *r->open_start);
    r->open_sections = memory_new(sections, sizeof *r->open_sections);
    for (uint32_t s = 0; s < sections; s++) {
        r->opens[m->sections[s].acquire] = s + 1;
        if (m->sections[s].release != EVENT_NONE)
            r->closes[m->sections[s].release] = s + 1;
    }
    for (thread_id t = 0; t < m->thread_count; t++) {
        r->open_start[t] = fill;
        for (uint32_t s = 0; s < sections; s++)
            if (m->sections[s].owner == t && m->sections[s].release == EVENT_NONE)
                r->open_sections[fill++] = s;
    }
    r->open_start[m->thread_count] = fill;
}

static void link_cross(struct reach *r, event_id from, event_id to)
{
    if (thread_of(r->m, from) != thread_of(r->m, to))
        reach_push_arc(r, from, to);
}

static void link_all(struct reach *r)
{
    const struct model *m = r->m;

    for (size_t i = 0; i < m->requirements_count; i++)
        for (uint32_t k = 0; k < m->requirements[i].count; k++)
            link_cross(r, m->required_events[m->requirements[i].first + k], m->requirements[i].event);
    for (event_id e = 1; e <= m->event_count; e++) {
        size_t arcs = r->arcs_count;
        if (m->source[e] == EVENT_NONE || m->source[e] == EVENT_INIT)
            continue;
        link_cross(r, m->source[e], e);
        if (r->arcs_count > arcs)
            r->couple[e] = (uint32_t)r->arcs_count;
    }
}

void reach_gather(const struct reach *r, event_id e, uint32_t *row)
{
    const struct model *m = r->m;
    uint32_t threads = m->thread_count;

    if (m->position[e] > 0)
        memcpy(row, reach_row(r, event_at(m, thread_of(m, e), m->position[e] - 1)), threads * sizeof *row);
    else
        memset(row, 0, threads * sizeof *row);
    row[thread_of(m, e)] = m->position[e] + 1;
    for (uint32_t arc = r->first_in[e]; arc != 0; arc = r->arcs[arc - 1].next_in) {
        if (r->arcs[arc - 1].gone)
            continue;
        const uint32_t *source = reach_row(r, r->arcs[arc - 1].from);
        for (uint32_t t = 0; t < threads; t++)
            row[t] = source[t] > row[t] ? source[t] : row[t];
    }
}

void reach_init(struct reach *r, const struct model *m)
{
    size_t events = (size_t)m->event_count + 1;

    *r = (struct reach){.m = m};
    tracks_init(&r->tracks, m);
    r->rows = memory_new(events * m->thread_count, sizeof *r->rows);
    r->before = memory_new(r->tracks.bounds_count, sizeof *r->before);
    r->after = memory_new(r->tracks.bounds_count, sizeof *r->after);
    r->first_out = memory_new(events, sizeof *r->first_out);
    r->first_in = memory_new(events, sizeof *r->first_in);
    r->couple = memory_new(events, sizeof *r->couple);
    r->opens = memory_new(events, sizeof *r->opens);
    r->closes = memory_new(events, sizeof *r->closes);
    r->dirty = memory_new(events, sizeof *r->dirty);
    find_sections(r);
    link_all(r);
    for (event_id e = 1; e <= m->event_count; e++)
        reach_gather(r, e, reach_row(r, e));
    for (size_t i = 0; i < r->tracks.list_count; i++) {
        const struct track *track = &r->tracks.list[i];
        for (size_t k = 0; k < track->sections_count * track->rival_count; k++)
            r->after[track->bounds + k] =
                (uint32_t)r->tracks.list[r->tracks.rivals[track->first_rival + k % track->rival_count]]
                    .sections_count;
    }
    for (uint32_t s = m->lock_count > 0 ? m->section_start[m->lock_count] : 0; s-- > 0;)
        ARRAY_PUSH(r, checks, s);
    bool possible = reach_settle(r);
    assert(possible); /* the observed run keeps it all */
    (void)possible;
    r->base_arcs = r->arcs_count;
    while (r->first_use_count < r->arcs_count)
        ARRAY_PUSH(r, first_use, 0);
    r->undo_count = 0;
}

void reach_free(struct reach *r)
{
    tracks_free(&r->tracks);
    free(r->rows);
    free(r->before);
    free(r->after);
    free(r->arcs);
    free(r->first_out);
    free(r->first_in);
    free(r->couple);
    free(r->opens);
    free(r->closes);
    free(r->open_sections);
    free(r->open_start);
    free(r->uses);
    free(r->first_use);
    free(r->undo);
    free(r->gone);
    free(r->work);
    free(r->checks);
    free(r->shrunk);
    free(r->dirty);
}
