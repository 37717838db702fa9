/* Choice graphs, one after the other (FMCAD'12 §III.B). */
#include "method/graph/choices.h"

/* Adds the choice edges of graph number `index`: bit i reverses pair i. False when one has no release to start
 * at. */
static bool add_choices(const struct choices *c, struct digraph *g, uint64_t index)
{
    const struct model *m = g->m;

    for (size_t i = 0; i < c->pairs_count; i++) {
        const struct choice_pair *pair = &c->pairs[i];
        bool swapped = pair->swapped != (i < 64 && (index >> i & 1));
        const struct section *first = &m->sections[pair->section[swapped]];
        const struct section *second = &m->sections[pair->section[!swapped]];
        if (digraph_release(g, first) == EVENT_NONE)
            return false;
        digraph_add(g, first->release, second->acquire);
    }
    return true;
}

struct witness_outcome choices_explore(const struct choices *c, struct digraph *g, uint64_t budget)
{
    size_t count = c->pairs_count, arcs = g->arcs_count;
    uint64_t graphs = count < 63 ? (uint64_t)1 << count : UINT64_MAX;
    struct witness_outcome out = {WITNESS_INFEASIBLE, (uint32_t)count, 0};

    while (out.explored < graphs && out.verdict == WITNESS_INFEASIBLE) {
        if (out.explored == budget) {
            out.verdict = WITNESS_UNDECIDED;
            break;
        }
        if (add_choices(c, g, out.explored++) && digraph_close(g))
            out.verdict = WITNESS_FEASIBLE;
        digraph_shrink(g, arcs);
    }
    return out;
}
