/* Stale: a write that stands on a read of the same variable which another thread's write has overtaken
 * (semantics §3).
 *
 * For each write w and each of the at most two reads it stands on (named.h), a class of another thread's writes
 * has as candidates those that need not come before the read and need not come after w: of those that must come
 * before w the last one, and all that need not. Both limits are found by halving or move along with w.
 *
 * A grouped check asks first for what the trace itself shows: the last write before w is another thread's, and comes after the
 * read. One such candidate stands for its source locations, and spares the search for others there. */
#include "base/map.h"
#include "base/memory.h"
#include "property/classes.h"
#include "property/named.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>

struct overtaking {
    struct worker *w;
    const struct classes *writes;
    uint64_t *others; /* by thread: writes to the variable by other threads */
    struct class_limits limits;
    const struct class_limit *limit; /* by class: of the thread of w, at w */
    event_id read, write;
    lock_id *guards; /* held exclusively at every write to the variable */
    size_t guards_count, guards_capacity;
    bool observed_first; /* only what the trace shows is asked for; after that, the others */
    struct map asked;    /* read and write → the remote write that was asked for first */
};

/* Whether another write that must come before w must come after this one. */
static bool is_overwritten(const struct overtaking *o, event_id write)
{
    for (size_t i = 0; i < o->writes->list_count; i++) {
        event_id known = o->limit[i].last;
        if (known != EVENT_INIT && known != write && must_before(o->w->m, write, known))
            return true;
    }
    return false;
}

/* Whether the lock is held around `e`, in a mode that excludes this one. */
static bool is_held_at(const struct model *m, event_id e, lock_id lock, bool shared)
{
    return shared ? exclusive_around(m, lock, e) : section_around(m, lock, e);
}

/* Whether every write to the variable happens under this lock, held exclusively. */
static bool guards_all(const struct overtaking *o, lock_id lock)
{
    for (size_t i = 0; i < o->guards_count; i++)
        if (o->guards[i] == lock)
            return true;
    return false;
}

/* Whether one section holds both the read and w, of a lock that every write to the variable needs; or, given
 * one, that this write needs. */
static bool is_locked_out(const struct overtaking *o, event_id remote)
{
    const struct model *m = o->w->m;
    uint32_t h = model_guard_at(m, thread_of(m, o->read), m->position[o->read]);

    for (; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        lock_id lock = section_lock(s);
        if (s->release > o->write && /* EVENT_NONE is the largest */
            (remote == EVENT_NONE ? guards_all(o, lock) : is_held_at(m, remote, lock, s->shared)))
            return true;
    }
    return false;
}

static uint64_t ask(const struct overtaking *o, event_id remote)
{
    uint32_t events[] = {o->read, remote, o->write};

    if (map_get(&o->asked, map_pair(o->read, o->write)) == remote)
        return 1;
    if (is_locked_out(o, remote) || named_likeness(o->w->m, o->read, remote, o->write) == LIKENESS_SAME)
        return 0;
    if (!worker_skips(o->w, PROPERTY_STALE, events, 3, 1))
        worker_ask(o->w, PROPERTY_STALE, events, 3);
    return 1;
}

/* How many of these writes of the class, none or one, were asked for already. */
static uint32_t count_asked(const struct overtaking *o, const struct access_class *c, uint32_t start,
                            uint32_t end)
{
    event_id asked = map_get(&o->asked, map_pair(o->read, o->write));
    size_t up_to = asked ? events_up_to(c->events + start, end - start, asked) : 0;

    return up_to > 0 && c->events[start + up_to - 1] == asked;
}

/* The writes of one class; returns how many candidates are settled. */
static uint64_t check_class(const struct overtaking *o, size_t class)
{
    const struct model *m = o->w->m;
    const struct access_class *c = &o->writes->list[class];
    thread_id t = thread_of(m, o->write);
    uint32_t start =
        accesses_before(m, c->events, c->count, clocks_forward_row(m, t, m->position[o->read])[c->thread]);
    uint32_t before = o->limit[class].before, end = o->limit[class].not_after;
    uint64_t settled = 0;

    if (start >= end)
        return 0;
    if (before > start && !is_overwritten(o, c->events[before - 1]))
        settled += ask(o, c->events[before - 1]);
    start = before > start ? before : start;
    uint32_t known = count_asked(o, c, start, end);
    if (end - start > known &&
        worker_skips(o->w, PROPERTY_STALE, (uint32_t[]){o->read, c->events[start], o->write}, 3,
                     end - start - known))
        return settled + (end - start);
    /* The nearest first: in a grouped check it is most likely the only one that has to be asked for. */
    uint32_t after = start + (uint32_t)events_up_to(c->events + start, end - start, o->write);
    for (uint32_t next = after; (next > start || after < end) && !*o->w->stop;) {
        bool back =
            after == end || (next > start && o->write - c->events[next - 1] < c->events[after] - o->write);
        settled += ask(o, back ? c->events[--next] : c->events[after++]);
    }
    return settled;
}

/* The candidate of one read and the write that stands on it which the trace shows, if there is one. */
static void check_observed(struct overtaking *o)
{
    const struct model *m = o->w->m;
    event_id last = model_last_write(m, arg_of(m, o->write), o->write - 1);

    assert(last < o->write);
    if (last <= o->read || thread_of(m, last) == thread_of(m, o->write))
        return;
    if (ask(o, last) > 0)
        *map_at(&o->asked, map_pair(o->read, o->write)) = last;
}

/* The candidates of one read and the write that stands on it. */
static void check_pair(struct overtaking *o)
{
    bool locked = is_locked_out(o, EVENT_NONE);
    uint64_t settled = 0;

    for (size_t i = 0; i < o->writes->list_count && !locked && !*o->w->stop; i++)
        if (o->writes->list[i].thread != thread_of(o->w->m, o->write))
            settled += check_class(o, i);
    assert(*o->w->stop || settled <= o->others[thread_of(o->w->m, o->write)]);
    if (!*o->w->stop)
        worker_refute(o->w, PROPERTY_STALE, REFUTED_MUST_ORDER,
                      o->others[thread_of(o->w->m, o->write)] - settled);
}

static void check_write(struct overtaking *o, const struct named_reads *named)
{
    const struct model *m = o->w->m;

    o->w->stats[PROPERTY_STALE].subjects += !o->observed_first;
    if (!o->observed_first)
        o->limit = class_limits_at(&o->limits, o->write, base_row(m, o->write));
    for (unsigned i = 0; i < named->count && !*o->w->stop; i++) {
        o->read = named->reads[i];
        assert(o->read < o->write && thread_of(m, o->read) == thread_of(m, o->write));
        if (o->observed_first)
            check_observed(o);
        else
            check_pair(o);
    }
}

/* For each thread, how many writes the others have. */
static uint64_t *count_others(const struct model *m, const struct classes *writes)
{
    uint64_t *others = memory_new(m->thread_count, sizeof *others), all = 0;

    for (size_t i = 0; i < writes->list_count; i++)
        all += writes->list[i].count;
    for (thread_id t = 0; t < m->thread_count; t++)
        others[t] = all;
    for (size_t i = 0; i < writes->list_count; i++)
        others[writes->list[i].thread] -= writes->list[i].count;
    return others;
}

static void find_guards(struct overtaking *o, struct event_span accesses)
{
    const struct model *m = o->w->m;
    event_id first = EVENT_NONE;

    for (size_t i = 0; i < accesses.count && first == EVENT_NONE; i++)
        if (kind_writes(kind_of(m, accesses.events[i])))
            first = accesses.events[i];
    if (first == EVENT_NONE)
        return;
    for (uint32_t h = model_guard_at(m, thread_of(m, first), m->position[first]); h != HOLD_NONE;
         h = m->holds[h].outer) {
        lock_id lock = section_lock(&m->sections[m->holds[h].section]);
        size_t i = 0;
        while (i < accesses.count &&
               (!kind_writes(kind_of(m, accesses.events[i])) || is_held_at(m, accesses.events[i], lock, true)))
            i++;
        if (i == accesses.count)
            ARRAY_PUSH(o, guards, lock);
    }
}

static void check_writes(struct overtaking *o, struct event_span accesses)
{
    const struct model *m = o->w->m;
    uint64_t subjects = 0;

    for (size_t i = 0; i < accesses.count && !*o->w->stop; i++) {
        event_id e = accesses.events[i];
        struct named_reads named = {.count = 0};
        if (kind_writes(kind_of(m, e)))
            named = named_reads(m, e);
        o->write = e;
        if (named.count > 0 && worker_takes(o->w, subjects++, e))
            check_write(o, &named);
    }
}

void stale_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    struct classes writes;
    struct overtaking o = {.w = w, .writes = &writes};

    if (!m->grounds)
        return;
    find_guards(&o, accesses);
    classes_build(&writes, m, x, kind_writes, false);
    o.others = count_others(m, &writes);
    class_limits_init(&o.limits, m, &writes);
    for (o.observed_first = !w->options->all; o.observed_first; o.observed_first = false)
        check_writes(&o, accesses);
    check_writes(&o, accesses);
    map_free(&o.asked);
    class_limits_free(&o.limits);
    classes_free(&writes);
    free(o.guards);
    free(o.others);
}
