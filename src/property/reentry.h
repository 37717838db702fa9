/* Distinguishes lock operations with an effect from re-entrant inner ones, in one pass.
 *
 * Inner: an acquire by a thread that holds the lock in that mode, and its release. */
#pragma once
#include "base/map.h"
#include "model/model.h"

struct reentry {
    uint32_t *exclusive; /* by lock: how deep its holder holds it */
    struct map shared;   /* (lock, thread) → how deep in shared mode */
};

void reentry_init(struct reentry *r, const struct model *m);
void reentry_free(struct reentry *r);

/* Whether the lock operation `e` has an effect; tryfail has. To be called for every one in order. */
bool reentry_effective(struct reentry *r, const struct model *m, event_id e);

static inline bool kind_locks(enum event_kind kind)
{
    return kind >= EVENT_ACQUIRE && kind <= EVENT_TRY_FAIL;
}

/* As a variable, a lock is written by acq and rel and read by racq, rrel and tryfail: two of the latter
 * commute. */
static inline bool kind_locks_exclusively(enum event_kind kind)
{
    return kind == EVENT_ACQUIRE || kind == EVENT_RELEASE;
}
