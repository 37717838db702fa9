/* Which events a run needs. */
#include "solve/cut.h"
#include "base/memory.h"

enum { NEEDS = 64 };

static bool raise(const struct query *q, uint32_t *cut, thread_id t, uint32_t to)
{
    if (to > q->most[t])
        return false;
    if (to > cut[t])
        cut[t] = to;
    return true;
}

/* What must come before a position of thread t. */
static bool add_row(const struct model *m, const struct query *q, uint32_t *cut, thread_id t, uint32_t position)
{
    const uint32_t *row = clocks_row(model_clocks(m, q->observed), m, t, position);

    for (thread_id u = 0; u < m->thread_count; u++)
        if (u != t && row[u] > cut[u] && !raise(q, cut, u, row[u]))
            return false;
    return true;
}

struct growth {
    const struct model *m;
    const struct query *q;
    uint32_t *cut;
    bool fits;
};

static void add_source(void *context, event_id source, uint32_t row_at)
{
    struct growth *g = context;
    thread_id u = thread_of(g->m, source);

    g->fits =
        g->fits && raise(g->q, g->cut, u, g->m->position[source] + 1) && add_row(g->m, g->q, g->cut, u, row_at);
}

/* What soft reads need that are demanded at a position of thread t, some threads at a time. */
static bool add_soft(const struct model *m, const struct query *q, uint32_t *cut, thread_id t,
                     uint32_t position)
{
    struct soft_span span = model_soft_at(m, t, position);
    uint32_t needs[NEEDS];

    for (size_t i = 0; i < span.count; i++) {
        for (thread_id first = 0; first < m->thread_count; first += NEEDS) {
            uint32_t count = m->thread_count - first < NEEDS ? m->thread_count - first : NEEDS;
            soft_needs(m, &span.demands[i], NULL, EVENT_NONE, first, count, needs);
            for (uint32_t k = 0; k < count; k++)
                if (first + k != t && needs[k] > cut[first + k] && !raise(q, cut, first + k, needs[k]))
                    return false;
        }
    }
    return true;
}

/* What the first `length` events of a thread need of the others, and the one that comes next if it must have
 * condition 4. */
static bool add_needs(const struct model *m, const struct query *q, uint32_t *cut, thread_id t, uint32_t length)
{
    struct growth g = {m, q, cut, true};

    if (!add_row(m, q, cut, t, length - 1))
        return false;
    if (q->keep[t])
        couples_at(m, q->observed, t, length, EVENT_NONE, add_source, &g);
    if (q->keep[t] && !q->observed && m->soft_demands_count > 0)
        return g.fits && add_soft(m, q, cut, t, length);
    return g.fits;
}

static bool close_must_order(const struct model *m, const struct query *q, uint32_t *cut)
{
    uint64_t before, after = 0;

    for (thread_id t = 0; t < m->thread_count; t++)
        after += cut[t];
    do {
        before = after;
        for (thread_id t = 0; t < m->thread_count; t++)
            if (cut[t] > 0 && !add_needs(m, q, cut, t, cut[t]))
                return false;
        after = 0;
        for (thread_id t = 0; t < m->thread_count; t++)
            after += cut[t];
    } while (after != before);
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

/* Collects the sections of the lock that are open at the cut; true if two of them exclude each other. */
static bool find_rivals(const struct model *m, const uint32_t *cut, lock_id lock, struct rivals *r)
{
    bool found = false;

    r->sections_count = 0;
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t h = model_hold_at(m, t, cut[t]); h != HOLD_NONE; h = m->holds[h].outer) {
            const struct section *s = &m->sections[m->holds[h].section];
            if (section_lock(m, s) != lock)
                continue;
            for (size_t i = 0; i < r->sections_count; i++) {
                const struct section *other = &m->sections[r->sections[i]];
                found |= other->owner != s->owner && !(other->shared && s->shared);
            }
            ARRAY_PUSH(r, sections, m->holds[h].section);
        }
    }
    return found;
}

/* Separates rivals where only one way is possible. Sets `choice` where there are more. */
static enum closure separate_forced(const struct model *m, const struct query *q, uint32_t *cut,
                                    struct rivals *r, bool *raised, lock_id *choice)
{
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t h = model_hold_at(m, t, cut[t]); h != HOLD_NONE; h = m->holds[h].outer) {
            lock_id lock = section_lock(m, &m->sections[m->holds[h].section]);
            size_t ways = 0, way = 0;

            if (!find_rivals(m, cut, lock, r))
                continue;
            for (size_t i = 0; i < r->sections_count; i++) {
                if (is_way(m, q, r, i)) {
                    way = i;
                    ways++;
                }
            }
            if (ways == 0)
                return CUT_IMPOSSIBLE;
            if (ways > 1) {
                *choice = lock;
                continue;
            }
            *raised = true;
            return cut_separate(m, q, cut, r, way) ? CUT_CLOSED : CUT_IMPOSSIBLE;
        }
    }
    return CUT_CLOSED;
}

enum closure cut_close(const struct model *m, const struct query *q, uint32_t *cut, struct rivals *r)
{
    bool raised;
    lock_id choice;

    do {
        raised = false;
        choice = NAME_NONE;
        if (!close_must_order(m, q, cut) || separate_forced(m, q, cut, r, &raised, &choice) == CUT_IMPOSSIBLE)
            return CUT_IMPOSSIBLE;
    } while (raised);
    if (choice == NAME_NONE)
        return CUT_CLOSED;
    find_rivals(m, cut, choice, r);
    return CUT_CHOICE;
}
