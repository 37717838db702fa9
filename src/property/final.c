/* Final state: which other write could be the last one to a variable when all events have run (SPEC §3). */
#include "property/worker.h"

#include <string.h>

static void ask(struct worker *w, event_id observed, event_id alternative, event_id start)
{
    const struct model *m = w->m;
    struct query *q = solver_query(w->solver);

    for (thread_id t = 0; t < m->thread_count; t++)
        q->least[t] = q->most[t] = thread_length(m, t);
    q->final = alternative;
    q->start = start;
    worker_ask(w, PROPERTY_FINAL, (uint32_t[]){observed, alternative}, 2);
}

/* Whether one of the threads' last writes must come after `write`. */
static bool is_overwritten(const struct model *m, const struct thread_accesses *writes, event_id write)
{
    for (thread_id u = 0; u < m->thread_count; u++) {
        uint32_t count = writes->counts[u];
        if (count > 0 && writes->by_thread[u][count - 1] != write &&
            must_before(m, write, writes->by_thread[u][count - 1]))
            return true;
    }
    return false;
}

void final_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    struct thread_accesses writes;
    uint64_t all = 0, asked = 0;
    event_id observed = EVENT_NONE;

    thread_accesses_init(&writes, m);
    thread_accesses_fill(&writes, m, x, kind_writes);
    for (size_t i = accesses.count; i-- > 0 && observed == EVENT_NONE;)
        if (kind_writes(kind_of(m, accesses.events[i])))
            observed = accesses.events[i];
    for (thread_id u = 0; u < m->thread_count && observed != EVENT_NONE && !*w->stop; u++) {
        uint32_t count = writes.counts[u];
        event_id last = count > 0 ? writes.by_thread[u][count - 1] : observed;
        all += count;
        if (last == observed || is_overwritten(m, &writes, last))
            continue;
        ask(w, observed, last, outermost_start(m, last));
        asked++;
    }
    if (observed != EVENT_NONE) {
        w->stats[PROPERTY_FINAL].subjects++;
        worker_refute(w, PROPERTY_FINAL, REFUTED_MUST_ORDER, all - 1 - asked);
    }
    thread_accesses_free(&writes);
}
