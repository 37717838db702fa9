/* What refutes that a read sees a write, before the solver is asked (semantics §3, nondeterminism). */
#include "base/memory.h"
#include "property/nondet_parts.h"

#include <string.h>

/* Whether the write leaves what the read saw, whatever happens: nobody notices the difference. */
bool nondet_is_same(const struct nondet_reader *r, event_id write)
{
    const struct model *m = r->w->m;

    if (!known_equal(model_written(m, write, r->x), model_seen(m, r->read)))
        return false;
    if (write == EVENT_INIT)
        return true;
    return m->grounds ? model_made(m, write).form == MADE_CONSTANT : kind_of(m, write) != EVENT_RMW;
}

/* Whether the thread of the write writes the variable again before it ends this section. */
static bool is_rewritten(const struct nondet_reader *r, event_id write, const struct section *around)
{
    const struct model *m = r->w->m;
    struct event_span accesses = accesses_of(m, r->x);

    if (around->release == EVENT_NONE)
        return false;
    for (size_t i = events_up_to(accesses.events, accesses.count, write);
         i < accesses.count && accesses.events[i] < around->release; i++)
        if (thread_of(m, accesses.events[i]) == thread_of(m, write) &&
            kind_writes(kind_of(m, accesses.events[i])))
            return true;
    return false;
}

/* Whether a write that must come before the read, in another section than that of the write to be seen, comes after
 * that one: in the read's own section it does, as that comes last; in any other it does if the section of the write
 * to be seen begins before that one ends. */
static bool lies_between(const struct nondet_reader *r, event_id other, const struct section *seen,
                         const struct section *last)
{
    const struct model *m = r->w->m;
    const struct section *between = other == EVENT_INIT ? NULL : section_around(m, section_lock(last), other);

    if (!between || between == seen || between == last)
        return between && between == last;
    return !between->shared && between->release != EVENT_NONE &&
           must_before(m, seen->acquire, between->release);
}

/* Whether the sections of one lock refute the write at once. The read's section comes last, so that of the
 * write is complete then, and must not write again; nor may a write come between. */
bool nondet_is_locked_out(const struct nondet_reader *r, event_id write)
{
    const struct model *m = r->w->m;
    uint32_t h = model_guard_at(m, thread_of(m, r->read), m->position[r->read]);

    for (; h != HOLD_NONE && write != EVENT_INIT; h = m->holds[h].outer) {
        const struct section *last = &m->sections[m->holds[h].section];
        const struct section *seen = section_around(m, section_lock(last), write);
        if (!seen || seen == last || last->shared || seen->shared)
            continue;
        if (is_rewritten(r, write, seen))
            return true;
        for (size_t i = 0; i < r->writes->list_count; i++)
            if (r->limit[i].last != write && lies_between(r, r->limit[i].last, seen, last))
                return true;
    }
    return false;
}

/* From where on the read has to have seen another write than the initial one; POSITION_END: never. Of events that stand on it
 * with a range only the first is looked at. */
static uint32_t find_gone_at(const struct nondet_reader *r, event_id read)
{
    const struct model *m = r->w->m;
    uint32_t first = read_first_at(m, read);

    if (m->source[read] == EVENT_INIT || model_may_show(m, EVENT_INIT, read))
        return POSITION_END;
    if (first >= read_plain_at(m, read) || !m->values)
        return read_plain_at(m, read);
    struct ground_list by = trace_by(m->trace, event_at(m, thread_of(m, read), first));
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.read == read && !known_in_ranges(m->initial_values[r->x], g.ranges, g.range_count))
            return first;
    }
    return read_plain_at(m, read);
}

static void find_gone(struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    struct event_span accesses = accesses_of(m, r->x);

    r->gone_at = memory_resize(NULL, m->thread_count, sizeof *r->gone_at);
    memset(r->gone_at, 0xff, m->thread_count * sizeof *r->gone_at);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        uint32_t at = m->source[e] != EVENT_NONE ? find_gone_at(r, e) : POSITION_END;
        uint32_t *gone = &r->gone_at[thread_of(m, e)];
        *gone = at < *gone ? at : *gone;
    }
}

/* Whether a read of the variable that comes before this one in every run that has it needs another write than the initial one:
 * that is seen by nobody then. */
bool nondet_is_initial_gone(struct nondet_reader *r)
{
    const struct model *m = r->w->m;
    thread_id own = thread_of(m, r->read);

    if (!r->gone_at)
        find_gone(r);
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t count = t == own ? m->position[r->read] + 1 : r->base[t];
        if (r->gone_at[t] < count)
            return true;
    }
    return false;
}
