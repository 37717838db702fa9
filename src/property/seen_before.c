/* What a section S of a lock has read when its thread comes to an event in it. A write w to a variable that S has read must come
 * after the write that S saw. Then w has not come before S: S would have seen w, or a later one. If w is in a section that excludes
 * S, it has not come since either. */
#include "property/seen_before.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

/* How many events back in its thread reads are looked at, and how many accesses after what one of them saw. */
enum { LOOK_BACK = 64, LOOK_ON = 16 };

void seen_before_init(struct seen_before *b, const struct model *m)
{
    *b = (struct seen_before){.m = m, .at = EVENT_NONE};
}

void seen_before_free(struct seen_before *b)
{
    free(b->list);
}

/* The section of the lock of this one around the event, if it excludes this one; else NULL. */
static const struct section *excluded_around(const struct model *m, const struct section *mine, event_id e)
{
    const struct section *s = e == EVENT_INIT ? NULL : section_around(m, section_lock(mine), e);

    return s && !(s->shared && mine->shared) && s->owner != mine->owner ? s : NULL;
}

/* Whether the write comes after the source in every run in which it comes before the section: in any run, or as their sections do, which
 * are over then. */
static bool comes_after(const struct model *m, const struct section *mine, event_id source, event_id write,
                        const struct section *around)
{
    if (source == EVENT_INIT || must_before(m, source, write))
        return true;
    const struct section *earlier =
        around && around->release != EVENT_NONE ? section_around(m, section_lock(mine), source) : NULL;
    return earlier && earlier->owner != around->owner && !(earlier->shared && around->shared) &&
           must_before(m, earlier->acquire, around->release);
}

/* Writes of other threads that come after what the read saw. A cas writes only if it is as observed. */
static void list_later(struct seen_before *b, const struct section *mine, event_id read)
{
    const struct model *m = b->m;
    event_id source = m->source[read];
    struct event_span accesses = accesses_of(m, arg_of(m, read));
    size_t first = events_up_to(accesses.events, accesses.count, source);

    assert(source < read && thread_of(m, read) == mine->owner);
    for (size_t i = first; i < accesses.count && i < first + LOOK_ON; i++) {
        event_id write = accesses.events[i];
        enum event_kind kind = kind_of(m, write);
        if (!kind_writes(kind) || kind == EVENT_CAS || thread_of(m, write) == mine->owner)
            continue;
        const struct section *around = excluded_around(m, mine, write);
        if (comes_after(m, mine, source, write, around))
            ARRAY_PUSH(b, list, (struct later_write){mine, write, around != NULL});
    }
}

/* Looks at the reads before the event in each section around it that must be as observed when it comes. */
static void look_at(struct seen_before *b, event_id at)
{
    const struct model *m = b->m;
    thread_id t = thread_of(m, at);
    uint32_t position = m->position[at], least = position > LOOK_BACK ? position - LOOK_BACK : 0;

    if (b->at == at)
        return;
    b->at = at;
    b->list_count = 0;
    for (uint32_t h = model_guard_at(m, t, position); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *mine = &m->sections[m->holds[h].section];
        for (uint32_t p = position; p-- > least && p > m->position[mine->acquire];) {
            event_id read = event_at(m, t, p);
            if (m->source[read] != EVENT_NONE && read_bound_at(m, read) <= position)
                list_later(b, mine, read);
        }
    }
}

bool seen_before_refutes(struct seen_before *b, event_id read, event_id write)
{
    const struct model *m = b->m;

    assert(m->source[read] != EVENT_NONE && m->source[read] != write);
    if (write == EVENT_INIT || thread_of(m, write) == thread_of(m, read))
        return false;
    look_at(b, read);
    for (size_t i = 0; i < b->list_count; i++) {
        const struct later_write *later = &b->list[i];
        if (later->is_inside && must_before(m, later->write, write))
            return true;
        const struct section *around = excluded_around(m, later->mine, write); /* is over before */
        if (around && around->release != EVENT_NONE && must_before(m, later->write, around->release))
            return true;
    }
    return false;
}

bool seen_before_parts(struct seen_before *b, event_id at, event_id other)
{
    assert(thread_of(b->m, at) != thread_of(b->m, other));
    look_at(b, at);
    for (size_t i = 0; i < b->list_count; i++)
        if (b->list[i].is_inside && must_before(b->m, b->list[i].write, other))
            return true;
    return false;
}
