/* Finds the variables that only the sections of a lock change, and what each section does to them. */
#include "model/guarded.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many writes of a variable are looked at for one that is in a section. */
enum { LOOK_AT = 8 };

/* What an event does in a section of the lock. */
enum use_kind { USE_ACCESS, USE_NOTIFY, USE_WAIT, USE_WOKEN };

struct use {
    uint32_t section;
    event_id event;
    enum use_kind kind;
    uint32_t place;
};

struct use_list {
    struct use *list;
    size_t list_count, list_capacity;
    event_id until; /* only what comes before it */
};

/* Whether the section ends only if the read is as observed, or in a range. */
static bool decides_end(const struct model *m, event_id read, const struct section *s)
{
    return s->release != EVENT_NONE && read_first_at(m, read) <= m->position[s->release];
}

/* Whether the lock guards the variable (guarded.h). Sets `first` and `decides`. */
static bool is_guarded(const struct model *m, lock_id lock, variable_id x, event_id *first, bool *decides)
{
    struct event_span accesses = accesses_of(m, x);
    const struct section *known = NULL;
    event_id last = EVENT_NONE; /* the first write by who clears it */
    bool shared = false, read = false;

    *first = EVENT_INIT;
    *decides = false;
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        const struct section *s = exclusive_around(m, lock, e);
        if (!s && kind_writes(kind_of(m, e))) {
            event_id *outside = known ? &last : first;
            if (kind_reads(kind_of(m, e)) ||
                (*outside != EVENT_INIT && *outside != EVENT_NONE && thread_of(m, *outside) != thread_of(m, e)))
                return false;
            if (!known || last == EVENT_NONE)
                *outside = e;
        }
        if (!s)
            continue;
        shared |= known && known->owner != s->owner;
        read |= kind_reads(kind_of(m, e));
        *decides |= kind_reads(kind_of(m, e)) && decides_end(m, e, s);
        if (last != EVENT_NONE || (*first != EVENT_INIT && s != known && !must_before(m, *first, s->acquire)))
            return false;
        known = s;
    }
    for (size_t i = 0; i < accesses.count && last != EVENT_NONE; i++) {
        const struct section *s = exclusive_around(m, lock, accesses.events[i]);
        if (s && (s->release == EVENT_NONE || !must_before(m, s->release, last)))
            return false;
    }
    return shared && read;
}

/* Where the variable is written in sections, the innermost hold of one of these writes. */
static uint32_t guard_of(const struct model *m, variable_id x)
{
    struct event_span accesses = accesses_of(m, x);

    for (size_t i = 0, writes = 0; i < accesses.count && writes < LOOK_AT; i++) {
        event_id e = accesses.events[i];
        if (!kind_writes(kind_of(m, e)))
            continue;
        uint32_t hold = model_guard_at(m, thread_of(m, e), m->position[e]);
        if (hold != HOLD_NONE)
            return hold;
        writes++;
    }
    return HOLD_NONE;
}

/* The locks that are held exclusively at soft reads. */
static uint8_t *find_soft_locks(const struct model *m)
{
    uint8_t *soft = memory_new((size_t)m->lock_count + m->word_count, 1);

    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE || !is_soft(m, e))
            continue;
        for (uint32_t h = model_guard_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
             h = m->holds[h].outer)
            soft[section_lock(&m->sections[m->holds[h].section])] |= !m->sections[m->holds[h].section].shared;
    }
    return soft;
}

static int by_lock(const void *a, const void *b)
{
    const struct guarded_variable *p = a, *q = b;

    if (p->lock != q->lock)
        return p->lock < q->lock ? -1 : 1;
    return p->x < q->x ? -1 : p->x > q->x;
}

/* Whether the write, outside of sections, may carry another number than it wrote. */
static bool is_open_sum(const struct model *m, event_id write)
{
    static const struct guarded_events none = {.begin = EVENT_NONE};

    return write != EVENT_INIT && guarded_adds_to(m, write, m->position[write], &none) != ADDS_TO_NOTHING;
}

struct guarded_variables guarded_find(const struct model *m)
{
    struct guarded_variables found = {0};
    uint8_t *soft = find_soft_locks(m);

    for (variable_id x = 0; x < m->variable_count; x++) {
        for (uint32_t h = guard_of(m, x); h != HOLD_NONE; h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            event_id first;
            bool decides;
            if (!s->shared && soft[section_lock(s)] && is_guarded(m, section_lock(s), x, &first, &decides))
                ARRAY_PUSH(
                    &found, list,
                    (struct guarded_variable){section_lock(s), x, first, is_open_sum(m, first), decides});
        }
    }
    free(soft);
    if (found.list_count > 0)
        qsort(found.list, found.list_count, sizeof *found.list, by_lock);
    return found;
}

static void add_use(const struct model *m, struct use_list *uses, const struct section *s, event_id e,
                    enum use_kind kind, uint32_t place)
{
    if (e < uses->until)
        ARRAY_PUSH(uses, list, (struct use){(uint32_t)(s - m->sections), e, kind, place});
}

/* Whether every notify of the condition is in an exclusive section of the lock. */
static bool notifies_inside(const struct model *m, lock_id lock, uint32_t condition)
{
    for (uint32_t i = m->notifies.start[condition]; i < m->notifies.start[condition + 1]; i++) {
        const struct thread_group *g = &m->notifies.groups[i];
        for (uint32_t k = 0; k < g->count; k++)
            if (!exclusive_around(m, lock, m->notifies.events[g->first + k]))
                return false;
    }
    return true;
}

static void add_notifies(const struct model *m, lock_id lock, uint32_t condition, struct use_list *uses)
{
    for (uint32_t i = m->notifies.start[condition]; i < m->notifies.start[condition + 1]; i++) {
        const struct thread_group *g = &m->notifies.groups[i];
        for (uint32_t k = 0; k < g->count; k++) {
            event_id e = m->notifies.events[g->first + k];
            add_use(m, uses, exclusive_around(m, lock, e), e, USE_NOTIFY, condition);
        }
    }
}

/* The waits that give the lock back, where only its sections notify. */
static void add_waits(const struct model *m, lock_id lock, struct use_list *uses)
{
    struct map known = {0}; /* condition → 1: its notifies are not all inside; 2: they are */

    for (size_t i = 0; i < m->waits_count; i++) {
        const struct woken_wait *wait = &m->waits[i];
        const struct section *before = exclusive_around(m, lock, wait->pre);
        const struct section *after = before ? exclusive_around(m, lock, wait->post) : NULL;
        if (!after || after->acquire != wait->end)
            continue;
        uint32_t *inside = map_at(&known, arg_of(m, wait->pre));
        if (*inside == 0) {
            *inside = 1 + notifies_inside(m, lock, arg_of(m, wait->pre));
            if (*inside == 2)
                add_notifies(m, lock, arg_of(m, wait->pre), uses);
        }
        if (*inside == 2) {
            add_use(m, uses, before, wait->pre, USE_WAIT, arg_of(m, wait->pre));
            add_use(m, uses, after, wait->post, USE_WOKEN, arg_of(m, wait->pre));
        }
    }
    map_free(&known);
}

static int by_section(const void *a, const void *b)
{
    const struct use *p = a, *q = b;

    if (p->section != q->section)
        return p->section < q->section ? -1 : 1;
    return p->event < q->event ? -1 : p->event > q->event;
}

static uint32_t thread_index(struct guarded_lock *g, thread_id t)
{
    for (size_t i = 0; i < g->threads_count; i++)
        if (g->threads[i] == t)
            return (uint32_t)i;
    ARRAY_PUSH(g, threads, t);
    return (uint32_t)g->threads_count - 1;
}

/* What the section under way has done to a variable. */
struct done {
    uint32_t section; /* plus 1; another one: nothing yet */
    uint32_t op;      /* the op of its first read, if it did not write first */
    bool read, wrote;
    event_id last; /* its last write */
};

static void add_access(const struct model *m, struct guarded_lock *g, const struct use *u, struct done *d,
                       struct guarded_events *events)
{
    enum event_kind kind = kind_of(m, u->event);

    if (d->section != u->section + 1)
        *d = (struct done){.section = u->section + 1};
    if (kind_reads(kind) && !d->wrote) {
        if (d->read)
            ARRAY_PUSH(g, again, (struct guarded_again){u->event, d->op});
        else
            ARRAY_PUSH(g, ops, (struct guarded_op){.place = u->place, .event = u->event});
        d->op = d->read ? d->op : (uint32_t)g->ops_count - 1;
        d->read = true;
        if (m->grounds)
            *map_at(&events->op_of, u->event) = d->op + 1;
    }
    if (kind_writes(kind)) {
        d->wrote = true;
        d->last = u->event;
        if (m->grounds)
            *map_at(&events->writes, u->event) = 1;
    }
}

/* One section with all its uses. */
static void add_section(const struct model *m, struct guarded_lock *g, const struct use *uses, size_t count,
                        struct done *done)
{
    const struct section *s = &m->sections[uses->section];
    struct guarded_section added = {.section = uses->section,
                                    .thread = thread_index(g, s->owner),
                                    .reads = (uint32_t)g->ops_count,
                                    .waits_for = NAME_NONE,
                                    .ends = s->release != EVENT_NONE};
    struct guarded_events events = {.begin = s->acquire};

    for (size_t i = 0; i < count; i++) {
        if (uses[i].kind == USE_ACCESS)
            add_access(m, g, &uses[i], &done[uses[i].place], &events);
        else if (uses[i].kind == USE_WOKEN)
            added.waits_for = uses[i].place;
    }
    added.writes = (uint32_t)g->ops_count;
    for (size_t i = 0; i < count; i++) {
        struct guarded_op op = {.place = uses[i].place, .event = uses[i].event};
        if (uses[i].kind != USE_ACCESS || done[op.place].last != op.event)
            continue;
        op.adds_to =
            added.ends ? guarded_adds_to(m, op.event, m->position[s->release], &events) : ADDS_TO_NOTHING;
        ARRAY_PUSH(g, ops, op);
    }
    added.wakes = (uint32_t)g->ops_count;
    for (size_t i = 0; i < count; i++)
        if (uses[i].kind == USE_NOTIFY)
            ARRAY_PUSH(g, ops, (struct guarded_op){.place = uses[i].place, .event = uses[i].event});
    added.end = (uint32_t)g->ops_count;
    map_free(&events.op_of);
    map_free(&events.writes);
    ARRAY_PUSH(g, sections, added);
}

static void sort_by_thread(struct guarded_lock *g)
{
    g->by_thread = memory_new(g->sections_count, sizeof *g->by_thread);
    g->thread_start = memory_new(g->threads_count + 2, sizeof *g->thread_start);
    for (size_t i = 0; i < g->sections_count; i++)
        g->thread_start[g->sections[i].thread + 2]++;
    for (size_t t = 0; t < g->threads_count; t++)
        g->thread_start[t + 2] += g->thread_start[t + 1];
    for (size_t i = 0; i < g->sections_count; i++)
        g->by_thread[g->thread_start[g->sections[i].thread + 1]++] = (uint32_t)i;
    assert(g->thread_start[g->threads_count] == g->sections_count);
}

/* How many of the thread's sections must have begun if so many of its events are there. The take of a word at the end of a thread
 * may see anything: its section begins with the next event. */
static uint32_t count_begun(const struct model *m, const struct guarded_lock *g, uint32_t thread,
                            uint32_t events)
{
    uint32_t low = g->thread_start[thread], high = g->thread_start[thread + 1], first = low;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct section *s = &m->sections[g->sections[g->by_thread[middle]].section];
        if (m->position[s->acquire] + lock_is_word(m, section_lock(s)) < events)
            low = middle + 1;
        else
            high = middle;
    }
    return low - first;
}

/* What must come before this position of the section's thread, in sections of each thread. Those that have begun by then have
 * ended, as the sections exclude each other. */
static uint32_t find_needs(const struct model *m, struct guarded_lock *g, thread_id owner, uint32_t position)
{
    const uint32_t *row = clocks_forward_row(m, owner, position);
    uint32_t first = (uint32_t)g->needs_count;

    for (uint32_t t = 0; t < g->threads_count; t++)
        ARRAY_PUSH(g, needs, g->threads[t] == owner ? 0 : count_begun(m, g, t, row[g->threads[t]]));
    return first;
}

void guarded_collect(const struct model *m, const struct guarded_variable *variables, size_t count,
                     event_id until, struct guarded_lock *g)
{
    struct use_list uses = {.until = until};
    struct done *done = memory_new(count, sizeof *done);
    lock_id lock = variables->lock;

    *g = (struct guarded_lock){.variables = variables, .variables_count = count};
    for (uint32_t i = 0; i < count; i++) {
        struct event_span accesses = accesses_of(m, variables[i].x);
        for (size_t k = 0; k < accesses.count && accesses.events[k] < until; k++) {
            const struct section *s = exclusive_around(m, lock, accesses.events[k]);
            if (s)
                add_use(m, &uses, s, accesses.events[k], USE_ACCESS, i);
        }
    }
    add_waits(m, lock, &uses);
    qsort(uses.list, uses.list_count, sizeof *uses.list, by_section);
    for (size_t i = 0, end; i < uses.list_count; i = end) {
        for (end = i; end < uses.list_count && uses.list[end].section == uses.list[i].section;)
            end++;
        add_section(m, g, uses.list + i, end - i, done);
    }
    sort_by_thread(g);
    for (size_t i = 0; i < g->sections_count; i++) {
        struct guarded_section *added = &g->sections[i];
        const struct section *s = &m->sections[added->section];
        added->need_begin = find_needs(m, g, s->owner, m->position[s->acquire] + 1);
        added->need_end = added->ends ? find_needs(m, g, s->owner, m->position[s->release]) : 0;
    }
    free(uses.list);
    free(done);
}

void guarded_free(struct guarded_lock *g)
{
    free(g->threads);
    free(g->sections);
    free(g->by_thread);
    free(g->thread_start);
    free(g->ops);
    free(g->again);
    free(g->needs);
}
