/* The lock abstraction graph by cuts. */
#include "method/graph/abstraction.h"
#include "base/memory.h"
#include "method/graph/witness.h"

#include <stdlib.h>

static void find_vertices(struct abstraction *a)
{
    const struct model *m = a->r->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t length = thread_length(m, t), start = 0, end = 0;
        for (uint32_t p = 0; p < length; p++) {
            event_id e = event_at(m, t, p);
            if (p >= end) {
                for (uint32_t i = start; i < end; i++)
                    a->end[event_at(m, t, i)] = end;
                start = p;
                end = p + 1;
            }
            a->start[e] = start;
            if (a->r->opens[e]) {
                uint32_t last = m->position[section_last(m, &m->sections[a->r->opens[e] - 1])] + 1;
                end = last > end ? last : end;
            }
        }
        for (uint32_t i = start; i < end; i++)
            a->end[event_at(m, t, i)] = end;
    }
}

static void find_section_vertices(struct abstraction *a)
{
    const struct tracks *t = &a->r->tracks;
    const struct model *m = a->r->m;
    uint32_t sections = m->lock_count > 0 ? m->section_start[m->lock_count] : 0;

    a->section_start = memory_new(sections, sizeof *a->section_start);
    a->section_end = memory_new(sections, sizeof *a->section_end);
    for (uint32_t s = 0; s < sections; s++) {
        size_t at = t->list[t->track_of[s]].offset + t->index_in[s];
        a->section_start[at] = a->start[m->sections[s].acquire];
        a->section_end[at] = a->end[m->sections[s].acquire];
    }
}

void abstraction_init(struct abstraction *a, const struct reach *r)
{
    size_t events = (size_t)r->m->event_count + 1;

    *a = (struct abstraction){.r = r};
    a->start = memory_new(events, sizeof *a->start);
    a->end = memory_new(events, sizeof *a->end);
    a->scratch = memory_new(r->m->thread_count, sizeof *a->scratch);
    a->moved = memory_new(r->m->thread_count, sizeof *a->moved);
    find_vertices(a);
    find_section_vertices(a);
}

void abstraction_free(struct abstraction *a)
{
    free(a->start);
    free(a->end);
    free(a->section_start);
    free(a->section_end);
    free(a->scratch);
    free(a->boxes);
    free(a->corners);
    free(a->moved);
}

static void lower(const struct abstraction *a, uint32_t *cut, event_id to)
{
    thread_id t = thread_of(a->r->m, to);

    if (a->start[to] < cut[t])
        cut[t] = a->start[to];
}

static void raise(const struct abstraction *a, uint32_t *cut, event_id to)
{
    thread_id t = thread_of(a->r->m, to);

    if (a->end[to] > cut[t])
        cut[t] = a->end[to];
}

/* Where the sections that `section` is unordered with lead to, the first or the last of each rival track. */
static void visit_rivals(const struct abstraction *a, uint32_t section, uint32_t *cut, bool forward)
{
    const struct reach *r = a->r;
    const struct track *own = &r->tracks.list[r->tracks.track_of[section]];
    size_t bounds = tracks_bounds(&r->tracks, section);

    for (uint32_t k = 0; k < own->rival_count; k++) {
        uint32_t low = r->before[bounds + k], high = r->after[bounds + k];
        if (low >= high)
            continue;
        const struct track *rival = &r->tracks.list[r->tracks.rivals[own->first_rival + k]];
        uint32_t *there = &cut[rival->owner];
        if (forward && a->section_start[rival->offset + low] < *there)
            *there = a->section_start[rival->offset + low];
        if (!forward && a->section_end[rival->offset + high - 1] > *there)
            *there = a->section_end[rival->offset + high - 1];
    }
}

void abstraction_after(const struct abstraction *a, event_id e, uint32_t *cut)
{
    const struct reach *r = a->r;
    const struct model *m = r->m;
    uint32_t *done = a->scratch;
    bool again = true;

    for (thread_id t = 0; t < m->thread_count; t++)
        cut[t] = done[t] = thread_length(m, t);
    lower(a, cut, e);
    while (again) {
        again = false;
        for (thread_id t = 0; t < m->thread_count; t++) {
            again |= cut[t] < done[t];
            while (cut[t] < done[t]) {
                event_id from = event_at(m, t, --done[t]);
                for (uint32_t arc = r->first_out[from]; arc != 0; arc = r->arcs[arc - 1].next_out)
                    if (!r->arcs[arc - 1].gone)
                        lower(a, cut, r->arcs[arc - 1].to);
                if (r->opens[from])
                    visit_rivals(a, r->opens[from] - 1, cut, true);
            }
        }
    }
}

void abstraction_before(const struct abstraction *a, event_id e, uint32_t *cut)
{
    const struct reach *r = a->r;
    const struct model *m = r->m;
    uint32_t *done = a->scratch;
    bool again = true;

    for (thread_id t = 0; t < m->thread_count; t++)
        cut[t] = done[t] = 0;
    raise(a, cut, e);
    while (again) {
        again = false;
        for (thread_id t = 0; t < m->thread_count; t++) {
            again |= done[t] < cut[t];
            while (done[t] < cut[t]) {
                event_id to = event_at(m, t, done[t]++);
                for (uint32_t arc = r->first_in[to]; arc != 0; arc = r->arcs[arc - 1].next_in)
                    if (!r->arcs[arc - 1].gone)
                        raise(a, cut, r->arcs[arc - 1].from);
                if (r->opens[to])
                    visit_rivals(a, r->opens[to] - 1, cut, false);
            }
        }
    }
}

void abstraction_clear(struct abstraction *a)
{
    a->boxes_count = a->corners_count = 0;
}

void abstraction_add_box(struct abstraction *a, const uint32_t *first, const uint32_t *last)
{
    size_t corner = a->corners_count;

    ARRAY_PUSH(a, boxes, (struct box){corner});
    for (thread_id t = 0; t < a->r->m->thread_count; t++)
        ARRAY_PUSH(a, corners, first[t]);
    for (thread_id t = 0; t < a->r->m->thread_count; t++)
        ARRAY_PUSH(a, corners, last[t]);
}

bool abstraction_holds(const struct abstraction *a, event_id e)
{
    const struct model *m = a->r->m;
    thread_id t = thread_of(m, e);

    for (size_t i = 0; i < a->boxes_count; i++) {
        const uint32_t *first = a->corners + a->boxes[i].corner;
        if (m->position[e] >= first[t] && m->position[e] < first[m->thread_count + t])
            return true;
    }
    return false;
}

/* Both sections of an unordered pair lie in the same boxes: an undirected edge leads both ways. So half of the
 * sum over sections is the number of pairs. */
uint64_t abstraction_count(const struct abstraction *a)
{
    const struct reach *r = a->r;
    uint64_t ends = 0;

    if (a->boxes_count == 0)
        return 0;
    for (size_t i = 0; i < r->tracks.list_count; i++) {
        const struct track *track = &r->tracks.list[i];
        for (size_t s = 0; s < track->sections_count; s++) {
            uint64_t pairs = 0;
            for (uint32_t k = 0; k < track->rival_count; k++) {
                size_t bound = track->bounds + s * track->rival_count + k;
                pairs += r->after[bound] > r->before[bound] ? r->after[bound] - r->before[bound] : 0;
            }
            if (pairs > 0 && abstraction_holds(a, r->m->sections[track->sections[s]].acquire))
                ends += pairs;
        }
    }
    return ends / 2;
}
