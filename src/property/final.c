/* Final state: which other write could be the last one to a variable when all events have run (semantics §3). */
#include "base/memory.h"
#include "property/worker.h"

#include <assert.h>
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

/* A cas at the end of its thread need not be as observed, and writes nothing then. */
static bool may_fail(const struct model *m, event_id e)
{
    return kind_of(m, e) == EVENT_CAS && is_thread_end(m, e);
}

/* Whether the last write may carry another value than it did. */
static bool may_change(const struct model *m, event_id last, variable_id x)
{
    if (last == EVENT_INIT || model_written(m, last, x).tag == VALUE_NONE)
        return false;
    return m->grounds ? model_made(m, last).form != MADE_CONSTANT : kind_of(m, last) == EVENT_RMW;
}

bool final_may_differ(const struct model *m, variable_id x)
{
    event_id last = model_last_write(m, x, m->event_count);

    return last != EVENT_INIT && (may_fail(m, last) || may_change(m, last, x));
}

/* Asks for the write as the last one; returns whether it is one more of those that are not the observed. */
static bool ask(struct worker *w, const event_id *last, event_id observed, event_id write)
{
    variable_id x = arg_of(w->m, observed);

    if (is_overwritten(w->m, last, write) || (write == observed && !may_change(w->m, observed, x)))
        return false;
    worker_ask(w, PROPERTY_FINAL, (uint32_t[]){observed, write}, 2);
    return write != observed;
}

void final_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    event_id *last = memory_new(m->thread_count, sizeof *last);   /* by thread: its last certain write */
    event_id *after = memory_new(m->thread_count, sizeof *after); /* … and the cas after it that may fail */
    event_id observed = EVENT_INIT;
    uint64_t writes = 0, asked = 0;

    assert(worker_is_first(w));
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = accesses.events[i];
        if (!kind_writes(kind_of(m, e)))
            continue;
        (may_fail(m, e) ? after : last)[thread_of(m, e)] = observed = e;
        writes++;
    }
    for (thread_id u = 0; u < m->thread_count && writes > 0 && !*w->stop; u++) {
        asked += last[u] != EVENT_INIT && ask(w, last, observed, last[u]);
        asked += after[u] != EVENT_INIT && ask(w, last, observed, after[u]);
    }
    assert(writes == 0 || asked < writes);
    if (writes > 0) {
        w->stats[PROPERTY_FINAL].subjects++;
        worker_refute(w, PROPERTY_FINAL, REFUTED_MUST_ORDER, writes - 1 - asked);
    }
    free(after);
    free(last);
}
