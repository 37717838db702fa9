/* What soft reads see in a run (SPEC §2, --same-value). */
#include "solve/sights.h"
#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>

struct sight_check {
    const struct model *m;
    struct map current; /* variable → last write + 1, of those written in the run after its start */
    struct map saw;     /* rmw → the write it saw */
    struct map tainted; /* rmw → 1: it saw something new, so it wrote something new */
};

struct sight_check *sight_check_new(const struct model *m)
{
    struct sight_check *c = memory_new(1, sizeof *c);

    c->m = m;
    return c;
}

void sight_check_free(struct sight_check *c)
{
    map_free(&c->current);
    map_free(&c->saw);
    map_free(&c->tainted);
    free(c);
}

static event_id current_write(const struct sight_check *c, variable_id x, event_id start)
{
    uint32_t written = map_get(&c->current, x);

    return written ? written - 1 : model_last_write(c->m, x, start);
}

static bool is_told(const struct query *q, event_id read)
{
    for (size_t i = 0; i < q->sight_count; i++)
        if (q->sights[i].read == read)
            return true;
    return false;
}

/* The read whose freedom is behind it that `e` sees something new in `seen`: `e` itself, or an rmw it goes back
 * to. */
static event_id blame(const struct sight_check *c, const struct query *q, event_id e, event_id seen)
{
    while (e != EVENT_INIT && (!is_soft(c->m, e) || is_told(q, e))) {
        e = seen;
        seen = map_get(&c->saw, e);
    }
    return e;
}

event_id sight_check_run(struct sight_check *c, const struct query *q, const uint32_t *cut, event_id start,
                         const event_id *order, uint32_t count)
{
    const struct model *m = c->m;
    event_id wrong = EVENT_NONE;

    for (uint32_t i = 0; i < count && wrong == EVENT_NONE; i++) {
        event_id e = order[i];
        thread_id t = thread_of(m, e);
        if (!kind_accesses(kind_of(m, e)))
            continue;
        if (m->source[e] != EVENT_NONE) {
            event_id seen = current_write(c, arg_of(m, e), start);
            bool tainted = map_get(&c->tainted, seen);
            bool bound = m->position[e] + 1 < cut[t] || q->keep[t];
            bool new = tainted || !model_same_value(m, seen, e);
            if (kind_updates(kind_of(m, e))) {
                *map_at(&c->saw, e) = seen;
                *map_at(&c->tainted, e) = new;
            }
            if (bound && new)
                wrong = blame(c, q, e, seen);
        }
        if (kind_writes(kind_of(m, e)))
            *map_at(&c->current, arg_of(m, e)) = e + 1;
    }
    map_free(&c->current);
    map_free(&c->saw);
    map_free(&c->tainted);
    return wrong;
}
