/* What a bound read needs: its source, and what the value of that is made of. */
#include "base/row.h"
#include "model/model_parts.h"

#include <assert.h>
#include <string.h>

/* How far sources of sources are followed where no clock has them together, and how many in all: ways to the same source
 * through values that are made of several may be more than can be walked. Must-order may be less than there is. */
enum { DEPTH = 64, STEPS = 1000 };

struct couple_walk {
    const struct model *m;
    bool observed;
    event_id limit;
    const struct couple_visitor *visitor;
    unsigned steps; /* so far */
};

static uint32_t bind_position(const struct couple_walk *w, event_id read)
{
    return w->observed ? read_first_at(w->m, read) : read_bound_at(w->m, read);
}

/* Whether the clock right after an rmw, or cas, has what makes it as observed and nothing else: its thread goes
 * on there only then. The clock after a plain write is that of the write, unless values let locks add to it. */
static bool next_clock_has_it(const struct couple_walk *w, event_id write)
{
    const struct model *m = w->m;
    uint32_t next = m->position[write] + 1;
    thread_id t = thread_of(m, write);

    if (m->grounds || (!m->values && !kind_reads(kind_of(m, write))) || is_thread_end(m, write) ||
        bind_position(w, write) != next)
        return false;
    return event_at(m, t, next) < w->limit && !kind_requires(kind_of(m, event_at(m, t, next)));
}

static void follow(struct couple_walk *w, event_id read, unsigned depth);

static const struct soft_demand *soft_demand_of(const struct model *m, event_id read)
{
    size_t low = 0, high = m->soft_reads_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->soft_reads[middle].index < read)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->soft_reads_count && m->soft_reads[low].index == read ? &m->soft_reads[low] : NULL;
}

static void follow_read(struct couple_walk *w, event_id write, event_id read, unsigned depth)
{
    const struct model *m = w->m;

    if (w->observed || !is_soft(m, read)) {
        if (bind_position(w, read) > m->position[write])
            follow(w, read, depth + 1);
        return;
    }
    const struct soft_demand *demand =
        read_plain_at(m, read) > m->position[write] ? soft_demand_of(m, read) : NULL;
    if (demand)
        w->visitor->soft(w->visitor->context, demand);
}

bool model_sum_tells(const struct model *m, event_id write, event_id read)
{
    enum value_type type = trace_variable_type(m->trace, arg_of(m, write));

    if (m->values && model_seen(m, read).tag == VALUE_NONE)
        return false; /* some number may make the same sum, which the write records or a read of it does */
    return type_wrap(type, UINT64_C(1) << 62) != 0 || type == trace_variable_type(m->trace, arg_of(m, read));
}

/* What the write is made of: reads that no event up to it stands on. Without grounds that is what it sees itself. */
static void follow_made(struct couple_walk *w, event_id write, unsigned depth)
{
    if (!w->m->grounds && !kind_updates(kind_of(w->m, write)))
        return;

    struct made made = model_made(w->m, write);
    bool own =
        kind_of(w->m, write) == EVENT_CAS || (made.form == MADE_OF_ALL && kind_updates(kind_of(w->m, write)));

    if (depth == DEPTH || w->steps == STEPS)
        return;
    w->steps++;
    if (own)
        follow_read(w, write, write, depth);
    if (made.form == MADE_OFFSET && (w->observed || model_sum_tells(w->m, write, made.read)))
        follow_read(w, write, made.read, depth);
    for (uint32_t i = 0; made.form == MADE_OF && i < made.list.count; i++)
        follow_read(w, write, ground_at(&made.list, i).read, depth);
}

static void follow(struct couple_walk *w, event_id read, unsigned depth)
{
    event_id source = w->m->source[read];

    assert(source < read); /* what does not read has no source */
    if (source == EVENT_INIT)
        return;
    if (next_clock_has_it(w, source)) {
        w->visitor->found(w->visitor->context, source, w->m->position[source] + 1);
        return;
    }
    w->visitor->found(w->visitor->context, source, w->m->position[source]);
    if (!w->visitor->followed || !w->visitor->followed(w->visitor->context, source))
        follow_made(w, source, depth);
}

struct soft_span {
    const struct soft_demand *demands;
    size_t count;
};

/* The soft reads that are demanded at this position of the thread (its length: its end). */
static struct soft_span soft_demands_at(const struct model *m, thread_id t, uint32_t position)
{
    uint32_t index = m->thread_start[t] + position;

    if (position == 0 || m->soft_demands_count == 0)
        return (struct soft_span){NULL, 0};
    uint32_t first = stretches_at(&m->soft_end, index - 1);
    return (struct soft_span){m->soft_demands + first, stretches_at(&m->soft_end, index) - first};
}

void couples_at(const struct model *m, bool observed, thread_id t, uint32_t position, event_id limit,
                const struct couple_visitor *visitor)
{
    struct couple_walk w = {m, observed, limit, visitor, 0};
    struct event_span reads = model_demanded_at(m, observed, t, position);
    struct soft_span soft = observed ? (struct soft_span){NULL, 0} : soft_demands_at(m, t, position);

    for (size_t i = 0; i < reads.count; i++) {
        event_id read = reads.events[i], source = m->source[read];
        bool by_range = !observed && m->grounds && m->plain_at[read] > position;
        if (by_range && model_adds(m, source))
            visitor->found(visitor->context, source, m->position[source]); /* any number in the range will do */
        else
            follow(&w, read, 0);
    }
    for (size_t i = 0; i < soft.count; i++)
        visitor->soft(visitor->context, &soft.demands[i]);
}

/* Where the clock is that has what the write needs to carry its value: right after an rmw or cas, if its thread goes
 * on there only when that is as observed. */
static uint32_t row_position(const struct model *m, event_id write, event_id limit)
{
    uint32_t next = m->position[write] + 1;
    thread_id t = thread_of(m, write);

    if (m->grounds || !kind_updates(kind_of(m, write)) || next == thread_length(m, t))
        return m->position[write];
    event_id after = event_at(m, t, next);
    return after < limit && !kind_requires(kind_of(m, after)) ? next : m->position[write];
}

/* What the read needs if it sees this write: NULL if that is not known. */
static const uint32_t *row_of_write(const struct model *m, event_id write, const struct clocks *before,
                                    event_id limit)
{
    const struct clocks *clocks = write < limit ? &m->forward : before;
    uint32_t at = row_position(m, write, write < limit ? limit : EVENT_NONE);

    return clocks ? clocks_row(clocks, m, thread_of(m, write), at) : NULL;
}

/* Lowers `needs`, which is of the threads from `first` on, to what the read needs if it sees this write. Whether more than what
 * is known is left of it. */
static bool lower_to_write(const struct model *m, event_id write, const struct clocks *before, event_id limit,
                           thread_id first, uint32_t count, const uint32_t *known, uint32_t *needs)
{
    thread_id t = thread_of(m, write);
    bool inside = t >= first && t - first < count;
    uint32_t own = inside ? needs[t - first] : 0, position = m->position[write];
    const uint32_t *row = row_of_write(m, write, before, limit);
    bool news = row && row_lower(needs, row + first, known, count);

    if (!row)
        memset(needs, 0, count * sizeof *needs);
    if (!inside)
        return news;
    uint32_t need = row && row[t] > position ? row[t] : position + 1;
    needs[t - first] = need < own ? need : own;
    return news || needs[t - first] > known[t - first];
}

bool soft_needs(const struct model *m, const struct soft_demand *d, const struct clocks *before, event_id limit,
                thread_id first, uint32_t count, const uint32_t *known, uint32_t *needs)
{
    bool news = true;

    memset(needs, 0xff, count * sizeof *needs);
    for (uint32_t i = 0; i < d->count && news; i++)
        news = lower_to_write(m, m->soft_sources[d->first + i], before, limit, first, count, known, needs);
    return news;
}

bool soft_needs_with(const struct model *m, event_id write, const uint32_t *known, uint32_t *needs)
{
    return lower_to_write(m, write, &m->forward, EVENT_INIT, 0, m->thread_count, known, needs);
}
