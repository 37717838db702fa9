/* Atomicity: two accesses of an atomic block with a remote one between them that no serial order explains
 * (semantics §3). */
#include "base/memory.h"
#include "property/atomic_blocks.h"
#include "property/classes.h"
#include "property/worker.h"

#include <stdlib.h>

/* RWR, RWW, WRW, WWR, WWW; an rmw is both. */
static bool is_unserializable(enum event_kind a, enum event_kind b, enum event_kind c)
{
    if (kind_writes(b))
        return true; /* RWR, RWW, WWR, WWW */
    return kind_writes(a) && kind_writes(c);
}

/* The remote accesses of one class for the pair (a, c): those before a or after c in must-order are refuted. */
static void check_remote(struct worker *w, event_id a, event_id c, const struct access_class *remote)
{
    const struct model *m = w->m;
    uint32_t low = accesses_before(m, remote->events, remote->count,
                                   clocks_forward_row(m, thread_of(m, a), m->position[a])[remote->thread]);
    uint32_t high = low;

    while (high < remote->count && base_row(m, remote->events[high])[thread_of(m, c)] <= m->position[c])
        high++;
    worker_refute(w, PROPERTY_ATOMICITY, REFUTED_MUST_ORDER, remote->count - (high - low));
    if (high > low &&
        worker_skips(w, PROPERTY_ATOMICITY, (uint32_t[]){a, remote->events[low], c}, 3, high - low))
        return;
    for (uint32_t i = low; i < high && !*w->stop; i++)
        worker_ask(w, PROPERTY_ATOMICITY, (uint32_t[]){a, remote->events[i], c}, 3);
}

static void check_pair(struct worker *w, const struct classes *classes, event_id a, event_id c)
{
    const struct model *m = w->m;

    for (size_t i = 0; i < classes->list_count; i++) {
        const struct access_class *remote = &classes->list[i];
        if (remote->thread != thread_of(m, a) && is_unserializable(kind_of(m, a), remote->kind, kind_of(m, c)))
            check_remote(w, a, c, remote);
    }
}

void atomicity_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    struct classes classes;
    uint64_t pairs = 0;

    if (blocks_count(w->blocks) == 0)
        return;
    classes_build(&classes, m, x, kind_accesses, false);
    for (size_t i = 0; i < accesses.count && !*w->stop; i++) {
        event_id a = accesses.events[i];
        uint32_t end = blocks_end(w->blocks, m, a); /* of the longest block around it */
        for (size_t j = i + 1; end > 0 && j < accesses.count && !*w->stop; j++) {
            event_id c = accesses.events[j];
            if (thread_of(m, c) != thread_of(m, a))
                continue;
            if (m->position[c] >= end)
                break;
            if (worker_takes(w, pairs++, a))
                check_pair(w, &classes, a, c);
        }
    }
    classes_free(&classes);
}
