/* Sections of a lock by owner and mode. */
#include "method/graph/tracks.h"
#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

static void find_rivals(struct tracks *t)
{
    size_t sections = 0;

    for (uint32_t i = 0, begin = 0; i < t->list_count; i++) {
        struct track *track = &t->list[i];
        while (t->list[begin].lock != track->lock)
            begin++;
        track->first_rival = (uint32_t)t->rivals_count;
        for (uint32_t j = begin; j < t->list_count && t->list[j].lock == track->lock; j++)
            if (t->list[j].owner != track->owner && !(t->list[j].shared && track->shared))
                ARRAY_PUSH(t, rivals, j);
        track->rival_count = (uint32_t)t->rivals_count - track->first_rival;
        track->bounds = t->bounds_count;
        track->offset = sections;
        sections += track->sections_count;
        t->bounds_count += track->sections_count * track->rival_count;
    }
}

static void find_slots(struct tracks *t)
{
    t->slot = memory_new(t->rivals_count, sizeof *t->slot);
    for (uint32_t i = 0; i < t->list_count; i++) {
        const struct track *track = &t->list[i];
        for (uint32_t k = 0; k < track->rival_count; k++) {
            const struct track *rival = &t->list[t->rivals[track->first_rival + k]];
            while (t->rivals[rival->first_rival + t->slot[track->first_rival + k]] != i)
                t->slot[track->first_rival + k]++;
        }
    }
}

void tracks_init(struct tracks *t, const struct model *m)
{
    uint32_t sections = m->lock_count > 0 ? m->section_start[m->lock_count] : 0;

    *t = (struct tracks){.m = m};
    t->track_of = memory_new(sections, sizeof *t->track_of);
    t->index_in = memory_new(sections, sizeof *t->index_in);
    for (lock_id l = 0; l < m->lock_count; l++) {
        struct map known = {0}; /* (owner, mode) → track, plus 1 */
        for (uint32_t s = m->section_start[l]; s < m->section_start[l + 1]; s++) {
            const struct section *section = &m->sections[s];
            uint32_t *track = map_at(&known, map_pair(section->owner, section->shared));
            if (*track == 0) {
                ARRAY_PUSH(t, list,
                           (struct track){.lock = l, .owner = section->owner, .shared = section->shared});
                *track = (uint32_t)t->list_count;
            }
            t->track_of[s] = *track - 1;
            t->index_in[s] = (uint32_t)t->list[*track - 1].sections_count;
            ARRAY_PUSH(&t->list[*track - 1], sections, s);
        }
        map_free(&known);
    }
    find_rivals(t);
    find_slots(t);
}

void tracks_free(struct tracks *t)
{
    for (size_t i = 0; i < t->list_count; i++)
        free(t->list[i].sections);
    free(t->list);
    free(t->rivals);
    free(t->slot);
    free(t->track_of);
    free(t->index_in);
}
