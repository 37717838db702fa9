/* Graph against exact. */
#include "method/graph/compare.h"
#include "base/map.h"
#include "base/memory.h"
#include "method/graph/graph.h"
#include "method/graph/incremental.h"
#include "method/graph/section_order.h"
#include "property/check.h"
#include "solve/solver.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *title, *reason;
} words[DIFFERENCES] = {
    [DIFFERENCE_OTHER] =
        {"a third write",
         "The witness is real, but its name is not: the read can miss the write it saw and come after "
         "the challenger, yet a third write always lies between, and that is the one it sees."},
    [DIFFERENCE_COUPLE] =
        {"a write between a couple",
         "In every order that the graph allows, some write comes between another read and the write "
         "that read must see. The graph keeps a write before its reader, not other writes out."},
    [DIFFERENCE_TRY] =
        {"a try-lock that would not fail",
         "In every order that the graph allows, a try-lock that failed in the trace finds its lock free. "
         "The graph keeps it after the acquire that was in its way, not before the release."},
    [DIFFERENCE_EARLY] =
        {"a run that stops early",
         "The run ends with the read, and threads may stop before that: inside a critical section, or "
         "at a read that sees something new. The graph has all events of the trace, and their order "
         "has a cycle."},
};

const char *difference_title(enum difference d)
{
    return words[d].title;
}

const char *difference_reason(enum difference d)
{
    return words[d].reason;
}

/* What the graph method says of one read's pairs. */
struct graph_verdicts {
    const event_id *challengers; /* ascending */
    size_t count;
    struct {
        unsigned kind; /* the first feasible witness, 1 to 3; 0: none */
        bool undecided;
    } * of;
};

static size_t index_of(const struct graph_verdicts *g, event_id challenger)
{
    size_t i = events_up_to(g->challengers, g->count, challenger) - 1;

    assert(g->challengers[i] == challenger);
    return i;
}

static void note(void *context, const struct witness *w, const struct witness_outcome *out)
{
    struct graph_verdicts *g = context;
    size_t i = index_of(g, w->challenger);
    bool feasible = out->verdict == WITNESS_FREE || out->verdict == WITNESS_FEASIBLE;

    if (feasible && g->of[i].kind == 0)
        g->of[i].kind = (unsigned)w->kind + 1;
    g->of[i].undecided |= out->verdict == WITNESS_UNDECIDED;
}

struct comparer {
    const struct model *m;
    const struct compare_options *options;
    const stop_flag *stop;
    struct solver *solver;
    struct lock_search *locks;
    bool has_tries;       /* the trace has failed try-locks */
    const event_id *seen; /* writes that the read under way may see instead of its source */
    size_t seen_count;
    bool seen_for_sure; /* it can see each of them */
};

/* Whether a run ends in the read, which sees `from`, with `earlier` before it. */
static enum answer ask_exact(struct comparer *c, event_id read, event_id from, event_id earlier)
{
    struct query *q = solver_query(c->solver);
    struct verdict v;

    query_end_with(c->m, q, read);
    if (from != EVENT_INIT)
        query_contain(c->m, q, from);
    if (earlier != EVENT_INIT) {
        query_contain(c->m, q, earlier);
        query_order(q, earlier, read);
    }
    q->read = read;
    q->from = from;
    for (thread_id t = 0; t < c->m->thread_count; t++)
        if (q->least[t] > q->most[t])
            return ANSWER_INFEASIBLE;
    v = solver_ask(c->solver);
    if (v.answer == ANSWER_FEASIBLE)
        free(v.schedule.tail);
    return v.answer;
}

/* Whether the read can see a third write after the challenger. If the challenger always comes before that
 * write, it is a plain write: an rmw may see something new itself, and then what led to it is unknown. */
static bool sees_another(struct comparer *c, event_id read, event_id challenger)
{
    const struct model *m = c->m;

    for (size_t i = 0; i < c->seen_count; i++)
        if (c->seen[i] != EVENT_INIT && !kind_updates(kind_of(m, c->seen[i])) && challenger != EVENT_INIT &&
            must_before(m, challenger, c->seen[i]) && c->seen_for_sure)
            return true;
    for (size_t i = 0; i < c->seen_count; i++)
        if (c->seen[i] != challenger && ask_exact(c, read, c->seen[i], challenger) == ANSWER_FEASIBLE)
            return true;
    return false;
}

/* Why the exact method refutes what the graph method accepts by a witness of this kind. */
static enum difference explain(struct comparer *c, event_id read, event_id challenger, unsigned kind)
{
    struct witness w = {(enum witness_kind)(kind - 1), c->m->source[read], read, challenger};

    if (sees_another(c, read, challenger))
        return DIFFERENCE_OTHER;
    if (c->has_tries && lock_search_order(c->locks, &w, true, c->options->budget) == LOCKS_CYCLIC)
        return DIFFERENCE_TRY;
    return DIFFERENCE_COUPLE;
}

static void comparer_init(struct comparer *c, const struct model *m, const struct compare_options *options,
                          const stop_flag *stop)
{
    *c = (struct comparer){.m = m, .options = options, .stop = stop};
    c->solver = solver_new(m, options->budget, true, stop);
    c->locks = lock_search_new(m);
    for (event_id e = 1; e <= m->event_count; e++)
        c->has_tries |= kind_of(m, e) == EVENT_TRY_FAIL;
}

static void comparer_free(struct comparer *c)
{
    solver_free(c->solver);
    lock_search_free(c->locks);
}

/* What the exact method says: (read, challenger) → 1: feasible, 2: undecided. */
static void find_exact(const struct comparer *c, struct map *exact)
{
    struct check_options options = {.all = true,
                                    .values_ignore = true,
                                    .grounds_ignore = true,
                                    .budget = c->options->budget,
                                    .workers = c->options->workers};
    struct results results = {0};

    options.properties[PROPERTY_NONDET] = true;
    check_trace(c->m, &options, c->stop, &results);
    for (size_t i = 0; i < results.found.findings_count; i++) {
        const uint32_t *events = results.found.findings[i].events;
        *map_at(exact, map_pair(events[0], events[2])) = 1;
    }
    for (size_t i = 0; i < results.undecided.findings_count; i++) {
        const uint32_t *events = results.undecided.findings[i].events;
        *map_at(exact, map_pair(events[0], events[2])) = 2;
    }
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
}

static event_id distance(event_id a, event_id b)
{
    return a > b ? a - b : b - a;
}

static void count_pair(struct comparer *c, struct compared *all, event_id read, event_id challenger,
                       unsigned kind, bool exact)
{
    enum difference d = DIFFERENCE_EARLY;

    if ((kind > 0) == exact) {
        all->both += exact;
        all->neither += !exact;
        return;
    }
    if (!exact)
        d = explain(c, read, challenger, kind);
    if (all->differences[d]++ == 0 ||
        distance(read, challenger) < distance(all->example[d].read, all->example[d].challenger)) {
        all->example[d].read = read;
        all->example[d].challenger = challenger;
        all->example[d].kind = kind;
    }
}

void compare_trace(const struct model *m, const struct compare_options *options, const stop_flag *stop,
                   struct compared *all)
{
    struct incremental *incremental = incremental_new(m, options->budget);
    event_id *challengers = memory_new((size_t)m->event_count + 2, sizeof *challengers);
    event_id *seen = memory_new((size_t)m->event_count + 2, sizeof *seen);
    struct graph_verdicts g = {.challengers = challengers};
    struct map exact = {0};
    struct comparer c;

    *all = (struct compared){0};
    comparer_init(&c, m, options, stop);
    g.of = memory_new((size_t)m->event_count + 2, sizeof *g.of);
    find_exact(&c, &exact);
    for (event_id read = 1; read <= m->event_count && !*stop; read++) {
        if (m->source[read] == EVENT_NONE)
            continue;
        g.count = graph_challengers(m, read, challengers);
        memset(g.of, 0, g.count * sizeof *g.of);
        incremental_decide(incremental, read, challengers, g.count, note, &g);
        all->pairs += g.count;
        c.seen = seen;
        c.seen_count = 0;
        c.seen_for_sure = true;
        for (size_t i = 0; i < g.count; i++)
            if (map_get(&exact, map_pair(read, challengers[i])) == 1)
                seen[c.seen_count++] = challengers[i];
        for (size_t i = 0; i < g.count; i++) {
            uint32_t verdict = map_get(&exact, map_pair(read, challengers[i]));
            if (verdict == 2 || (g.of[i].undecided && g.of[i].kind == 0))
                all->undecided++;
            else
                count_pair(&c, all, read, challengers[i], g.of[i].kind, verdict == 1);
        }
    }
    comparer_free(&c);
    incremental_free(incremental);
    map_free(&exact);
    free(g.of);
    free(seen);
    free(challengers);
}

enum difference compare_pair(const struct model *m, const struct compare_options *options,
                             const stop_flag *stop, event_id read, event_id challenger, unsigned *kind)
{
    struct incremental *incremental = incremental_new(m, options->budget);
    struct graph_verdicts g = {.challengers = &challenger, .count = 1, .of = memory_new(1, sizeof *g.of)};
    event_id *others = memory_new((size_t)m->event_count + 2, sizeof *others);
    enum difference d = DIFFERENCE_NONE;
    struct comparer c;

    comparer_init(&c, m, options, stop);
    c.seen = others;
    c.seen_count = graph_challengers(m, read, others);
    incremental_decide(incremental, read, &challenger, 1, note, &g);
    *kind = g.of[0].kind;
    enum answer exact = ask_exact(&c, read, challenger, EVENT_INIT);
    if (*kind > 0 && exact == ANSWER_INFEASIBLE)
        d = explain(&c, read, challenger, *kind);
    else if (*kind == 0 && exact == ANSWER_FEASIBLE && !g.of[0].undecided)
        d = DIFFERENCE_EARLY;
    comparer_free(&c);
    incremental_free(incremental);
    free(g.of);
    free(others);
    return d;
}
