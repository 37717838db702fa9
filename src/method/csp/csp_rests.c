/* Where a run can rest: which thread takes a lock last, after which events no lock is held that others take
 * later, where a thread holds none. */
#include "base/memory.h"
#include "method/csp/csp_plan.h"

#include <stdlib.h>

static void find_last_takes(struct csp_plan *p)
{
    const struct model *m = p->m;

    p->last_takes = memory_new(m->lock_count, sizeof *p->last_takes);
    for (lock_id l = 0; l < m->lock_count; l++) {
        struct last_takes *last = &p->last_takes[l];
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            const struct section *s = &m->sections[i];
            if (last->last != 0 && last->thread != s->owner)
                last->other = last->last;
            last->thread = s->owner;
            last->last = s->acquire;
        }
    }
}

event_id csp_taken_by_others(const struct csp_plan *p, lock_id lock, thread_id t)
{
    const struct last_takes *last = &p->last_takes[lock];

    return last->thread == t ? last->other : last->last;
}

static void find_rests(struct csp_plan *p)
{
    const struct model *m = p->m;
    int32_t *change = memory_new((size_t)m->event_count + 2, sizeof *change), open = 0;

    p->rest = memory_new((size_t)m->event_count + 1, sizeof *p->rest);
    for (uint32_t i = 0; i < m->section_start[m->lock_count]; i++) {
        const struct section *s = &m->sections[i];
        event_id until = csp_taken_by_others(p, section_lock(s), s->owner);
        if (s->release < until)
            until = s->release;
        if (until > s->acquire) {
            change[s->acquire]++;
            change[until]--;
        }
    }
    for (event_id e = 1; e <= m->event_count; e++) {
        open += change[e];
        p->rest[e] = open == 0 ? e : p->rest[e - 1];
    }
    free(change);
}

/* Locks that one thread alone uses do not count as held. */
static void find_thread_rests(struct csp_plan *p)
{
    const struct model *m = p->m;
    uint32_t *depth = memory_new(p->links_count + 1, sizeof *depth);

    p->rest_up = memory_new(p->links_count + 1, sizeof *p->rest_up);
    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t held = 0, length = chain_length(p, t), base = p->chain_start[t], next = length;
        for (uint32_t k = 0; k < length; k++) {
            const struct csp_link *link = chain_link(p, t, k);
            bool counts = (link->takes || link->gives) && csp_taken_by_others(p, arg_of(m, link->event), t) > 0;
            depth[base + k] = held;
            held += counts && link->takes;
            held -= counts && link->gives;
        }
        for (uint32_t k = length; k-- > 0;) {
            next = depth[base + k] == 0 ? k : next;
            p->rest_up[base + k] = next;
        }
    }
    free(depth);
}

void csp_plan_rests(struct csp_plan *p)
{
    find_last_takes(p);
    find_rests(p);
    find_thread_rests(p);
}

uint32_t chain_count_up_to(const struct csp_plan *p, thread_id t, event_id number)
{
    uint32_t low = 0, high = chain_length(p, t);

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (chain_link(p, t, middle)->event <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}
