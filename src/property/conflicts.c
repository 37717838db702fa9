/* Conflict freedom. A first pass keeps of each object what FastTrack keeps: the last write, and the reads
 * since. It finds exactly the objects that have conflicts; only for these, a second pass looks at all pairs. */
#include "property/conflicts.h"
#include "base/memory.h"
#include "base/row.h"
#include "property/links.h"
#include "property/reentry.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct access {
    thread_id thread;
    uint32_t position;
};

/* An object in one transaction. */
struct conflict_state {
    uint32_t slot;  /* of the transaction … */
    event_id first; /* … and its name; 0: unused */

    bool written;
    struct access write;
    struct access *reads; /* since then; at most one a thread, and only one while they are ordered */
    size_t reads_count, reads_capacity;

    event_id *events; /* in the second pass: what later ones are compared with */
    size_t events_count, events_capacity;
};

/* A variable, a lock or a semaphore. */
struct conflict_object {
    struct conflict_state
        *states; /* one for each transaction under way that uses it; those of others are used again */
    size_t states_count, states_capacity;
    bool conflicts; /* known after the first pass */
};

struct conflict_pass {
    const struct model *m;
    struct transactions transactions;
    struct reentry reentry;
    struct links *links;
    uint32_t *rows; /* by thread: how many events of each thread are before its next one; its own is behind */
    struct conflict_object *objects;
    size_t object_count;
    thread_id thread; /* of the event under way */

    bool second, all;
    bool found;
    void (*on_conflict)(void *context, event_id block, event_id first, event_id second);
    void *context;
};

static uint32_t *row_of(const struct conflict_pass *p, thread_id t)
{
    return p->rows + (size_t)t * p->m->thread_count;
}

static void row_join(const struct conflict_pass *p, uint32_t *to, const uint32_t *from)
{
    row_raise(to, from, p->m->thread_count);
}

static void *load_share(void *context, void *load)
{
    const struct conflict_pass *p = context;
    uint32_t *copy = memory_resize(NULL, p->m->thread_count, sizeof *copy);

    memcpy(copy, load, p->m->thread_count * sizeof *copy);
    return copy;
}

static void *load_merge(void *context, void *into, void *from)
{
    row_join(context, into, from);
    free(from);
    return into;
}

static void load_drop(void *context, void *load)
{
    (void)context;
    free(load);
}

static void load_take(void *context, void *load)
{
    const struct conflict_pass *p = context;

    row_join(p, row_of(p, p->thread), load);
}

/* The object that conflicts at `e` would be about; SIZE_MAX if there can be none. */
static size_t object_of(const struct model *m, event_id e)
{
    enum event_kind kind = kind_of(m, e);

    if (kind_accesses(kind))
        return arg_of(m, e);
    if (kind_locks(kind))
        return (size_t)m->variable_count + arg_of(m, e);
    if (kind == EVENT_SEM_WAIT)
        return (size_t)m->variable_count + m->lock_count + arg_of(m, e);
    return SIZE_MAX;
}

static bool writes_object(enum event_kind kind)
{
    return kind_writes(kind) || kind_locks_exclusively(kind) || kind == EVENT_SEM_WAIT;
}

/* Whether two operations on one object conflict, the second after the first. */
static bool kinds_conflict(enum event_kind first, enum event_kind second)
{
    if (!kind_locks(first))
        return writes_object(first) || writes_object(second);
    if (first == EVENT_TRY_FAIL || second == EVENT_TRY_FAIL)
        return kind_locks_exclusively(first) || kind_locks_exclusively(second);
    return (first == EVENT_RELEASE && (second == EVENT_ACQUIRE || second == EVENT_SHARED_ACQUIRE)) ||
           (first == EVENT_SHARED_RELEASE && second == EVENT_ACQUIRE);
}

static struct conflict_state *state_of(struct conflict_pass *p, struct conflict_object *o,
                                       const struct transaction *in)
{
    struct conflict_state *free_one = NULL;

    assert(transaction_lives(&p->transactions, in->slot, in->first));
    for (size_t i = 0; i < o->states_count; i++) {
        struct conflict_state *s = &o->states[i];
        if (s->first == in->first)
            return s;
        if (!free_one && !transaction_lives(&p->transactions, s->slot, s->first))
            free_one = s;
    }
    if (!free_one) {
        ARRAY_PUSH(o, states, (struct conflict_state){0});
        free_one = &o->states[o->states_count - 1];
    }
    free_one->slot = in->slot;
    free_one->first = in->first;
    free_one->written = false;
    free_one->reads_count = free_one->events_count = 0;
    return free_one;
}

static bool is_ordered(const struct conflict_pass *p, struct access a)
{
    return a.thread == p->thread || a.position < row_of(p, p->thread)[a.thread];
}

static bool read_object(struct conflict_pass *p, struct conflict_state *s, struct access now)
{
    bool conflict = s->written && !is_ordered(p, s->write);

    if (s->reads_count == 1 && is_ordered(p, s->reads[0])) {
        s->reads[0] = now;
        return conflict;
    }
    for (size_t i = 0; i < s->reads_count; i++) {
        if (s->reads[i].thread == now.thread) {
            s->reads[i] = now;
            return conflict;
        }
    }
    assert(s->reads_count < p->m->thread_count); /* one for each thread at most */
    ARRAY_PUSH(s, reads, now);
    return conflict;
}

static bool write_object(struct conflict_pass *p, struct conflict_state *s, struct access now)
{
    bool conflict = s->written && !is_ordered(p, s->write);

    for (size_t i = 0; i < s->reads_count; i++)
        conflict |= !is_ordered(p, s->reads[i]);
    s->reads_count = 0;
    s->written = true;
    s->write = now;
    return conflict;
}

static bool alike(const struct model *m, event_id a, event_id b)
{
    return thread_of(m, a) == thread_of(m, b) && m->trace->location[a] == m->trace->location[b] &&
           kind_of(m, a) == kind_of(m, b);
}

/* Compares with all before it: what is not ordered before an older one is not before a newer one of its thread.
 */
static void compare(struct conflict_pass *p, struct conflict_state *s, event_id e)
{
    const struct model *m = p->m;
    size_t mine = s->events_count;

    for (size_t i = 0; i < s->events_count; i++) {
        event_id other = s->events[i];
        assert(other < e);
        if (kinds_conflict(kind_of(m, other), kind_of(m, e)) &&
            !is_ordered(p, (struct access){thread_of(m, other), m->position[other]}))
            p->on_conflict(p->context, s->first, other, e);
        if (!p->all && alike(m, other, e))
            mine = i;
    }
    if (mine == s->events_count)
        ARRAY_PUSH(s, events, e);
    else
        s->events[mine] = e;
}

static void do_object(struct conflict_pass *p, struct conflict_object *o, const struct transaction *in,
                      event_id e)
{
    struct access now = {p->thread, p->m->position[e]};
    struct conflict_state *s;

    if (p->second && !o->conflicts)
        return;
    s = state_of(p, o, in);
    if (p->second) {
        compare(p, s, e);
    } else if (writes_object(kind_of(p->m, e)) ? write_object(p, s, now) : read_object(p, s, now)) {
        o->conflicts = true;
        p->found = true;
    }
}

static void synchronize(struct conflict_pass *p, event_id e, enum event_kind kind)
{
    uint32_t *row = row_of(p, p->thread);

    if (kind == EVENT_JOIN) {
        thread_id child = arg_of(p->m, e);
        row_join(p, row, row_of(p, child));
        row[child] = thread_length(p->m, child);
    }
    if (links_takes(kind))
        links_take(p->links, e);
    assert(row[p->thread] <= p->m->position[e]); /* nobody knows more of a thread than it has done */
    row[p->thread] = p->m->position[e] + 1;
    if (links_gives(kind))
        links_give(p->links, e, load_share(p, row));
    if (kind == EVENT_FORK && thread_length(p->m, arg_of(p->m, e)) > 0)
        memcpy(row_of(p, arg_of(p->m, e)), row, p->m->thread_count * sizeof *row);
}

static void do_event(struct conflict_pass *p, event_id e)
{
    enum event_kind kind = kind_of(p->m, e);
    const struct transaction *in = transactions_at(&p->transactions, e);
    bool effective = !kind_locks(kind) || reentry_effective(&p->reentry, p->m, e);

    p->thread = thread_of(p->m, e);
    /* What came before the first fork is before everything else in the transaction. */
    if (in && in->forked && effective && object_of(p->m, e) != SIZE_MAX)
        do_object(p, &p->objects[object_of(p->m, e)], in, e);
    if (!kind_accesses(kind) && !kind_locks(kind))
        synchronize(p, e, kind);
    transactions_after(&p->transactions, e);
}

static void run(struct conflict_pass *p, const stop_flag *stop)
{
    static const struct link_ops ops = {
        .share = load_share, .merge = load_merge, .drop = load_drop, .take = load_take};
    const struct model *m = p->m;

    transactions_init(&p->transactions, m, EVENT_DET_BEGIN);
    reentry_init(&p->reentry, m);
    p->links = links_new(m, &ops, p);
    p->rows = memory_new((size_t)m->thread_count * m->thread_count, sizeof *p->rows);
    for (event_id e = 1; e <= m->event_count && !*stop; e++)
        do_event(p, e);
    free(p->rows);
    links_free(p->links);
    reentry_free(&p->reentry);
    transactions_free(&p->transactions);
}

static void forget_states(struct conflict_object *o)
{
    for (size_t i = 0; i < o->states_count; i++) {
        free(o->states[i].reads);
        free(o->states[i].events);
    }
    free(o->states);
    *o = (struct conflict_object){.conflicts = o->conflicts};
}

void conflicts_find(const struct model *m, bool all, const stop_flag *stop,
                    void (*on_conflict)(void *context, event_id block, event_id first, event_id second),
                    void *context)
{
    struct conflict_pass p = {.m = m, .all = all, .on_conflict = on_conflict, .context = context};

    if (transactions_begins(m, EVENT_DET_BEGIN) == 0)
        return;
    p.object_count = (size_t)m->variable_count + m->lock_count + trace_names(m->trace, NAME_SEMAPHORE);
    p.objects = memory_new(p.object_count, sizeof *p.objects);
    for (int pass = 0; pass < 2; pass++) {
        p.second = pass == 1;
        if (!p.second || p.found)
            run(&p, stop);
        for (size_t i = 0; i < p.object_count; i++)
            forget_states(&p.objects[i]);
    }
    free(p.objects);
}
