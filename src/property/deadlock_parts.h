/* What the search for deadlocks keeps; private to its files. */
#pragma once
#include "property/worker.h"

struct deadlock_link { /* an acquire that wants `wanted` while `held` is held exclusively */
    lock_id held, wanted;
    event_id acquire;
};

struct deadlock_search {
    struct worker *w;
    const struct model *m;
    struct deadlock_link *links; /* sorted by held lock */
    size_t links_count, links_capacity;
    uint32_t *first;     /* by lock: where its links begin; lock_count + 1 */
    uint32_t *component; /* by lock */
    event_id *path;
    size_t path_count, path_capacity;
};

/* Whether both acquires' threads hold one lock in modes that exclude each other, or one of the acquires must
 * come before the other is reached. */
bool acquires_exclude(const struct model *m, event_id a, event_id b);

/* Asks whether the acquires on the path deadlock. */
void deadlock_ask(struct deadlock_search *s);

/* One finding for each set of locations: short cycles first. */
void deadlock_search_kinds(struct deadlock_search *s);
