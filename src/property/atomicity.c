/* Atomicity: two accesses of an atomic block with a remote one between them that no serial order explains (SPEC
 * §3). */
#include "base/memory.h"
#include "property/blocks.h"
#include "property/worker.h"

#include <stdlib.h>

/* RWR, RWW, WRW, WWR, WWW; an rmw is both. */
static bool is_unserializable(enum event_kind a, enum event_kind b, enum event_kind c)
{
    if (kind_writes(b))
        return true; /* RWR, RWW, WWR, WWW */
    return kind_writes(a) && kind_writes(c);
}

static void ask(struct worker *w, event_id a, event_id b, event_id c)
{
    const struct model *m = w->m;
    struct query *q = solver_query(w->solver);
    event_id first = outermost_start(m, a), remote = outermost_start(m, b);

    query_end_with(m, q, c);
    query_contain(m, q, a);
    query_contain(m, q, b);
    query_order(q, a, b);
    query_order(q, b, c);
    q->start = first < remote ? first : remote;
    worker_ask(w, PROPERTY_ATOMICITY, (uint32_t[]){a, b, c}, 3);
}

/* The remote accesses of one thread for the pair (a, c): neither before a nor after c in must-order. */
static void check_remote(struct worker *w, event_id a, event_id c, const event_id *others, uint32_t count,
                         uint32_t *scratch)
{
    const struct model *m = w->m;
    uint64_t refuted = 0;

    for (uint32_t i = 0; i < count && !*w->stop; i++) {
        event_id b = others[i];
        if (!is_unserializable(kind_of(m, a), kind_of(m, b), kind_of(m, c)))
            continue;
        if (must_before(m, b, a) || base_row(m, b, scratch)[thread_of(m, c)] > m->position[c])
            refuted++;
        else
            ask(w, a, b, c);
    }
    worker_refute(w, PROPERTY_ATOMICITY, REFUTED_MUST_ORDER, refuted);
}

static void check_pair(struct worker *w, const struct thread_accesses *accesses, event_id a, event_id c,
                       uint32_t *scratch)
{
    w->stats[PROPERTY_ATOMICITY].subjects++;
    for (thread_id u = 0; u < w->m->thread_count; u++)
        if (u != thread_of(w->m, a))
            check_remote(w, a, c, accesses->by_thread[u], accesses->counts[u], scratch);
}

void atomicity_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct thread_accesses accesses;
    uint32_t *scratch = memory_new(m->thread_count, sizeof *scratch);

    thread_accesses_init(&accesses, m);
    thread_accesses_fill(&accesses, m, x, kind_accesses);
    for (thread_id t = 0; t < m->thread_count; t++) {
        const event_id *mine = accesses.by_thread[t];
        for (uint32_t i = 0; i < accesses.counts[t]; i++) {
            uint32_t end = blocks_end(w->blocks, m, mine[i]); /* of the longest block around it */
            for (uint32_t j = i + 1; j < accesses.counts[t] && m->position[mine[j]] < end && !*w->stop; j++)
                check_pair(w, &accesses, mine[i], mine[j], scratch);
        }
    }
    thread_accesses_free(&accesses);
    free(scratch);
}
