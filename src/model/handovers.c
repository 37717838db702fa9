/* Atomic flags by which two threads hand something over: one waits until the flag is free, works, and sets it; the other one waits
 * until it is set, works, and frees it.
 *
 * A *take* is a read that saw the flag free, of the one thread, or not free, of the other; its thread's next event happens only
 * then. The write that changes the flag, by the thread that has taken it, gives it to the other one. While a thread is between take and
 * give the flag stays as it took it, so only one of the two is (docs/soundness.md, "Flags that are handed over"). Other writes
 * are all right if must-order keeps them out of all sections. */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>

/* A variable with more writes outside of sections is no flag; nor is one with fewer sections of either thread: of what is handed over
 * once must-order knows as much, and pointers in shared structures often are. */
enum { WRITES_OUTSIDE = 16, TURNS = 2 };

enum side { SETS, FREES, NEITHER };

struct flag {
    const struct model *m;
    struct known_value free;
    thread_id threads[2]; /* by side */
    event_id taken[2];    /* by side: a take since the last write, or EVENT_INIT */
    event_id outside[WRITES_OUTSIDE];
    size_t outside_count;
};

/* Whether numbers in these ranges let the thread go on as a take of this side does. */
static bool ranges_tell(const struct flag *f, enum side side, const struct ground *g)
{
    if (side == FREES)
        return known_is_number(f->free) && !known_in_ranges(f->free, g->ranges, g->range_count);
    return g->range_count == 1 && g->ranges[0].low == g->ranges[0].high &&
           known_in_ranges(f->free, g->ranges, 1);
}

static bool is_take(const struct flag *f, enum side side, event_id read)
{
    const struct model *m = f->m;
    struct known_value seen = model_seen(m, read);
    uint32_t next = m->position[read] + 1;

    if (seen.tag == VALUE_NONE || known_equal(seen, f->free) != (side == SETS) || is_thread_end(m, read))
        return false;
    if (read_plain_at(m, read) == next)
        return true;
    if (read_first_at(m, read) != next)
        return false;
    struct ground_list by = trace_by(m->trace, event_at(m, thread_of(m, read), next));
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.read == read && g.form == GROUND_RANGES && ranges_tell(f, side, &g))
            return true;
    }
    return false;
}

/* Whether the write hands the flag over; else it stays as its thread took it. */
static bool is_give(const struct flag *f, enum side side, event_id write)
{
    return known_equal(model_written(f->m, write, arg_of(f->m, write)), f->free) == (side == FREES);
}

static enum side side_of(const struct flag *f, event_id e)
{
    thread_id t = thread_of(f->m, e);

    return t == f->threads[SETS] ? SETS : t == f->threads[FREES] ? FREES : NEITHER;
}

static void add_section(const struct flag *f, enum side side, event_id give, lock_id lock,
                        struct word_sections *made)
{
    struct section added = section_new(f->m, f->taken[side], false, lock);

    assert(f->taken[side] != EVENT_INIT && f->taken[side] < give);
    added.release = give;
    ARRAY_PUSH(made, made, added);
}

/* Whether the access leaves the variable what it may be: a flag. */
static bool look_at(struct flag *f, event_id e, lock_id lock, struct word_sections *made)
{
    enum side side = side_of(f, e);
    enum event_kind kind = kind_of(f->m, e);

    if (kind != EVENT_ATOMIC_READ && kind != EVENT_ATOMIC_WRITE)
        return kind_reads(kind) && !kind_writes(kind); /* a plain read decides nothing here */
    if (kind == EVENT_ATOMIC_READ) {
        if (side != NEITHER && f->taken[side] == EVENT_INIT && is_take(f, side, e))
            f->taken[side] = e;
        return true;
    }
    if (model_written(f->m, e, arg_of(f->m, e)).tag == VALUE_NONE || model_adds(f->m, e))
        return false;
    if (side != NEITHER && f->taken[side] != EVENT_INIT) {
        if (is_give(f, side, e)) {
            add_section(f, side, e, lock, made);
            f->taken[side] = EVENT_INIT;
        }
        return true;
    }
    if (f->outside_count == WRITES_OUTSIDE)
        return false;
    f->outside[f->outside_count++] = e;
    return true;
}

/* Whether both threads have sections enough, and no other write is in one and changes the flag there. */
static bool are_exclusive(const struct flag *f, const struct word_sections *made, size_t first)
{
    uint32_t turns[2] = {0, 0};

    for (size_t i = first; i < made->made_count; i++) {
        const struct section *s = &made->made[i];
        enum side side = s->owner == f->threads[SETS] ? SETS : FREES;
        turns[side]++;
        for (size_t k = 0; k < f->outside_count; k++)
            if (is_give(f, side, f->outside[k]) && !word_is_outside(f->m, f->outside[k], s))
                return false;
    }
    return turns[SETS] >= TURNS && turns[FREES] >= TURNS;
}

/* Whether the variable is such a flag, freed by this thread and set by the other one; its sections are added then. */
static bool find_sections(struct flag *f, variable_id x, lock_id lock, struct word_sections *made)
{
    struct event_span accesses = accesses_of(f->m, x);
    size_t first = made->made_count;
    bool fits = true;

    f->outside_count = 0;
    f->taken[SETS] = f->taken[FREES] = EVENT_INIT;
    for (size_t i = 0; i < accesses.count && fits; i++)
        fits = look_at(f, accesses.events[i], lock, made);
    for (int side = SETS; side <= FREES && fits; side++)
        if (f->taken[side] != EVENT_INIT)
            add_section(f, (enum side)side, EVENT_NONE, lock, made);
    fits = fits && are_exclusive(f, made, first);
    made->made_count = fits ? made->made_count : first;
    return fits;
}

/* The last atomic writes to the variable by two threads; false if there are none, or it is written in other ways. */
static bool find_writers(const struct model *m, variable_id x, event_id last[2])
{
    struct event_span accesses = accesses_of(m, x);

    last[0] = last[1] = EVENT_INIT;
    for (size_t i = accesses.count; i-- > 0 && last[1] == EVENT_INIT;) {
        event_id e = accesses.events[i];
        if (!kind_writes(kind_of(m, e)))
            continue;
        if (kind_of(m, e) != EVENT_ATOMIC_WRITE)
            return false;
        if (last[0] == EVENT_INIT)
            last[0] = e;
        else if (thread_of(m, e) != thread_of(m, last[0]))
            last[1] = e;
    }
    return last[1] != EVENT_INIT;
}

bool handover_find(const struct model *m, variable_id x, lock_id lock, struct word_sections *made)
{
    event_id last[2];

    if (!find_writers(m, x, last))
        return false;
    for (int frees = 0; frees < 2; frees++) {
        struct flag f = {.m = m, .free = model_written(m, last[frees], x)};
        f.threads[SETS] = thread_of(m, last[1 - frees]);
        f.threads[FREES] = thread_of(m, last[frees]);
        if (f.free.tag != VALUE_NONE && find_sections(&f, x, lock, made))
            return true;
    }
    return false;
}
