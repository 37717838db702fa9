/* Sections of a lock by owner and mode, in order: what a thread did with a lock. Two tracks of a lock exclude
 * each other unless both are shared or of one thread.
 *
 * Sections of one track do not overlap, so of another track's sections those that come before a given one are a
 * first part of it, and those that come after a last part. */
#pragma once
#include "model/model.h"

struct track {
    lock_id lock;
    thread_id owner;
    bool shared;
    uint32_t *sections; /* of the model, in order */
    size_t sections_count, sections_capacity;
    uint32_t first_rival, rival_count; /* in rivals: the tracks of the same lock that exclude this one */
    size_t bounds;                     /* where the bounds of its first section begin */
    size_t offset;                     /* how many sections the tracks before it have */
};

struct tracks {
    const struct model *m;
    struct track *list;
    size_t list_count, list_capacity;
    uint32_t *rivals; /* tracks */
    size_t rivals_count, rivals_capacity;
    uint32_t *track_of, *index_in; /* by section: its track, and where in it */
    uint32_t *slot;                /* by entry of rivals: where the track itself is among the rival's rivals */
    size_t bounds_count;           /* one for each section and rival track */
};

void tracks_init(struct tracks *t, const struct model *m);
void tracks_free(struct tracks *t);

/* Where the bounds of a section against its track's rivals are kept, one after the other. */
static inline size_t tracks_bounds(const struct tracks *t, uint32_t section)
{
    const struct track *track = &t->list[t->track_of[section]];

    return track->bounds + (size_t)t->index_in[section] * track->rival_count;
}
