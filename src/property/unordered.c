/* Unordered accesses: conflicting ones that C11 happens-before does not order in the observed run (semantics §3).
 *
 * One pass. Of each variable it keeps, per thread, location and kind, the newest access: what is unordered with
 * an older one of these is unordered with the newest, too, so these tell for every pair of locations. */
#include "base/memory.h"
#include "property/c11.h"
#include "property/worker.h"

#include <stdlib.h>

struct unordered_variable {
    event_id *newest; /* one for each thread, location and kind */
    size_t newest_count, newest_capacity;
    uint32_t accesses; /* so far */
};

struct unordered_pass {
    struct worker *w;
    const struct model *m;
    struct unordered_variable *variables;
};

static bool is_unordered(const struct model *m, event_id a, event_id b, const uint32_t *clock)
{
    return thread_of(m, a) != thread_of(m, b) && m->position[a] >= clock[thread_of(m, a)] &&
           kinds_race(kind_of(m, a), kind_of(m, b));
}

static void check_newest(struct unordered_pass *p, struct unordered_variable *x, event_id e,
                         const uint32_t *clock)
{
    const struct trace *trace = p->m->trace;
    size_t mine = x->newest_count;

    for (size_t i = 0; i < x->newest_count; i++) {
        event_id other = x->newest[i];
        if (is_unordered(p->m, other, e, clock))
            worker_observe(p->w, PROPERTY_UNORDERED, (uint32_t[]){other, e}, 2);
        if (trace->thread[other] == trace->thread[e] && trace->location[other] == trace->location[e] &&
            op_kind(trace->op[other]) == op_kind(trace->op[e]))
            mine = i;
    }
    if (mine == x->newest_count)
        ARRAY_PUSH(x, newest, e);
    else
        x->newest[mine] = e;
}

/* Every pair: all earlier accesses of the variable are looked at. */
static void check_all(struct unordered_pass *p, struct unordered_variable *x, event_id e, const uint32_t *clock)
{
    struct event_span accesses = accesses_of(p->m, arg_of(p->m, e));

    for (uint32_t i = 0; i < x->accesses; i++)
        if (is_unordered(p->m, accesses.events[i], e, clock))
            worker_observe(p->w, PROPERTY_UNORDERED, (uint32_t[]){accesses.events[i], e}, 2);
    x->accesses++;
}

void unordered_all(struct worker *w)
{
    const struct model *m = w->m;
    struct c11 *order = c11_new(m);
    struct unordered_pass p = {.w = w, .m = m, .variables = memory_new(m->variable_count, sizeof *p.variables)};

    for (event_id e = 1; e <= m->event_count && !*w->stop; e++) {
        const uint32_t *clock = c11_event(order, e);
        if (!kind_accesses(kind_of(m, e)))
            continue;
        struct unordered_variable *x = &p.variables[arg_of(m, e)];
        w->stats[PROPERTY_UNORDERED].subjects++;
        if (w->options->all)
            check_all(&p, x, e, clock);
        else
            check_newest(&p, x, e, clock);
    }
    for (variable_id x = 0; x < m->variable_count; x++)
        free(p.variables[x].newest);
    free(p.variables);
    c11_free(order);
}
