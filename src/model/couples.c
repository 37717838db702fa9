/* What a bound read needs: its source, and what the value of that is made of. */
#include "model/model_parts.h"

/* How far sources of sources are followed where no clock has them together: must-order may be less than there
 * is. */
enum { DEPTH = 64 };

struct couple_walk {
    const struct model *m;
    bool observed;
    event_id limit;
    void (*found)(void *context, event_id source, uint32_t row_at);
    void *context;
};

static uint32_t bind_position(const struct couple_walk *w, event_id read)
{
    return w->observed ? read_first_at(w->m, read) : read_bound_at(w->m, read);
}

/* Whether the clock right after an rmw, or cas, has what makes it as observed and nothing else: its thread goes
 * on there only then. */
static bool next_clock_has_it(const struct couple_walk *w, event_id write)
{
    const struct model *m = w->m;
    uint32_t next = m->position[write] + 1;
    thread_id t = thread_of(m, write);

    if (m->grounds || is_thread_end(m, write) || bind_position(w, write) != next)
        return false;
    return event_at(m, t, next) < w->limit && !kind_requires(kind_of(m, event_at(m, t, next)));
}

static void follow(const struct couple_walk *w, event_id read, unsigned depth);

static void follow_read(const struct couple_walk *w, event_id write, event_id read, unsigned depth)
{
    if (bind_position(w, read) > w->m->position[write] && (w->observed || !is_soft(w->m, read)))
        follow(w, read, depth + 1);
}

bool model_sum_tells(const struct model *m, event_id write, event_id read)
{
    enum value_type type = trace_variable_type(m->trace, arg_of(m, write));

    if (m->values && model_seen(m, read).tag == VALUE_NONE &&
        model_written(m, write, arg_of(m, write)).tag != VALUE_NONE)
        return false; /* some number may make the same sum */
    return type_wrap(type, UINT64_C(1) << 62) != 0 || type == trace_variable_type(m->trace, arg_of(m, read));
}

/* What the write is made of: reads that no event up to it stands on. */
static void follow_made(const struct couple_walk *w, event_id write, unsigned depth)
{
    struct made made = model_made(w->m, write);
    bool own =
        kind_of(w->m, write) == EVENT_CAS || (made.form == MADE_OF_ALL && kind_updates(kind_of(w->m, write)));

    if (depth == DEPTH)
        return;
    if (own)
        follow_read(w, write, write, depth);
    if (made.form == MADE_OFFSET && (w->observed || model_sum_tells(w->m, write, made.read)))
        follow_read(w, write, made.read, depth);
    for (uint32_t i = 0; made.form == MADE_OF && i < made.list.count; i++)
        follow_read(w, write, ground_at(&made.list, i).read, depth);
}

static void follow(const struct couple_walk *w, event_id read, unsigned depth)
{
    event_id source = w->m->source[read];

    if (source == EVENT_INIT)
        return;
    if (next_clock_has_it(w, source)) {
        w->found(w->context, source, w->m->position[source] + 1);
        return;
    }
    w->found(w->context, source, w->m->position[source]);
    follow_made(w, source, depth);
}

void couples_at(const struct model *m, bool observed, thread_id t, uint32_t position, event_id limit,
                void (*found)(void *context, event_id source, uint32_t row_at), void *context)
{
    struct couple_walk w = {m, observed, limit, found, context};
    struct event_span reads = model_demanded_at(m, observed, t, position);

    for (size_t i = 0; i < reads.count; i++) {
        event_id read = reads.events[i], source = m->source[read];
        bool by_range = !observed && m->grounds && m->plain_at[read] > position;
        if (by_range && source != EVENT_INIT && model_made(m, source).form == MADE_OFFSET)
            found(context, source, m->position[source]); /* any number in the range will do */
        else
            follow(&w, read, 0);
    }
}
