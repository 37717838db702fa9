/* Races: conflicting accesses that some run brings next to each other (SPEC §3). */
#include "base/memory.h"
#include "property/worker.h"

#include <stdlib.h>

static bool conflict(enum event_kind a, enum event_kind b)
{
    return (kind_writes(a) || kind_writes(b)) && !(kind_atomic(a) && kind_atomic(b));
}

/* Whether both threads hold a lock at these points in modes that exclude each other. */
static bool share_lock(const struct model *m, event_id a, event_id b)
{
    uint32_t ours = model_hold_at(m, thread_of(m, a), m->position[a]);
    uint32_t theirs = model_hold_at(m, thread_of(m, b), m->position[b]);

    for (uint32_t i = ours; i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *p = &m->sections[m->holds[i].section];
        for (uint32_t j = theirs; j != HOLD_NONE; j = m->holds[j].outer) {
            const struct section *q = &m->sections[m->holds[j].section];
            if (section_lock(m, p) == section_lock(m, q) && !(p->shared && q->shared))
                return true;
        }
    }
    return false;
}

static void ask(struct worker *w, event_id a, event_id b)
{
    const struct model *m = w->m;
    event_id first = a < b ? a : b, second = a < b ? b : a;
    struct query *q;

    if (share_lock(m, a, b)) {
        worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, 1);
        return;
    }
    q = solver_query(w->solver);
    query_stop_before(m, q, a);
    query_stop_before(m, q, b);
    q->start = outermost_start(m, first);
    worker_ask(w, PROPERTY_RACE, (uint32_t[]){first, second}, 2);
}

/* The pairs of `a` with accesses of thread u: those before or after it in must-order are refuted at once. */
static void check_against(struct worker *w, event_id a, const uint32_t *base, thread_id u,
                          const event_id *others, uint32_t count)
{
    const struct model *m = w->m;
    uint32_t scratch_count = m->thread_count;
    uint32_t *scratch = memory_new(scratch_count, sizeof *scratch);
    uint32_t known = accesses_before(m, others, count, base[u]);
    uint64_t refuted = 0;

    for (uint32_t i = 0; i < count && !*w->stop; i++) {
        if (!conflict(kind_of(m, a), kind_of(m, others[i])))
            continue;
        if (i < known || base_row(m, others[i], scratch)[thread_of(m, a)] > m->position[a])
            refuted++;
        else
            ask(w, a, others[i]);
    }
    worker_refute(w, PROPERTY_RACE, REFUTED_MUST_ORDER, refuted);
    free(scratch);
}

void race_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct thread_accesses accesses;
    uint32_t *scratch = memory_new(m->thread_count, sizeof *scratch);

    thread_accesses_init(&accesses, m);
    thread_accesses_fill(&accesses, m, x, kind_accesses);
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t i = 0; i < accesses.counts[t] && !*w->stop; i++) {
            event_id a = accesses.by_thread[t][i];
            const uint32_t *base = base_row(m, a, scratch);
            w->stats[PROPERTY_RACE].subjects++;
            for (thread_id u = t + 1; u < m->thread_count; u++)
                check_against(w, a, base, u, accesses.by_thread[u], accesses.counts[u]);
        }
    }
    thread_accesses_free(&accesses);
    free(scratch);
}
