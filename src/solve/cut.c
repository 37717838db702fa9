/* Which events a run needs. */
#include "solve/cut.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "base/row.h"

#include <stdlib.h>
#include <string.h>

enum { NEEDS = 64 };

/* In the counts of open sections, of a lock that was looked at: its rivals can be kept apart in more than one way. */
#define OPEN_CHOICE UINT32_MAX

static bool raise(const struct query *q, uint32_t *cut, thread_id t, uint32_t to)
{
    assert(cut[t] <= q->most[t]);
    if (to > q->most[t])
        return false;
    if (to > cut[t])
        cut[t] = to;
    return true;
}

struct growth {
    const struct model *m;
    const struct query *q;
    uint32_t *cut;
    uint32_t *covered;
    bool fits;
};

/* What must come before a position of thread t. That needs nothing more where must-order is transitive; what soft reads
 * need is found in rounds and may be more in the last one. */
static bool add_row(const struct growth *g, thread_id t, uint32_t position)
{
    const uint32_t *row = clocks_row(model_clocks(g->m, g->q->observed), g->m, t, position);
    bool transitive = g->q->observed || g->m->soft_demands_count == 0;

    for (thread_id u = 0; (u = row_first_larger(row, g->cut, u, g->m->thread_count)) < g->m->thread_count;
         u++) {
        if (u == t)
            continue;
        if (!raise(g->q, g->cut, u, row[u]))
            return false;
        if (transitive && !g->q->keep[u])
            g->covered[u] = row[u];
    }
    return true;
}

static void add_source(void *context, event_id source, uint32_t row_at)
{
    struct growth *g = context;
    thread_id u = thread_of(g->m, source);

    g->fits = g->fits && raise(g->q, g->cut, u, g->m->position[source] + 1) && add_row(g, u, row_at);
}

/* What a soft read needs, some threads at a time. */
static void add_soft(void *context, const struct soft_demand *demand)
{
    struct growth *g = context;
    uint32_t needs[NEEDS];

    for (thread_id first = 0; g->fits && first < g->m->thread_count; first += NEEDS) {
        uint32_t count = g->m->thread_count - first < NEEDS ? g->m->thread_count - first : NEEDS;
        if (!soft_needs(g->m, demand, NULL, EVENT_NONE, first, count, g->cut + first, needs))
            continue;
        for (uint32_t k = 0; k < count; k++)
            if (needs[k] > g->cut[first + k])
                g->fits = g->fits && raise(g->q, g->cut, first + k, needs[k]);
    }
}

/* What the first `length` events of a thread need of the others, and the one that comes next if it must have
 * condition 4. */
static bool add_needs(struct growth *g, thread_id t, uint32_t length)
{
    const struct query *q = g->q;
    struct couple_visitor visitor = {add_source, add_soft, g, NULL};

    if (!add_row(g, t, length - 1))
        return false;
    if (q->keep[t])
        couples_at(g->m, q->observed, t, length, EVENT_NONE, &visitor);
    return g->fits;
}

/* Whether the event, a waitpost, stands on no read that the one right before it does not stand on. */
static bool stands_on_no_more(const struct model *m, event_id post, event_id before)
{
    struct ground_list by = m->grounds ? trace_by(m->trace, post) : (struct ground_list){.given = false};

    return by.given ? by.count == 0 : !m->grounds || !trace_by(m->trace, before).given;
}

/* The acquire that ends a wait needs a notify as much as the waitpost right after it: a run that has the one
 * may as well have the other, whose notify is checked. */
static bool leaves_wait(const struct model *m, const struct query *q, thread_id t, uint32_t length)
{
    event_id post = length < thread_length(m, t) && length < q->most[t] ? event_at(m, t, length) : EVENT_INIT;
    const struct woken_wait *wait =
        post != EVENT_INIT && kind_of(m, post) == EVENT_WAIT_POST ? model_wait(m, post) : NULL;

    return wait && wait->end == event_at(m, t, length - 1) && stands_on_no_more(m, post, wait->end);
}

/* The first thread from t on of which more is in the cut than its needs are known of. A wait may end in any other. */
static thread_id next_raised(const struct model *m, const uint32_t *cut, const uint32_t *covered, thread_id t)
{
    return m->waits_count > 0 ? t : row_first_larger(cut, covered, t, m->thread_count);
}

static bool close_must_order(const struct model *m, const struct query *q, uint32_t *cut, uint32_t *covered)
{
    struct growth g = {m, q, cut, covered, true};
    bool raised;

    do {
        raised = false;
        for (thread_id t = 0; (t = next_raised(m, cut, covered, t)) < m->thread_count; t++) {
            assert(covered[t] <= cut[t]);
            if (m->waits_count > 0 && cut[t] > 0 && leaves_wait(m, q, t, cut[t]))
                cut[t]++;
            if (cut[t] == covered[t] || cut[t] == 0)
                continue;
            covered[t] = cut[t];
            raised = true;
            if (!add_needs(&g, t, cut[t]))
                return false;
        }
    } while (raised);
    return true;
}

static bool can_release(const struct model *m, const struct query *q, const struct section *s)
{
    return s->release != EVENT_NONE && m->position[s->release] < q->most[s->owner];
}

/* One exclusive section stays open, and what else its owner holds; or all readers' sections do. */
static bool may_stay(const struct section *s, const struct section *kept)
{
    return kept->shared ? s->shared : s->owner == kept->owner;
}

static bool is_way(const struct model *m, const struct query *q, const struct rivals *r, size_t way)
{
    const struct section *kept = &m->sections[r->sections[way]];

    assert(way < r->sections_count);
    for (size_t i = 0; i < r->sections_count; i++) {
        const struct section *s = &m->sections[r->sections[i]];
        if (i < way && s->shared && kept->shared)
            return false; /* the first reader stands for all */
        if (!may_stay(s, kept) && !can_release(m, q, s))
            return false;
    }
    return true;
}

bool cut_separate(const struct model *m, const struct query *q, uint32_t *cut, const struct rivals *r,
                  size_t way)
{
    const struct section *kept = &m->sections[r->sections[way]];

    if (!is_way(m, q, r, way))
        return false;
    for (size_t i = 0; i < r->sections_count; i++) {
        const struct section *s = &m->sections[r->sections[i]];
        if (!may_stay(s, kept) && !raise(q, cut, s->owner, m->position[s->release] + 1))
            return false;
    }
    return true;
}

/* The sections that a thread has open at the cut, one after the other: of locks, then of words. */
struct open_walk {
    thread_id thread;
    uint32_t hold;
    bool words;
};

/* The innermost hold of a thread at the cut. */
static uint32_t hold_at_cut(const struct model *m, const uint32_t *cut, struct rivals *r, thread_id t)
{
    if (cut[t] == 0)
        return HOLD_NONE;
    if (r->hold_at[t] != cut[t] + 1) {
        r->hold_at[t] = cut[t] + 1;
        r->hold[t] = model_hold_at(m, t, cut[t]);
    }
    return r->hold[t];
}

/* The innermost guard of a thread at the cut as far as words go: a take is no more than a try as long as nothing follows
 * that stands on it. */
static uint32_t guard_at_cut(const struct model *m, const struct query *q, const uint32_t *cut,
                             struct rivals *r, thread_id t)
{
    uint32_t position = q->keep[t] && cut[t] == q->most[t] ? cut[t] : cut[t] - 1;

    if (cut[t] == 0)
        return HOLD_NONE;
    if (r->guard_at[t] != position + 1) {
        r->guard_at[t] = position + 1;
        r->guard[t] = model_guard_at(m, t, position);
    }
    return r->guard[t];
}

static struct open_walk walk_open(const struct model *m, const uint32_t *cut, struct rivals *r, thread_id t)
{
    return (struct open_walk){.thread = t, .hold = hold_at_cut(m, cut, r, t)};
}

/* The next of them, a number of the model, or SECTION_NONE. */
static uint32_t next_open(const struct model *m, const struct query *q, const uint32_t *cut, struct rivals *r,
                          struct open_walk *walk)
{
    for (;;) {
        if (walk->hold == HOLD_NONE && !walk->words && m->word_count > 0) {
            walk->words = true;
            walk->hold = guard_at_cut(m, q, cut, r, walk->thread);
        }
        if (walk->hold == HOLD_NONE)
            return SECTION_NONE;
        uint32_t section = m->holds[walk->hold].section;
        const struct section *s = &m->sections[section];
        walk->hold = m->holds[walk->hold].outer;
        if (!walk->words || (lock_is_word(m, s->lock) &&
                             (s->release == EVENT_NONE || m->position[s->release] >= cut[walk->thread])))
            return section;
    }
}

/* Counts the open sections of each lock, and notes who holds any; true if a lock has two. */
static bool count_open(const struct model *m, const struct query *q, const uint32_t *cut, struct rivals *r)
{
    bool two = false;
    uint32_t section;

    r->holders_count = 0;
    for (thread_id t = 0; t < m->thread_count; t++) {
        struct open_walk walk = walk_open(m, cut, r, t);
        uint32_t last = SECTION_NONE;
        while ((section = next_open(m, q, cut, r, &walk)) != SECTION_NONE) {
            two |= ++r->open[section_lock(&m->sections[section])] > 1;
            last = section;
        }
        if (last != SECTION_NONE)
            r->holders[r->holders_count++] = t;
    }
    return two;
}

/* The same cut: forgets what was counted. */
static void forget_open(const struct model *m, const struct query *q, const uint32_t *cut, struct rivals *r)
{
    uint32_t section;

    for (uint32_t i = 0; i < r->holders_count; i++) {
        struct open_walk walk = walk_open(m, cut, r, r->holders[i]);
        while ((section = next_open(m, q, cut, r, &walk)) != SECTION_NONE)
            r->open[section_lock(&m->sections[section])] = 0;
    }
}

/* Collects the sections of the lock that are open at the cut; true if two of them exclude each other: one is exclusive, and
 * another thread has one, too. */
static bool find_rivals(const struct model *m, const struct query *q, const uint32_t *cut, lock_id lock,
                        struct rivals *r)
{
    bool exclusive = false;
    uint32_t section, owners = 0;

    r->sections_count = 0;
    for (uint32_t i = 0; i < r->holders_count; i++) {
        thread_id t = r->holders[i];
        struct open_walk walk = walk_open(m, cut, r, t);
        size_t before = r->sections_count;
        while ((section = next_open(m, q, cut, r, &walk)) != SECTION_NONE) {
            const struct section *s = &m->sections[section];
            if (section_lock(s) != lock)
                continue;
            assert(s->owner == t);
            exclusive |= !s->shared;
            ARRAY_PUSH(r, sections, section);
        }
        owners += r->sections_count > before;
    }
    return exclusive && owners > 1;
}

/* How many ways there are to keep the rivals apart: none, one, or 2 for more. Sets `way` to the first. */
static unsigned count_ways(const struct model *m, const struct query *q, const struct rivals *r, size_t *way)
{
    unsigned ways = 0;

    for (size_t i = 0; i < r->sections_count && ways < 2; i++) {
        if (!is_way(m, q, r, i))
            continue;
        *way = ways == 0 ? i : *way;
        ways++;
    }
    return ways;
}

/* Separates rivals where only one way is possible. Sets `choice` where there are more. Each lock is looked at once. */
static enum closure separate_forced(const struct model *m, const struct query *q, uint32_t *cut,
                                    struct rivals *r, bool *raised, lock_id *choice)
{
    uint32_t section;

    for (uint32_t i = 0; i < r->holders_count; i++) {
        struct open_walk walk = walk_open(m, cut, r, r->holders[i]);
        while ((section = next_open(m, q, cut, r, &walk)) != SECTION_NONE) {
            lock_id lock = section_lock(&m->sections[section]);
            size_t way = 0;

            if (r->open[lock] == OPEN_CHOICE)
                *choice = lock;
            if (r->open[lock] < 2 || r->open[lock] == OPEN_CHOICE)
                continue;
            if (!find_rivals(m, q, cut, lock, r)) {
                r->open[lock] = 1;
                continue;
            }
            unsigned ways = count_ways(m, q, r, &way);
            if (ways == 0)
                return CUT_IMPOSSIBLE;
            if (ways > 1) {
                *choice = lock;
                r->open[lock] = OPEN_CHOICE;
                continue;
            }
            *raised = true;
            return cut_separate(m, q, cut, r, way) ? CUT_CLOSED : CUT_IMPOSSIBLE;
        }
    }
    return CUT_CLOSED;
}

/* The same, with the open sections counted. */
static enum closure separate(const struct model *m, const struct query *q, uint32_t *cut, struct rivals *r,
                             bool *raised, lock_id *choice)
{
    enum closure closure = CUT_CLOSED;

    if (!count_open(m, q, cut, r)) {
        forget_open(m, q, cut, r);
        return closure;
    }
    uint32_t *before = memory_resize(NULL, m->thread_count, sizeof *before);
    memcpy(before, cut, m->thread_count * sizeof *before);
    closure = separate_forced(m, q, cut, r, raised, choice);
    forget_open(m, q, before, r);
    free(before);
    return closure;
}

static void make_room(const struct model *m, const uint32_t *cut, const uint32_t *closed, struct rivals *r)
{
    size_t bytes = m->thread_count * sizeof *r->covered;

    if (!r->covered) {
        r->covered = memory_new(m->thread_count, sizeof *r->covered);
        r->hold_at = memory_new(m->thread_count, sizeof *r->hold_at);
        r->hold = memory_new(m->thread_count, sizeof *r->hold);
        r->guard_at = memory_new(m->thread_count, sizeof *r->guard_at);
        r->guard = memory_new(m->thread_count, sizeof *r->guard);
        r->holders = memory_new(m->thread_count, sizeof *r->holders);
        r->open = memory_new((size_t)m->lock_count + m->word_count, sizeof *r->open);
    }
    if (closed && bytes > 0)
        memcpy(r->covered, closed, bytes);
    else
        memset(r->covered, 0, bytes);
    for (thread_id t = 0; (t = row_first_larger(r->covered, cut, t, m->thread_count)) < m->thread_count; t++)
        r->covered[t] = 0; /* the closed cut says nothing of less */
}

void rivals_free(struct rivals *r)
{
    free(r->sections);
    free(r->covered);
    free(r->hold_at);
    free(r->hold);
    free(r->guard_at);
    free(r->guard);
    free(r->holders);
    free(r->open);
}

enum closure cut_close(const struct model *m, const struct query *q, uint32_t *cut, const uint32_t *closed,
                       struct rivals *r)
{
    bool raised;
    lock_id choice;

    make_room(m, cut, closed, r);
    do {
        raised = false;
        choice = NAME_NONE;
        r->excluded = false;
        if (!close_must_order(m, q, cut, r->covered))
            return CUT_IMPOSSIBLE;
        if (separate(m, q, cut, r, &raised, &choice) == CUT_IMPOSSIBLE) {
            r->excluded = true;
            return CUT_IMPOSSIBLE;
        }
    } while (raised);
    assert_costly(cut_is_closed(m, q, cut));
    if (choice == NAME_NONE)
        return CUT_CLOSED;
    find_rivals(m, q, cut, choice, r);
    assert(r->sections_count > 1);
    return CUT_CHOICE;
}
