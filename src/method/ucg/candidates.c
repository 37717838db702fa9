/* Candidates for races and atomicity violations. */
#include "method/ucg/candidates.h"
#include "base/memory.h"
#include "method/graph/witness.h"

#include <stdlib.h>

uint32_t *segments_new(const struct model *m)
{
    size_t events = (size_t)m->event_count + 1;
    uint32_t *segment = memory_new(events, sizeof *segment), next = 0;
    bool *apart = memory_new(events, sizeof *apart); /* what others require, or what requires others */

    for (size_t i = 0; i < m->requirements_count; i++)
        apart[m->requirements[i].event] = true;
    for (size_t i = 0; i < m->required_events_count; i++)
        apart[m->required_events[i]] = true;
    for (thread_id t = 0; t < m->thread_count; t++) {
        bool after = true;
        for (uint32_t p = 0; p < thread_length(m, t); p++) {
            event_id e = event_at(m, t, p);
            bool alone = apart[e] || !kind_accesses(kind_of(m, e));
            next += alone || after;
            segment[e] = next;
            after = alone;
        }
    }
    free(apart);
    return segment;
}

/* A number that groups share and that sorts them by thread and segment. */
static uint64_t group_key(const struct model *m, const uint32_t *segment, event_id e)
{
    enum event_kind kind = kind_of(m, e);

    return (uint64_t)segment[e] << 2 | (unsigned)kind_writes(kind) << 1 | (unsigned)kind_atomic(kind);
}

struct keyed {
    uint64_t key;
    event_id event;
};

static int by_key(const void *a, const void *b)
{
    const struct keyed *p = a, *q = b;

    if (p->key != q->key)
        return p->key < q->key ? -1 : 1;
    return p->event < q->event ? -1 : p->event > q->event;
}

void access_groups_build(struct access_groups *g, const struct model *m, const uint32_t *segment, variable_id x)
{
    struct event_span accesses = accesses_of(m, x);
    struct keyed *keyed = memory_new(accesses.count, sizeof *keyed);

    *g = (struct access_groups){.pool = memory_new(accesses.count, sizeof *g->pool)};
    for (size_t i = 0; i < accesses.count; i++)
        keyed[i] = (struct keyed){group_key(m, segment, accesses.events[i]), accesses.events[i]};
    if (accesses.count > 1)
        qsort(keyed, accesses.count, sizeof *keyed, by_key);
    for (size_t i = 0; i < accesses.count; i++) {
        event_id e = keyed[i].event;
        g->pool[i] = e;
        if (i == 0 || keyed[i].key != keyed[i - 1].key)
            ARRAY_PUSH(g, list,
                       (struct access_group){.thread = thread_of(m, e),
                                             .segment = segment[e],
                                             .writes = kind_writes(kind_of(m, e)),
                                             .atomic = kind_atomic(kind_of(m, e)),
                                             .events = g->pool + i});
        g->list[g->list_count - 1].count++;
    }
    free(keyed);
}

void access_groups_free(struct access_groups *g)
{
    free(g->list);
    free(g->pool);
}

static bool section_covers(const struct model *m, const struct section *s, event_id e)
{
    return s->release == EVENT_NONE || m->position[e] < m->position[s->release];
}

bool locks_exclude_between(const struct model *m, event_id a, event_id c, event_id b)
{
    uint32_t ours = model_hold_at(m, thread_of(m, a), m->position[a]);
    uint32_t theirs = model_hold_at(m, thread_of(m, b), m->position[b]);

    for (uint32_t i = ours; i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *p = &m->sections[m->holds[i].section];
        for (uint32_t j = theirs; j != HOLD_NONE && section_covers(m, p, c); j = m->holds[j].outer) {
            const struct section *q = &m->sections[m->holds[j].section];
            if (section_lock(p) == section_lock(q) && sections_exclude(p, q))
                return true;
        }
    }
    return false;
}

bool locks_exclude(const struct model *m, event_id a, event_id b)
{
    return locks_exclude_between(m, a, a, b);
}
