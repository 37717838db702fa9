/* Nondeterminism: which reads could see another write (SPEC §3). */
#include "base/memory.h"
#include "property/worker.h"

#include <stdlib.h>

struct reader {
    struct worker *w;
    struct thread_accesses *writes;
    variable_id x;
    event_id read, source;
    const uint32_t *base; /* what must come before the read, its couple left out */
};

/* The first write to the variable after `e` in the trace, or EVENT_NONE. */
static event_id next_write(const struct model *m, variable_id x, event_id e)
{
    struct event_span accesses = accesses_of(m, x);
    size_t low = 0, high = accesses.count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (accesses.events[middle] <= e)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < accesses.count && !kind_writes(kind_of(m, accesses.events[low])))
        low++;
    return low < accesses.count ? accesses.events[low] : EVENT_NONE;
}

static void ask(const struct reader *r, event_id alternative)
{
    const struct model *m = r->w->m;
    struct query *q = solver_query(r->w->solver);
    event_id after = next_write(m, r->x, alternative);

    query_end_with(m, q, r->read);
    if (alternative != EVENT_INIT)
        query_contain(m, q, alternative);
    q->read = r->read;
    q->from = alternative;
    q->start = outermost_start(m, r->read);
    if (after != EVENT_NONE && after < r->read) {
        event_id moved = outermost_start(m, after);
        q->start = moved < q->start ? moved : q->start;
    }
    worker_ask(r->w, PROPERTY_NONDET, (uint32_t[]){r->read, r->source, alternative}, 3);
}

/* Of thread u, the write that is last in the read's base is overwritten there by another thread's. */
static bool is_overwritten(const struct reader *r, event_id write)
{
    const struct model *m = r->w->m;

    for (thread_id u = 0; u < m->thread_count; u++) {
        uint32_t known = accesses_before(m, r->writes->by_thread[u], r->writes->counts[u], r->base[u]);
        if (known > 0 && u != thread_of(m, write) && must_before(m, write, r->writes->by_thread[u][known - 1]))
            return true;
    }
    return false;
}

/* How many of a thread's writes are not known to come after the read. */
static uint32_t writes_not_after(const struct reader *r, const event_id *writes, uint32_t low, uint32_t high)
{
    const struct model *m = r->w->m;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (must_before(m, r->read, writes[middle]))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

/* Asks for every write that no rule excludes: of each thread the last one in the base and those beside the
 * read. */
static void check_read(struct reader *r)
{
    struct worker *w = r->w;
    const struct model *m = w->m;
    uint64_t others = 0, asked = 0;
    bool initial_seen = r->source != EVENT_INIT;

    for (thread_id u = 0; u < m->thread_count; u++) {
        const event_id *writes = r->writes->by_thread[u];
        uint32_t count = r->writes->counts[u];
        uint32_t known = accesses_before(m, writes, count, r->base[u]);
        uint32_t end = u == thread_of(m, r->read) ? known : writes_not_after(r, writes, known, count);

        others += count;
        initial_seen &= known == 0;
        if (known > 0 && writes[known - 1] != r->source && !is_overwritten(r, writes[known - 1])) {
            ask(r, writes[known - 1]);
            asked++;
        }
        for (uint32_t i = known; i < end && !*w->stop; i++) {
            if (writes[i] == r->source)
                continue;
            ask(r, writes[i]);
            asked++;
        }
    }
    if (initial_seen) {
        ask(r, EVENT_INIT);
        asked++;
    }
    if (kind_writes(kind_of(m, r->read)))
        others--; /* itself */
    /* the initial write is one more to read from, the source one less */
    worker_refute(w, PROPERTY_NONDET, REFUTED_MUST_ORDER, others - asked);
}

void nondet_variable(struct worker *w, variable_id x)
{
    const struct model *m = w->m;
    struct event_span accesses = accesses_of(m, x);
    struct thread_accesses writes;
    uint32_t *scratch = memory_new(m->thread_count, sizeof *scratch);

    thread_accesses_init(&writes, m);
    thread_accesses_fill(&writes, m, x, kind_writes);
    for (size_t i = 0; i < accesses.count && !*w->stop; i++) {
        event_id e = accesses.events[i];
        if (!kind_reads(kind_of(m, e)))
            continue;
        struct reader r = {w, &writes, x, e, m->source[e], base_row(m, e, scratch)};
        w->stats[PROPERTY_NONDET].subjects++;
        check_read(&r);
    }
    thread_accesses_free(&writes);
    free(scratch);
}
