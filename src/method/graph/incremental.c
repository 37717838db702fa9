/* The graph method, incremental.
 *
 * Two facts carry it. The edges from section to section that a witness order brings are those that the edge
 * between its events induces, so only the latter are added. And along a thread, if challenger → read leads to a
 * cycle, so it does for every later challenger. */
#include "method/graph/incremental.h"
#include "base/memory.h"
#include "method/graph/abstraction.h"
#include "method/graph/choices.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { CUTS = 3 };

/* Cuts of the lock abstraction graph as it is now, by the event they were computed for. */
struct cuts {
    event_id event[CUTS];
    uint32_t *cut[CUTS];
    unsigned count;
};

struct incremental {
    const struct model *m;
    struct reach reach;
    struct abstraction abstraction;
    struct cuts after, before;
    struct choices choices; /* for graphs that have to be searched */
    uint64_t budget;
    bool *dead; /* by thread: its challengers from here on are refuted */
    event_id read, write;
    outcome_sink *sink;
    void *context;
};

struct incremental *incremental_new(const struct model *m, uint64_t budget)
{
    struct incremental *i = memory_new(1, sizeof *i);

    i->m = m;
    i->budget = budget;
    reach_init(&i->reach, m);
    abstraction_init(&i->abstraction, &i->reach);
    i->dead = memory_new(m->thread_count, sizeof *i->dead);
    for (unsigned k = 0; k < CUTS; k++) {
        i->after.cut[k] = memory_new(m->thread_count, sizeof **i->after.cut);
        i->before.cut[k] = memory_new(m->thread_count, sizeof **i->before.cut);
    }
    return i;
}

void incremental_free(struct incremental *i)
{
    reach_free(&i->reach);
    abstraction_free(&i->abstraction);
    choices_free(&i->choices);
    free(i->dead);
    for (unsigned k = 0; k < CUTS; k++) {
        free(i->after.cut[k]);
        free(i->before.cut[k]);
    }
    free(i);
}

static void forget_cuts(struct incremental *i)
{
    i->after.count = i->before.count = 0;
}

static bool is_after(const struct incremental *i, event_id e, const uint32_t *cut)
{
    return i->m->position[e] >= cut[thread_of(i->m, e)];
}

/* What `e` leads to. Events that lead to each other have the same cuts. */
static const uint32_t *cut_after(struct incremental *i, event_id e)
{
    struct cuts *known = &i->after;

    for (unsigned k = 0; k < known->count; k++)
        if (known->event[k] == e || (reaches(&i->reach, e, known->event[k]) && is_after(i, e, known->cut[k])))
            return known->cut[k];
    assert(known->count < CUTS);
    known->event[known->count] = e;
    abstraction_after(&i->abstraction, e, known->cut[known->count]);
    return known->cut[known->count++];
}

/* What leads to `e`. */
static const uint32_t *cut_before(struct incremental *i, event_id e)
{
    struct cuts *known = &i->before;

    for (unsigned k = 0; k < known->count; k++)
        if (known->event[k] == e ||
            (reaches(&i->reach, known->event[k], e) && !is_after(i, e, known->cut[k])) ||
            (reaches(&i->reach, e, known->event[k]) && is_after(i, e, cut_after(i, known->event[k]))))
            return known->cut[k];
    assert(known->count < CUTS);
    known->event[known->count] = e;
    abstraction_before(&i->abstraction, e, known->cut[known->count]);
    return known->cut[known->count++];
}

static int by_sections(const void *a, const void *b)
{
    const struct choice_pair *p = a, *q = b;

    if (p->section[0] != q->section[0])
        return p->section[0] < q->section[0] ? -1 : 1;
    return p->section[1] < q->section[1] ? -1 : p->section[1] > q->section[1];
}

/* The pairs of S_choice that this section is the first of. */
static void list_pairs(struct incremental *i, uint32_t section)
{
    const struct model *m = i->m;
    const struct reach *r = &i->reach;
    const struct track *own = &r->tracks.list[r->tracks.track_of[section]];
    size_t bounds = tracks_bounds(&r->tracks, section);

    for (uint32_t k = 0; k < own->rival_count; k++) {
        const struct track *rival = &r->tracks.list[r->tracks.rivals[own->first_rival + k]];
        for (uint32_t other = r->before[bounds + k]; other < r->after[bounds + k]; other++) {
            uint32_t second = rival->sections[other];
            if (second > section)
                ARRAY_PUSH(&i->choices, pairs,
                           (struct choice_pair){{section, second},
                                                abstraction_swaps(&i->abstraction, &m->sections[section],
                                                                  &m->sections[second])});
        }
    }
}

/* Looks at the choice graphs themselves. */
static struct witness_outcome explore_orders(struct incremental *i)
{
    const struct model *m = i->m;
    const struct reach *r = &i->reach;
    struct witness_outcome out;
    struct digraph g;

    i->choices.pairs_count = 0;
    for (uint32_t s = 0; s < m->section_start[m->lock_count]; s++)
        if (abstraction_holds(&i->abstraction, m->sections[s].acquire))
            list_pairs(i, s);
    qsort(i->choices.pairs, i->choices.pairs_count, sizeof *i->choices.pairs, by_sections);
    digraph_init(&g, m, NULL);
    for (size_t arc = 0; arc < r->arcs_count; arc++)
        if (!r->arcs[arc].gone)
            digraph_add(&g, r->arcs[arc].from, r->arcs[arc].to);
    out = choices_explore(&i->choices, &g, i->budget);
    digraph_free(&g);
    return out;
}

/* The outcome of a witness whose graph has no cycle: by its choices. */
static struct witness_outcome judge(struct incremental *i, const struct witness *w)
{
    struct ordered_pair pairs[3];
    unsigned count = witness_pairs(w, pairs);
    uint64_t choices;

    abstraction_clear(&i->abstraction);
    for (unsigned k = 0; k < count; k++) {
        const uint32_t *after = cut_after(i, pairs[k].after);
        if (is_after(i, pairs[k].before, after))
            abstraction_add_box(&i->abstraction, after, cut_before(i, pairs[k].before));
    }
    choices = abstraction_count(&i->abstraction);
    if (choices == 0)
        return (struct witness_outcome){WITNESS_FREE, 0, 0};
    if (abstraction_guess_holds(&i->abstraction, i->reach.base_arcs) && i->budget > 0)
        return (struct witness_outcome){WITNESS_FEASIBLE, (uint32_t)choices, 1};
    return explore_orders(i);
}

static void tell(struct incremental *i, enum witness_kind kind, event_id challenger, struct witness_outcome out)
{
    struct witness w = {kind, i->write, i->read, challenger};

    i->sink(i->context, &w, &out);
}

static const struct witness_outcome cyclic = {WITNESS_CYCLIC, 0, 0};

static void tell_all_cyclic(struct incremental *i, enum witness_kind kind, const event_id *challengers,
                            size_t count)
{
    for (size_t k = 0; k < count; k++)
        tell(i, kind, challengers[k], cyclic);
}

/* Outcomes that challengers share when their order before the read holds anyway. Which one it is depends on
 * where the challenger lies in the lock abstraction graph. */
struct shared_outcomes {
    bool known[3];
    struct witness_outcome outcome[3];
};

/* 2: the way goes back from the written event, 1: only from the read, 0: there is no way back. */
static unsigned way_back(struct incremental *i, enum witness_kind kind, event_id challenger)
{
    if (challenger == EVENT_INIT)
        return 0;
    if (kind == WITNESS_K1 && is_after(i, challenger, cut_after(i, i->write)))
        return 2;
    return is_after(i, challenger, cut_after(i, i->read)) ? 1 : 0;
}

static struct witness_outcome shared_outcome(struct incremental *i, struct shared_outcomes *shared,
                                             const struct witness *w)
{
    unsigned way = way_back(i, w->kind, w->challenger);

    if (!shared->known[way]) {
        shared->outcome[way] = judge(i, w);
        shared->known[way] = true;
    }
    return shared->outcome[way];
}

/* Adds challenger → read; the outcome for kinds that demand nothing else of the challenger. */
static struct witness_outcome try_challenger(struct incremental *i, const struct witness *w)
{
    struct reach *r = &i->reach;
    struct reach_mark mark = reach_mark(r);
    struct witness_outcome out = cyclic;

    if (reach_add(r, w->challenger, w->read) &&
        !(w->kind == WITNESS_K3 && (reaches(r, w->write, w->read) || reaches(r, w->write, w->challenger)))) {
        forget_cuts(i);
        out = judge(i, w);
        forget_cuts(i);
    } else {
        i->dead[thread_of(i->m, w->challenger)] = true;
    }
    reach_undo(r, mark);
    return out;
}

/* Witnesses of k1 after read → write was added, of k3, and of k2 when the write is the initial one. */
static void decide_by_challenger(struct incremental *i, enum witness_kind kind, const event_id *challengers,
                                 size_t count)
{
    struct shared_outcomes shared = {0};

    memset(i->dead, 0, i->m->thread_count * sizeof *i->dead);
    forget_cuts(i);
    for (int pass = 0; pass < 2; pass++) { /* first those that share the cuts of the graph as it is */
        for (size_t k = 0; k < count; k++) {
            struct witness w = {kind, i->write, i->read, challengers[k]};
            bool before = w.challenger == EVENT_INIT || reaches(&i->reach, w.challenger, w.read);
            if (before != (pass == 0))
                continue;
            if (witness_is_absurd(&w))
                tell(i, kind, w.challenger, cyclic);
            else if (before)
                tell(i, kind, w.challenger, shared_outcome(i, &shared, &w));
            else if (i->dead[thread_of(i->m, w.challenger)])
                tell(i, kind, w.challenger, cyclic);
            else
                tell(i, kind, w.challenger, try_challenger(i, &w));
        }
    }
}

static void decide_k1(struct incremental *i, const event_id *challengers, size_t count)
{
    struct reach_mark mark = reach_mark(&i->reach);

    if (i->write != EVENT_INIT && reach_add(&i->reach, i->read, i->write))
        decide_by_challenger(i, WITNESS_K1, challengers, count);
    else
        tell_all_cyclic(i, WITNESS_K1, challengers, count);
    reach_undo(&i->reach, mark);
}

static struct witness_outcome try_k2(struct incremental *i, const struct witness *w)
{
    struct reach *r = &i->reach;
    struct reach_mark mark = reach_mark(r);
    struct witness_outcome out = cyclic;

    if (reaches(r, w->challenger, w->write) || reaches(r, w->read, w->challenger))
        return out;
    if (reach_add(r, w->challenger, w->read) && reach_add(r, w->write, w->challenger)) {
        forget_cuts(i);
        out = judge(i, w);
    }
    reach_undo(r, mark);
    return out;
}

static void decide_k2(struct incremental *i, const event_id *challengers, size_t count)
{
    if (i->write == EVENT_INIT) {
        decide_by_challenger(i, WITNESS_K2, challengers, count);
        return;
    }
    for (size_t k = 0; k < count; k++) {
        struct witness w = {WITNESS_K2, i->write, i->read, challengers[k]};
        tell(i, WITNESS_K2, w.challenger, witness_is_absurd(&w) ? cyclic : try_k2(i, &w));
    }
}

static void decide_k3(struct incremental *i, const event_id *challengers, size_t count)
{
    if (i->write == EVENT_INIT || reaches(&i->reach, i->write, i->read))
        tell_all_cyclic(i, WITNESS_K3, challengers, count);
    else
        decide_by_challenger(i, WITNESS_K3, challengers, count);
}

void incremental_decide(struct incremental *i, event_id read, const event_id *challengers, size_t count,
                        outcome_sink *sink, void *context)
{
    struct reach_mark mark = reach_mark(&i->reach);

    i->read = read;
    i->write = i->m->source[read];
    i->sink = sink;
    i->context = context;
    reach_without_couple(&i->reach, read);
    decide_k1(i, challengers, count);
    decide_k2(i, challengers, count);
    decide_k3(i, challengers, count);
    reach_undo(&i->reach, mark);
}
