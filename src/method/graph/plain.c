/* The graph method, plain: witness order graph, lock abstraction graph, choice graphs (FMCAD'12 §III). */
#include "method/graph/plain.h"
#include "base/memory.h"
#include "method/graph/choices.h"
#include "method/graph/digraph.h"

#include <stdlib.h>

struct plain {
    struct digraph g;
    bool *bound; /* by event: a read that keeps its source */
    struct choices choices;
    uint64_t budget;
};

/* In a run that stops early, the last read of a thread may see anything, unless it is an rmw that a read which
 * keeps its source reads from. */
static void find_bound(struct plain *p, bool early)
{
    const struct model *m = p->g.m;

    for (event_id e = m->event_count; e > 0; e--) {
        if (m->source[e] == EVENT_NONE || !digraph_has(&p->g, e))
            continue;
        p->bound[e] |= !early || m->position[e] + 1 < p->g.cut[thread_of(m, e)];
        if (p->bound[e])
            p->bound[m->source[e]] = true;
    }
}

struct plain *plain_new(const struct model *m, const uint32_t *cut, uint64_t budget)
{
    struct plain *p = memory_new(1, sizeof *p);

    digraph_init(&p->g, m, cut);
    p->bound = memory_new((size_t)m->event_count + 1, sizeof *p->bound);
    p->budget = budget;
    find_bound(p, cut != NULL);
    return p;
}

void plain_free(struct plain *p)
{
    digraph_free(&p->g);
    free(p->bound);
    choices_free(&p->choices);
    free(p);
}

/* Every couple but that of the witness; the initial write needs no edge. */
static void add_couples(struct plain *p, event_id but)
{
    const struct model *m = p->g.m;

    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] != EVENT_NONE && m->source[e] != EVENT_INIT && e != but && p->bound[e])
            digraph_add(&p->g, m->source[e], e);
}

/* The witness order edges of one ordered pair: from section to section where a lock guards both, cases 1 to 3
 * of §III.A. False when a section that would have to come first never ends. */
static bool add_witness_edges(struct digraph *g, event_id before, event_id after)
{
    const struct model *m = g->m;
    uint32_t ours = model_hold_at(m, thread_of(m, before), m->position[before]);
    uint32_t theirs = model_hold_at(m, thread_of(m, after), m->position[after]);
    bool guarded = false;

    for (uint32_t i = ours; i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *p = &m->sections[m->holds[i].section];
        for (uint32_t j = theirs; j != HOLD_NONE; j = m->holds[j].outer) {
            const struct section *q = &m->sections[m->holds[j].section];
            if (section_lock(p) != section_lock(q) || !sections_exclude(p, q))
                continue;
            if (digraph_release(g, p) == EVENT_NONE)
                return false;
            digraph_add(g, p->release, q->acquire);
            guarded = true;
        }
    }
    if (!guarded)
        digraph_add(g, before, after);
    return true;
}

/* One round over all pairs of sections: if acquire p reaches the end of q, p ends before q begins. Sets
 * `added`; false when that is impossible. */
static bool induce(struct digraph *g, bool *added)
{
    const struct model *m = g->m;

    *added = false;
    for (lock_id l = 0; l < m->lock_count; l++) {
        for (uint32_t i = m->section_start[l]; i < m->section_start[l + 1]; i++) {
            for (uint32_t j = m->section_start[l]; j < m->section_start[l + 1]; j++) {
                const struct section *p = &m->sections[i], *q = &m->sections[j];
                if (!sections_exclude(p, q) || !digraph_has(g, p->acquire) || !digraph_has(g, q->acquire) ||
                    !digraph_reaches(g, p->acquire, digraph_last(g, q)))
                    continue;
                if (digraph_release(g, p) == EVENT_NONE)
                    return false;
                if (digraph_reaches(g, p->release, q->acquire))
                    continue;
                digraph_add(g, p->release, q->acquire);
                *added = true;
            }
        }
    }
    return true;
}

struct witness_outcome plain_decide(struct plain *p, const struct witness *w)
{
    struct digraph *g = &p->g;
    struct witness_outcome cyclic = {WITNESS_CYCLIC, 0, 0};
    struct ordered_pair pairs[3];
    unsigned pair_count = witness_pairs(w, pairs);
    bool added = true;

    digraph_shrink(g, 0);
    if (witness_is_absurd(w))
        return cyclic;
    digraph_add_required(g);
    add_couples(p, w->read);
    size_t first = g->arcs_count;
    for (unsigned i = 0; i < pair_count; i++)
        if (!add_witness_edges(g, pairs[i].before, pairs[i].after))
            return cyclic;
    size_t end = g->arcs_count;
    while (added)
        if (!digraph_close(g) || !induce(g, &added))
            return cyclic;
    if (w->kind == WITNESS_K3 && digraph_has(g, w->write) &&
        (digraph_reaches(g, w->write, w->read) ||
         (w->challenger != EVENT_INIT && digraph_reaches(g, w->write, w->challenger))))
        return cyclic;

    choices_unordered(&p->choices, g);
    choices_keep_relevant(&p->choices, g, first, end);
    if (p->choices.pairs_count == 0)
        return (struct witness_outcome){WITNESS_FREE, 0, 0};
    choices_guess(&p->choices, g);
    return choices_explore(&p->choices, g, p->budget);
}
