/* Values while a window is linearized, as far as they are known then: a read that must be as observed should
 * wait until it is. carry.c decides what the run really shows. */
#include "base/memory.h"
#include "solve/window.h"

/* What the variable holds now; VALUE_NONE: not known. */
static struct known_value value_now(const struct window *w, variable_id x)
{
    if (w->variables[x].current != 0)
        return w->carried[w->variables[x].current - 1];
    if (!w->prefix)
        return (struct known_value){VALUE_NONE, 0};
    return model_written(w->m, model_last_write(w->m, x, w->start), x);
}

void window_start_values(struct window *w)
{
    w->carried = memory_grow(w->carried, &w->carried_capacity, w->nodes, sizeof *w->carried);
    w->seen = memory_grow(w->seen, &w->seen_capacity, w->nodes, sizeof *w->seen);
}

bool window_sees_fit(const struct window *w, uint32_t node)
{
    const struct model *m = w->m;
    event_id e = w->events[node];

    if (m->source[e] == EVENT_NONE || (w->demanded[node] & (NODE_DEMANDED | NODE_COUPLED)) != NODE_DEMANDED)
        return true;
    struct known_value now = value_now(w, arg_of(m, e));
    return known_equal(now, model_seen(m, e)) ||
           (now.tag == VALUE_NONE && !w->prefix && w->variables[arg_of(m, e)].current == 0);
}

/* What a write carries if all that is not known of it is as observed. */
static struct known_value carried(const struct window *w, event_id e)
{
    const struct model *m = w->m;
    struct made made = model_made(m, e);

    if (made.form == MADE_OFFSET) {
        uint32_t read = window_node(w, made.read);
        struct known_value seen = read < NODE_OUT ? w->seen[read] : model_seen(m, made.read);
        if (known_is_number(seen))
            return model_add(m, arg_of(m, e), seen.number, made.offset);
    }
    return model_written(m, e, arg_of(m, e));
}

void window_run_values(struct window *w, uint32_t node)
{
    event_id e = w->events[node];

    if (kind_reads(kind_of(w->m, e)))
        w->seen[node] = value_now(w, arg_of(w->m, e));
    if (kind_writes(kind_of(w->m, e)))
        w->carried[node] = carried(w, e);
}
