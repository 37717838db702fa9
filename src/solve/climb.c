/* How far threads can come at most: what a read needs that an event stands on is one of the writes that will do, and that must be
 * within reach as well, to the end of its section if the read is in one of the same lock. Where locks are held otherwise, and what is
 * hidden by writes that need not come before the read, is left out, so more seems possible than is; what is out of reach even so
 * is in no run. */
#include "solve/climb.h"
#include "base/memory.h"
#include "model/tokens.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How many events a thread goes on at a time: what the query needs is mostly near. */
enum { PACE = 16 };

/* How many writes are looked at before one is assumed to do. */
enum { LOOK_AT = 64 };

/* How many sets of limits are remembered: mostly one thread after the other is the one that stops. */
enum { HEIGHTS = 8 };

/* How far threads have come with these limits. */
struct height {
    const struct model *m;
    uint32_t *most;  /* by thread: the query's limit, or a lower one */
    uint32_t *reach; /* by thread: so many of its events may come to be in a run */
    size_t *epoch;   /* by thread: the last one that it has entered */
    bool is_over;    /* no thread gets any further */
};

struct climb {
    const struct model *m;
    struct height heights[HEIGHTS];
    unsigned known, oldest; /* so many of them; the one that goes next */
    uint32_t *limit;        /* by thread: `most` of the next query */
};

static bool can_see_some(const struct height *c, const struct soft_demand *d)
{
    const struct model *m = c->m;

    for (uint32_t i = 0; i < d->count; i++) {
        event_id write = m->soft_sources[d->first + i];
        if (c->reach[thread_of(m, write)] > m->position[write])
            return true;
    }
    return false;
}

/* Whether a number that is no sum, or made of another variable, can be in the variable: all that is known of its sums begins with one. */
static bool can_have_number(const struct height *c, variable_id x)
{
    const struct model *m = c->m;
    int looks = 0;

    if (known_is_number(m->initial_values[x]))
        return true;
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        for (uint32_t k = g->first; k < g->first + g->count; k++) {
            event_id write = m->writes.events[k];
            if (m->position[write] >= c->reach[g->thread])
                break;
            if (!model_adds(m, write) || ++looks == LOOK_AT)
                return true;
            event_id read = model_made(m, write).read;
            if (arg_of(m, read) != x || !known_is_number(model_seen(m, read)))
                return true;
        }
    }
    return false;
}

/* Whether the write, if the read sees it, may be one that will do: what the read saw, or a number in the ranges. */
static bool may_do(const struct height *c, event_id read, const struct ground *g, event_id write)
{
    const struct model *m = c->m;
    variable_id x = arg_of(m, read);

    if (model_adds(m, write))
        return (write == m->source[read] || model_may_carry(m, write, x, model_seen(m, read)) ||
                model_may_sum_to(m, x, g->ranges, g->range_count)) &&
               can_have_number(c, x);
    return write == m->source[read] || known_equal(model_written(m, write, x), model_seen(m, read)) ||
           known_in_ranges(model_written(m, write, x), g->ranges, g->range_count);
}

/* How far the thread of the write must be for the read, which is in these exclusive sections, to see it: their locks' sections
 * around the write have ended then. POSITION_END: it never sees it. `next`: the next write of its thread, or EVENT_NONE. */
static uint32_t come_far(const struct model *m, event_id read, event_id write, event_id next)
{
    thread_id t = thread_of(m, read);
    uint32_t far = m->position[write] + 1;

    if (thread_of(m, write) == t)
        return m->position[write] < m->position[read] ? far : POSITION_END;
    for (uint32_t h = model_guard_at(m, t, m->position[read]); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *own = &m->sections[m->holds[h].section];
        const struct section *other = own->shared ? NULL : exclusive_around(m, section_lock(own), write);
        if (!other)
            continue;
        if (next < other->release || other->release == EVENT_NONE ||
            must_before(m, own->acquire, other->release))
            return POSITION_END; /* hidden at its end; or the read's section comes first */
        far = m->position[other->release] + 1 > far ? m->position[other->release] + 1 : far;
    }
    return far;
}

/* How many writes of the group must come before the read. */
static uint32_t known_of(const struct model *m, event_id read, const struct thread_group *g)
{
    thread_id t = thread_of(m, read);
    uint32_t position = m->position[read];

    return group_up_to(m, &m->writes, g,
                       g->thread == t ? position : clocks_forward_row(m, t, position)[g->thread]);
}

/* Whether the read may see a write of the group within reach that will do. Those before the last one that must come before the
 * read are hidden. */
static bool can_see_one(const struct height *c, const struct ground *by, const struct thread_group *g,
                        uint32_t known, int *looks)
{
    const struct model *m = c->m;
    const event_id *writes = m->writes.events + g->first;

    for (uint32_t k = known > 0 ? known - 1 : 0; k < g->count && m->position[writes[k]] < c->reach[g->thread];
         k++) {
        if (++*looks == LOOK_AT)
            return true;
        if (may_do(c, by->read, by, writes[k]) &&
            come_far(m, by->read, writes[k], k + 1 < g->count ? writes[k + 1] : EVENT_NONE) <=
                c->reach[g->thread])
            return true;
    }
    return false;
}

/* Whether the read may see a write within reach that will do for an event that stands on it. */
static bool can_do(const struct height *c, const struct ground *g)
{
    const struct model *m = c->m;
    event_id source = m->source[g->read];
    variable_id x = arg_of(m, g->read);
    bool hidden = false;
    int looks = 0;

    if (source == EVENT_INIT || !known_is_number(model_seen(m, g->read)))
        return true;
    if (c->reach[thread_of(m, source)] > m->position[source] && may_do(c, g->read, g, source) &&
        come_far(m, g->read, source, EVENT_NONE) <= c->reach[thread_of(m, source)])
        return true;
    for (uint32_t i = m->writes.start[x]; i < m->writes.start[x + 1]; i++) {
        const struct thread_group *writes = &m->writes.groups[i];
        uint32_t known = known_of(m, g->read, writes);
        hidden |= known > 0;
        if (can_see_one(c, g, writes, known, &looks))
            return true;
    }
    return !hidden && (known_equal(m->initial_values[x], model_seen(m, g->read)) ||
                       known_in_ranges(m->initial_values[x], g->ranges, g->range_count));
}

/* Whether each read that the event stands on may. */
static bool can_stand(const struct height *c, event_id e)
{
    struct ground_list by = trace_by(c->m->trace, e);

    for (uint32_t i = 0; by.given && i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (!can_do(c, &g))
            return false;
    }
    return true;
}

/* How far the thread can go on, up to `most`, by what its events stand on. */
static uint32_t stand_up_to(const struct height *c, thread_id t, uint32_t most)
{
    uint32_t position = c->reach[t];

    if (!c->m->grounds || !c->m->values)
        return most;
    while (position < most && can_stand(c, event_at(c->m, t, position)))
        position++;
    return position;
}

/* Whether what must come before the epoch is within reach. */
static bool can_enter(const struct height *c, thread_id t, const struct epoch *epoch)
{
    const struct model *m = c->m;
    const uint32_t *row = m->forward.rows + (size_t)epoch->row * m->thread_count;

    for (thread_id u = 0; u < m->thread_count; u++)
        if (u != t && row[u] > c->reach[u])
            return false;
    return true;
}

/* Where the demands of the thread's event at this position begin. What is demanded at a thread's end stands at the place of
 * the next thread's first event, which has no demands. */
static uint32_t first_demand(const struct model *m, thread_id t, uint32_t position)
{
    uint32_t index = m->thread_start[t] + position;

    return m->soft_end.count > 0 ? stretches_at(&m->soft_end, position == 0 ? index : index - 1) : 0;
}

/* Lets the thread go on up to `most`. Whether it got any further. */
static bool climb(struct height *c, thread_id t, uint32_t most)
{
    const struct model *m = c->m;
    const struct epoch_list *list = &m->forward.threads[t];
    uint32_t start = c->reach[t], base = m->thread_start[t], demand = first_demand(m, t, start);

    while (c->reach[t] < most) {
        size_t next = c->epoch[t] + 1;
        uint32_t limit =
            next < list->epochs_count && list->epochs[next].at < most ? list->epochs[next].at : most;
        while (demand < m->soft_demands_count && m->soft_demands[demand].index < base + limit &&
               can_see_some(c, &m->soft_demands[demand]))
            demand++;
        if (demand < m->soft_demands_count && m->soft_demands[demand].index < base + limit) {
            c->reach[t] = stand_up_to(c, t, m->soft_demands[demand].index - base);
            break;
        }
        c->reach[t] = stand_up_to(c, t, limit);
        if (c->reach[t] < limit || limit == most || !can_enter(c, t, &list->epochs[next]))
            break;
        c->epoch[t] = next;
    }
    return c->reach[t] > start;
}

/* Whether the thread, which stops there, holds a lock then that excludes the section. */
static bool excludes(const struct model *m, const struct query *q, thread_id t, const struct section *other)
{
    for (uint32_t h = model_hold_at(m, t, q->most[t]); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (section_lock(s) == section_lock(other) && !(s->shared && other->shared))
            return true;
    }
    return false;
}

/* How far the thread can come without a write to the variable whose initial write is to be seen. */
static uint32_t find_unwritten(const struct model *m, const struct query *q, thread_id t)
{
    variable_id x = q->read == EVENT_NONE || q->from != EVENT_INIT ? NAME_NONE : arg_of(m, q->read);

    for (uint32_t i = x == NAME_NONE || !m->writes.start ? 0 : m->writes.start[x];
         x != NAME_NONE && m->writes.start && i < m->writes.start[x + 1]; i++) {
        const struct thread_group *g = &m->writes.groups[i];
        event_id first = m->writes.events[g->first];
        if (g->thread == t && first != q->read)
            return m->position[first] +
                   (kind_of(m, first) == EVENT_CAS); /* which may fail, and end its thread */
    }
    return POSITION_END;
}

/* How far the query lets the thread come: not into a section that it cannot end, if another thread holds the lock in the
 * end. */
static uint32_t find_most(const struct model *m, const struct query *q, const uint32_t *least, thread_id t)
{
    uint32_t most = q->most[t], unwritten = find_unwritten(m, q, t);

    most = unwritten < most ? unwritten : most;
    if (most >= thread_length(m, t))
        return thread_length(m, t);
    for (uint32_t h = model_hold_at(m, t, most); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        for (thread_id u = 0; u < m->thread_count; u++)
            if (u != t && least[u] == q->most[u] && excludes(m, q, u, s))
                most = m->position[s->acquire];
    }
    return most;
}

static bool is_reached(const struct height *c, const uint32_t *least)
{
    for (thread_id t = 0; t < c->m->thread_count; t++)
        if (c->reach[t] < least[t])
            return false;
    return true;
}

/* Begins with what was observed before the first event that no run of the query has, and with what was within reach before: the limits
 * were no higher, or there is nothing. */
static void begin(struct height *c, const uint32_t *limit)
{
    const struct model *m = c->m;
    event_id start = m->event_count;

    for (thread_id t = 0; t < m->thread_count; t++)
        if (limit[t] < thread_length(m, t) && event_at(m, t, limit[t]) <= start)
            start = event_at(m, t, limit[t]) - 1;
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t before = thread_count_up_to(m, t, start);
        c->reach[t] = c->reach[t] > before ? c->reach[t] : before;
        c->epoch[t] =
            c->reach[t] > 0
                ? (size_t)(clocks_epoch(&m->forward, t, c->reach[t] - 1) - m->forward.threads[t].epochs)
                : 0;
        assert(c->reach[t] <= limit[t]);
    }
    memcpy(c->most, limit, m->thread_count * sizeof *c->most);
    c->is_over = false;
}

/* Whether all limits are the same, or lower. */
static bool are_lower(const struct model *m, const uint32_t *limits, const uint32_t *others)
{
    for (thread_id t = 0; t < m->thread_count; t++)
        if (limits[t] > others[t])
            return false;
    return true;
}

/* How far threads came with the limits of the next query; or with lower ones, so that they come as far with these. */
static struct height *find_height(struct climb *c)
{
    const struct model *m = c->m;
    struct height *lower = NULL;

    for (unsigned i = 0; i < c->known; i++) {
        struct height *h = &c->heights[i];
        if (memcmp(h->most, c->limit, m->thread_count * sizeof *h->most) == 0)
            return h;
        if (are_lower(m, h->most, c->limit) && (!lower || are_lower(m, lower->most, h->most)))
            lower = h;
    }
    if (!lower) {
        lower = &c->heights[c->oldest];
        memset(lower->reach, 0, m->thread_count * sizeof *lower->reach);
        c->oldest = (c->oldest + 1) % HEIGHTS;
        c->known += c->known < HEIGHTS;
    }
    assert(c->known <= HEIGHTS && c->oldest < HEIGHTS);
    begin(lower, c->limit);
    return lower;
}

struct climb *climb_new(const struct model *m)
{
    struct climb *c = memory_new(1, sizeof *c);

    c->m = m;
    c->limit = memory_new(m->thread_count, sizeof *c->limit);
    for (unsigned i = 0; i < HEIGHTS; i++) {
        struct height *h = &c->heights[i];
        h->m = m;
        h->reach = memory_new(m->thread_count, sizeof *h->reach);
        h->epoch = memory_new(m->thread_count, sizeof *h->epoch);
        h->most = memory_new(m->thread_count, sizeof *h->most);
    }
    return c;
}

void climb_free(struct climb *c)
{
    if (!c)
        return;
    for (unsigned i = 0; i < HEIGHTS; i++) {
        free(c->heights[i].reach);
        free(c->heights[i].epoch);
        free(c->heights[i].most);
    }
    free(c->limit);
    free(c);
}

bool climb_refutes(struct climb *c, const struct query *q, const uint32_t *least)
{
    const struct model *m = c->m;

    if (m->soft_demands_count == 0 && !(m->grounds && m->values))
        return false;
    for (thread_id t = 0; t < m->thread_count; t++)
        c->limit[t] = find_most(m, q, least, t);
    struct height *h = find_height(c);
    while (!is_reached(h, least)) {
        bool higher = false;
        for (thread_id t = 0; t < m->thread_count && !h->is_over; t++)
            higher |= climb(h, t, h->most[t] - h->reach[t] > PACE ? h->reach[t] + PACE : h->most[t]);
        h->is_over = !higher;
        if (h->is_over)
            return true;
    }
    return false;
}
