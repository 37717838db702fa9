/* Unordered accesses: conflicting ones that C11 happens-before does not order in the observed run (semantics §3).
 *
 * One pass. Of each variable it keeps, per thread, location and kind, the newest access: what is unordered with
 * an older one of these is unordered with the newest, too, so these tell for every pair of locations. For every
 * pair of accesses it keeps the newest per thread and kind and goes back from there, up to the first that is ordered. */
#include "base/memory.h"
#include "property/c11.h"
#include "property/worker.h"

#include <assert.h>
#include <stdlib.h>

struct unordered_variable {
    struct newest_access { /* one for each thread, kind and, in a grouped check, location */
        event_id event;
        thread_id thread;
        uint32_t position;
        enum event_kind kind;
        uint32_t place;
    } * newest;
    size_t newest_count, newest_capacity;
};

struct unordered_pass {
    struct worker *w;
    const struct model *m;
    struct unordered_variable *variables;
    event_id *
        older; /* by access, where every pair is asked for: the one of its thread, kind and variable before it */
};

static bool is_unordered(const struct model *m, event_id a, event_id b, const uint32_t *clock)
{
    return thread_of(m, a) != thread_of(m, b) && m->position[a] >= clock[thread_of(m, a)] &&
           kinds_race(kind_of(m, a), kind_of(m, b));
}

/* Whether one entry of `newest` stands for both accesses, which one thread made. */
static bool is_alike(const struct unordered_pass *p, event_id a, event_id b)
{
    const struct trace *trace = p->m->trace;

    return op_kind(trace->op[a]) == op_kind(trace->op[b]) &&
           (p->older || trace->location[a] == trace->location[b]);
}

/* The accesses that the entry stands for, the newest first, as far as they are not ordered; it is known of the newest. */
static void check_entry(struct unordered_pass *p, const struct newest_access *entry,
                        const struct newest_access *access, const uint32_t *clock)
{
    event_id other = entry->event, e = access->event;

    assert(is_unordered(p->m, other, e, clock));
    if (!p->older) {
        uint32_t pair[] = {other, e};
        worker_observe_in(p->w, PROPERTY_UNORDERED,
                          worker_pair_key(p->w, PROPERTY_UNORDERED, pair, entry->place, access->place), pair,
                          2);
        return;
    }
    for (; other != EVENT_INIT && is_unordered(p->m, other, e, clock); other = p->older[other])
        worker_observe(p->w, PROPERTY_UNORDERED, (uint32_t[]){other, e}, 2);
}

static void check_access(struct unordered_pass *p, struct unordered_variable *x, event_id e,
                         const uint32_t *clock)
{
    struct newest_access access = {e, thread_of(p->m, e), p->m->position[e], kind_of(p->m, e),
                                   place_of(p->m->trace, e)};
    size_t mine = x->newest_count;

    for (size_t i = 0; i < x->newest_count; i++) {
        const struct newest_access *other = &x->newest[i];
        if (other->thread == access.thread)
            mine = is_alike(p, other->event, e) ? i : mine;
        else if (other->position >= clock[other->thread] && kinds_race(other->kind, access.kind))
            check_entry(p, other, &access, clock);
    }
    if (mine == x->newest_count) {
        ARRAY_PUSH(x, newest, access);
        return;
    }
    assert(x->newest[mine].event < e);
    if (p->older)
        p->older[e] = x->newest[mine].event;
    x->newest[mine] = access;
}

void unordered_all(struct worker *w)
{
    const struct model *m = w->m;
    struct c11 *order = c11_new(m);
    struct unordered_pass p = {.w = w, .m = m, .variables = memory_new(m->variable_count, sizeof *p.variables)};

    if (w->options->all)
        p.older = memory_new((size_t)m->event_count + 1, sizeof *p.older);
    for (event_id e = 1; e <= m->event_count && !*w->stop; e++) {
        const uint32_t *clock = c11_event(order, e);
        if (!kind_accesses(kind_of(m, e)))
            continue;
        struct unordered_variable *x = &p.variables[arg_of(m, e)];
        w->stats[PROPERTY_UNORDERED].subjects++;
        check_access(&p, x, e, clock);
    }
    for (variable_id x = 0; x < m->variable_count; x++)
        free(p.variables[x].newest);
    free(p.variables);
    free(p.older);
    c11_free(order);
}
