/* How halts are ruled out; private to halts. */
#pragma once
#include "property/halts.h"

/* Drops acquires of locks that no other thread can hold at any of its own halts, to a fixpoint. */
void halts_drop_locks(struct halts *h);

/* Drops halts that no halt of another thread explains, to a fixpoint. */
void halts_drop_lonely(struct halts *h);

/* Whether a run that comes to `e` keeps the read as it was observed, from its own source. */
static inline bool read_is_kept(const struct model *m, event_id read, event_id e)
{
    return read_bound_at(m, read) <= m->position[e];
}

/* What the thread has taken of the semaphore after its first `position` events. */
int64_t balance_at(const struct balances *b, uint32_t position);
