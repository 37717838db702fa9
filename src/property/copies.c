/* Reads of several variables that one section wrote together.
 *
 * Structures are copied under a lock, one variable after the other. In a run, the reader's section S is the
 * last of three: W, whose write the earlier read must keep seeing, and C, which holds the write in question,
 * are complete before it. If C came after W, the earlier read would see C's write; if W came after C, the read
 * in question would see W's or a later one. So it sees nothing of C. */
#include "property/copies.h"

/* How far back a read is looked for that was made together with this one, and how many accesses of its variable
 * are looked at to find one in a section. */
enum { LOOK_BACK = 8, LOOK_AT = 16 };

static bool is_inside(const struct model *m, const struct section *s, event_id e)
{
    return thread_of(m, e) == s->owner && e > s->acquire && e < s->release;
}

static bool section_writes(const struct model *m, const struct section *s, variable_id x)
{
    struct event_span accesses = accesses_of(m, x);
    size_t first = events_up_to(accesses.events, accesses.count, s->acquire);

    for (size_t i = first; i < accesses.count && i < first + LOOK_AT && accesses.events[i] < s->release; i++)
        if (thread_of(m, accesses.events[i]) == s->owner && kind_writes(kind_of(m, accesses.events[i])))
            return true;
    return false;
}

/* The sections: of the read, of what it saw, of what it is to see. */
static bool are_copies(const struct model *m, event_id read, const struct section *mine,
                       const struct section *seen, const struct section *other)
{
    uint32_t stop = m->position[mine->acquire];

    for (uint32_t position = m->position[read]; position-- > stop + 1;) {
        event_id before = event_at(m, mine->owner, position);
        event_id source = m->source[before];
        if (m->position[read] - position > LOOK_BACK)
            return false;
        if (source != EVENT_NONE && source != EVENT_INIT && read_bound_at(m, before) <= m->position[read] &&
            is_inside(m, seen, source) && section_writes(m, other, arg_of(m, before)))
            return true;
    }
    return false;
}

bool copies_refute(const struct model *m, event_id read, event_id write)
{
    event_id source = m->source[read];
    uint32_t h = model_guard_at(m, thread_of(m, read), m->position[read]);

    if (write == EVENT_INIT || source == EVENT_INIT)
        return false;
    for (; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *mine = &m->sections[m->holds[h].section];
        lock_id lock = section_lock(mine);
        const struct section *seen = mine->shared ? NULL : exclusive_around(m, lock, source);
        const struct section *other = seen ? exclusive_around(m, lock, write) : NULL;
        if (other && seen != mine && other != mine && other != seen && are_copies(m, read, mine, seen, other))
            return true;
    }
    return false;
}
