/* Open sections that a run cannot leave open.
 *
 * Let r be a read in a section S of a lock, and bound: it sees its source w. If the run holds a write to the same variable that
 * must come after w, in a section Q of the lock that excludes S, then r comes before that write, S before Q, and the run holds
 * the release of S. */
#include "solve/overtaken.h"

#include <assert.h>

/* How many events of a section are looked at, from its start. */
enum { EVENTS = 256 };

/* Whether the write, in a section of the same lock that excludes this one, comes after what the read sees. */
static bool overtakes(const struct model *m, const struct section *s, event_id read, event_id write)
{
    event_id source = m->source[read];
    const struct section *other = section_around(m, section_lock(s), write);

    return other && !(other->shared && s->shared) && kind_of(m, write) != EVENT_CAS &&
           (source == EVENT_INIT || must_before(m, source, write));
}

/* Whether the cut holds a write that overtakes the read: of each thread the first after the source matters, as later ones
 * must come after more. */
static bool is_read_overtaken(const struct model *m, const uint32_t *cut, const struct section *s,
                              event_id read)
{
    variable_id x = arg_of(m, read);

    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        const event_id *writes = m->writes.events + g->first;
        if (g->thread == s->owner || writes[g->count - 1] < m->source[read])
            continue;
        size_t at = events_up_to(writes, g->count, m->source[read]);
        if (at < g->count && cut[g->thread] > m->position[writes[at]] && overtakes(m, s, read, writes[at]))
            return true;
    }
    return false;
}

/* Whether the section, open at the cut, has to be released. */
static bool is_overtaken(const struct model *m, const struct query *q, const uint32_t *cut,
                         const struct section *s)
{
    uint32_t length = cut[s->owner], first = m->position[s->acquire] + 1;
    uint32_t asked = length + (q->keep[s->owner] && length == q->most[s->owner]);

    assert(first <= length);
    for (uint32_t at = first; at < length && at - first < EVENTS; at++) {
        event_id read = event_at(m, s->owner, at);
        if (m->source[read] != EVENT_NONE && read_bound_at(m, read) < asked &&
            is_read_overtaken(m, cut, s, read))
            return true;
    }
    return false;
}

/* Raises the cut by the release of one such section. False if that is impossible. */
static bool release_one(const struct model *m, const struct query *q, uint32_t *cut, bool *raised)
{
    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t h = cut[t] > 0 ? model_hold_at(m, t, cut[t]) : HOLD_NONE; h != HOLD_NONE;
             h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            if (!is_overtaken(m, q, cut, s))
                continue;
            if (s->release == EVENT_NONE || m->position[s->release] >= q->most[t])
                return false;
            cut[t] = m->position[s->release] + 1;
            *raised = true;
            return true;
        }
    return true;
}

bool overtaken_refutes(const struct model *m, const struct query *q, uint32_t *least, struct rivals *rivals)
{
    bool raised;

    if (!m->writes.start)
        return false; /* values do not count, and little is in doubt */
    do {
        raised = false;
        if (!release_one(m, q, least, &raised) ||
            (raised && cut_close(m, q, least, NULL, rivals) == CUT_IMPOSSIBLE))
            return true;
    } while (raised);
    return false;
}
