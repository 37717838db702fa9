/* Distinguishes lock operations with an effect from re-entrant inner ones. */
#include "property/reentry.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void reentry_init(struct reentry *r, const struct model *m)
{
    *r = (struct reentry){.exclusive = memory_new(m->lock_count, sizeof *r->exclusive)};
}

void reentry_free(struct reentry *r)
{
    free(r->exclusive);
    map_free(&r->shared);
}

bool reentry_effective(struct reentry *r, const struct model *m, event_id e)
{
    lock_id l = arg_of(m, e);

    switch (kind_of(m, e)) {
    case EVENT_ACQUIRE:
        return r->exclusive[l]++ == 0;
    case EVENT_RELEASE:
        assert(r->exclusive[l] > 0);
        return --r->exclusive[l] == 0;
    case EVENT_SHARED_ACQUIRE:
        return (*map_at(&r->shared, map_pair(l, thread_of(m, e))))++ == 0;
    case EVENT_SHARED_RELEASE:
        return --*map_at(&r->shared, map_pair(l, thread_of(m, e))) == 0;
    default:
        return true;
    }
}
