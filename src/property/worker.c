/* What one worker has while it checks. */
#include "property/worker.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void worker_refute(struct worker *w, enum property property, enum refutation why, uint64_t candidates)
{
    w->stats[property].candidates += candidates;
    w->stats[property].refuted[why] += candidates;
}

void worker_ask(struct worker *w, enum property property, const uint32_t *events, uint32_t count)
{
    struct property_stats *stats = &w->stats[property];
    struct verdict v = solver_ask(w->solver);

    if (v.answer == ANSWER_INFEASIBLE) {
        worker_refute(w, property, v.why, 1);
        return;
    }
    stats->candidates++;
    if (v.answer == ANSWER_FEASIBLE) {
        struct finding claim = {.property = property,
                                .events = (uint32_t *)(uintptr_t)events,
                                .event_count = count,
                                .schedule = v.schedule};
        struct certify_options how = {.same_value = w->options->same_value,
                                      .atomic_locks = w->options->atomic_locks};
        struct error why;
        if (certifier_accepts(w->certifier, &claim, &how, &why)) {
            stats->feasible++;
            w->certified++;
            finding_add(&w->found, property, events, count, v.schedule);
            return;
        }
        w->rejected++;
        free(v.schedule.tail);
    }
    stats->undecided++;
    finding_add(&w->undecided, property, events, count, (struct schedule){0});
}

void thread_accesses_init(struct thread_accesses *a, const struct model *m)
{
    memset(a, 0, sizeof *a);
    a->by_thread = memory_new(m->thread_count, sizeof *a->by_thread);
    a->counts = memory_new(m->thread_count, sizeof *a->counts);
}

void thread_accesses_free(struct thread_accesses *a)
{
    free((void *)a->by_thread);
    free(a->counts);
    free(a->pool);
}

void thread_accesses_fill(struct thread_accesses *a, const struct model *m, variable_id x,
                          bool (*wanted)(enum event_kind))
{
    struct event_span accesses = accesses_of(m, x);
    uint32_t *fill = memory_new((size_t)m->thread_count + 1, sizeof *fill);

    memset(a->counts, 0, m->thread_count * sizeof *a->counts);
    a->pool = memory_grow(a->pool, &a->pool_capacity, accesses.count, sizeof *a->pool);
    for (size_t i = 0; i < accesses.count; i++)
        if (wanted(kind_of(m, accesses.events[i])))
            a->counts[thread_of(m, accesses.events[i])]++;
    for (thread_id t = 0; t < m->thread_count; t++) {
        a->by_thread[t] = a->pool + fill[t];
        fill[t + 1] = fill[t] + a->counts[t];
    }
    for (size_t i = 0; i < accesses.count; i++)
        if (wanted(kind_of(m, accesses.events[i])))
            a->pool[fill[thread_of(m, accesses.events[i])]++] = accesses.events[i];
    free(fill);
}

uint32_t accesses_before(const struct model *m, const event_id *accesses, uint32_t count, uint32_t position)
{
    uint32_t low = 0, high = count;

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->position[accesses[middle]] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const uint32_t *base_row(const struct model *m, event_id e, uint32_t *scratch)
{
    thread_id t = thread_of(m, e);
    uint32_t position = m->position[e];

    if (position > 0) {
        memcpy(scratch, clocks_forward_row(m, t, position - 1), m->thread_count * sizeof *scratch);
    } else {
        struct event_span required = model_required(m, e);
        memset(scratch, 0, m->thread_count * sizeof *scratch);
        for (size_t i = 0; i < required.count; i++) {
            thread_id u = thread_of(m, required.events[i]);
            memcpy(scratch, clocks_forward_row(m, u, m->position[required.events[i]]),
                   m->thread_count * sizeof *scratch);
            scratch[u] = m->position[required.events[i]] + 1;
        }
    }
    scratch[t] = position;
    return scratch;
}
