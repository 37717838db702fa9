/* Final state: which other write could be the last one to a variable when all events have run (SPEC §3). */
#include "base/memory.h"
#include "property/worker.h"

#include <stdlib.h>

/* Whether one of the threads' last writes must come after `write`. */
static bool is_overwritten(const struct model *m, const event_id *last, event_id write)
{
    for (thread_id u = 0; u < m->thread_count; u++)
        if (last[u] != EVENT_INIT && last[u] != write &&
            (must_before(m, write, last[u]) ||
             comes_before_source(m, write, last[u], thread_length(m, u), false)))
            return true;
    return false;
}

void final_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    event_id *last = memory_new(m->thread_count, sizeof *last); /* by thread: its last write, or EVENT_INIT */
    event_id observed = EVENT_INIT;
    uint64_t writes = 0, asked = 0;

    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        if (!kind_writes(kind_of(m, e)))
            continue;
        last[thread_of(m, e)] = observed = e;
        writes++;
    }
    for (thread_id u = 0; u < m->thread_count && writes > 0 && !*w->stop; u++) {
        if (last[u] == EVENT_INIT || last[u] == observed || is_overwritten(m, last, last[u]))
            continue;
        worker_ask(w, PROPERTY_FINAL, (uint32_t[]){observed, last[u]}, 2);
        asked++;
    }
    if (writes > 0) {
        w->stats[PROPERTY_FINAL].subjects++;
        worker_refute(w, PROPERTY_FINAL, REFUTED_MUST_ORDER, writes - 1 - asked);
    }
    free(last);
}
