/* PROGRAM and PATTERN side by side as one term. */
#include "method/csp/csp_plain.h"

#include <stdlib.h>

/* Whether whatever races with `b` races with `a`, too, if both are of one segment: a plain write stands for
 * all, an atomic write and a plain read each for an atomic read. */
static bool stands_for(enum event_kind a, enum event_kind b)
{
    if (kind_atomic(a) && !kind_atomic(b))
        return false;
    return kind_writes(a) || !kind_writes(b);
}

bool csp_keeps(const struct csp_plan *p, event_id access)
{
    const struct model *m = p->m;
    thread_id t = thread_of(m, access);
    uint32_t length = thread_length(m, t);
    uint32_t first = m->position[access];

    while (first > 0 && p->chain_position[event_at(m, t, first - 1)] == p->chain_position[access])
        first--;
    for (uint32_t i = first; i < length; i++) {
        event_id e = event_at(m, t, i);
        enum event_kind kind = kind_of(m, e), kept = kind_of(m, access);
        if (p->chain_position[e] != p->chain_position[access])
            break;
        if (e == access || !kind_accesses(kind) || arg_of(m, e) != arg_of(m, access) || !stands_for(kind, kept))
            continue;
        if (!stands_for(kept, kind) || e < access) /* of equals the first */
            return false;
    }
    return true;
}

static process_id whole_thread(struct csp_processes *pr, thread_id t, variable_id v, bool reduced)
{
    const struct csp_plan *p = pr->p;
    const struct model *m = p->m;
    process_id rest = csp_stop(pr->c);
    uint32_t link = chain_length(p, t);

    for (uint32_t i = thread_length(m, t); i-- > 0;) {
        event_id e = event_at(m, t, i);
        for (; link > 0 && link > p->chain_position[e] + !kind_accesses(kind_of(m, e)); link--)
            rest = csp_prefix(pr->c, chain_link(p, t, link - 1)->label, rest);
        if (kind_accesses(kind_of(m, e)) && (!reduced || (arg_of(m, e) == v && csp_keeps(p, e))))
            rest = csp_prefix(pr->c, csp_label_of(pr, e), rest);
    }
    for (; link > 0; link--)
        rest = csp_prefix(pr->c, chain_link(p, t, link - 1)->label, rest);
    return rest;
}

/* ||| of all processes of the plan that any link asks. */
static process_id whole_sync(struct csp_processes *pr)
{
    const struct csp_plan *p = pr->p;
    process_id all = csp_skip(pr->c);

    for (uint32_t leaf = 0; leaf < p->stage_count + p->m->lock_count; leaf++)
        all = csp_interleave(pr->c, csp_leaf(pr, leaf, 0), all);
    for (size_t i = 0; i < p->links_count; i++)
        if (p->links[i].leaf == LEAF_NONE)
            all = csp_interleave(pr->c, csp_prefix(pr->c, p->links[i].label, csp_stop(pr->c)), all);
    return all;
}

enum csp_verdict csp_plain_check(struct csp_processes *pr, struct csp_pattern pattern, bool reduced,
                                 uint64_t budget)
{
    struct csp *c = pr->c;
    csp_set shared = csp_set_new(c), hidden = csp_set_new(c);
    process_id threads = csp_skip(c), program;
    struct csp_refinement out;
    csp_event labels;

    for (thread_id t = 0; t < pr->p->m->thread_count; t++)
        threads = csp_interleave(c, whole_thread(pr, t, pattern.variable, reduced), threads);
    for (int i = 0; i < 8; i++)
        csp_set_add(
            c, shared,
            csp_access_label(pr->p, i & 1 ? pattern.one : pattern.other, pattern.variable, i & 2, i & 4));
    labels = pr->p->next_label;
    for (csp_event e = CSP_FIRST; e < labels; e++) {
        if (csp_set_has(c, pr->synchronization, e))
            csp_set_add(c, shared, e);
        if (e != pr->p->race)
            csp_set_add(c, hidden, e);
    }
    program = csp_parallel(c, threads, pr->synchronization, whole_sync(pr));
    program = csp_hide(c, csp_parallel(c, program, shared, csp_pattern(pr, pattern)), hidden);
    out = csp_refines(c, csp_stop(c), program, budget);
    free(out.trace);
    return out.verdict;
}
