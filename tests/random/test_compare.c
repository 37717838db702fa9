/* The graph method against the oracle on random traces.
 *
 * What the oracle finds feasible and the graph method does not, it accepts on the events of the run alone: so
 * the only reason to refute it was that all other events of the trace have to take place, too. heddle compare
 * counts what it should, and the traces have every difference it knows.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "base/memory.h"
#include "method/graph/compare.h"
#include "method/graph/graph.h"
#include "method/graph/plain.h"
#include "property/check.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/plain.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACES = 40000, TRACES_LONG = 500000, BUDGET = 1 << 16 };

static const stop_flag never;

struct tally {
    FILE *out; /* NULL: only find out whether something is wrong */
    bool wrong;
    uint64_t pairs, differences[DIFFERENCES];
};

static void say(struct tally *t, const char *what, event_id read, event_id challenger)
{
    t->wrong = true;
    if (t->out)
        fprintf(t->out, "%s: read %u, challenger %u\n", what, read, challenger);
}

static bool accepts(struct plain *p, const struct model *m, event_id read, event_id challenger, bool *undecided)
{
    bool feasible = false;

    for (enum witness_kind kind = 0; kind < WITNESS_KINDS; kind++) {
        struct witness w = {kind, m->source[read], read, challenger};
        enum witness_verdict v = plain_decide(p, &w).verdict;
        feasible |= v == WITNESS_FREE || v == WITNESS_FEASIBLE;
        *undecided |= v == WITNESS_UNDECIDED;
    }
    return feasible;
}

/* The events of a run as a cut. */
static uint32_t *cut_of(const struct model *m, const struct schedule *run)
{
    uint32_t *cut = memory_new(m->thread_count, sizeof *cut);

    for (event_id e = 1; e <= run->prefix; e++)
        cut[thread_of(m, e)]++;
    for (uint32_t i = 0; i < run->tail_count; i++)
        cut[thread_of(m, run->tail[i])]++;
    return cut;
}

/* Whether the graph method accepts the finding when only the events of its run count. */
static bool accepts_run(const struct model *m, const struct finding *f)
{
    uint32_t *cut = cut_of(m, &f->schedule);
    struct plain *p = plain_new(m, cut, BUDGET);
    event_id read = f->events[0], write = f->events[1], challenger = f->events[2];
    bool absent = write != EVENT_INIT && m->position[write] >= cut[thread_of(m, write)];
    struct witness w = {absent ? WITNESS_K3 : WITNESS_K2, write, read, challenger};
    enum witness_verdict v = plain_decide(p, &w).verdict;

    plain_free(p);
    free(cut);
    return v == WITNESS_FREE || v == WITNESS_FEASIBLE;
}

static const struct finding *find(const struct results *results, event_id read, event_id challenger)
{
    for (size_t i = 0; i < results->found.findings_count; i++)
        if (results->found.findings[i].events[0] == read && results->found.findings[i].events[2] == challenger)
            return &results->found.findings[i];
    return NULL;
}

static void judge_pairs(struct tally *t, const struct model *m, const struct oracle_sets *sets,
                        const struct results *exact, const struct compared *counted)
{
    struct plain *p = plain_new(m, NULL, BUDGET);
    event_id *challengers = memory_new((size_t)m->event_count + 2, sizeof *challengers);
    uint64_t both = 0, neither = 0, graph_only = 0, exact_only = 0, undecided = 0;

    for (event_id read = 1; read <= m->event_count; read++) {
        size_t count = m->source[read] == EVENT_NONE ? 0 : graph_challengers(m, read, challengers);
        for (size_t i = 0; i < count; i++) {
            struct tuple pair = {.length = 2, .item = {read, challengers[i]}};
            bool unclear = false, graph = accepts(p, m, read, challengers[i], &unclear);
            bool feasible = tuples_contain(&sets->of[ORACLE_NONDET], &pair);

            undecided += !graph && unclear;
            both += graph && feasible;
            neither += !graph && !feasible && !unclear;
            graph_only += graph && !feasible;
            exact_only += !graph && feasible && !unclear;
            if (!graph && feasible && !unclear && !accepts_run(m, find(exact, read, challengers[i])))
                say(t, "feasible, but refuted even on the run's own events", read, challengers[i]);
        }
    }
    if (both != counted->both || neither != counted->neither || undecided != counted->undecided ||
        exact_only != counted->differences[DIFFERENCE_EARLY] ||
        graph_only != counted->differences[DIFFERENCE_OTHER] + counted->differences[DIFFERENCE_COUPLE] +
                          counted->differences[DIFFERENCE_TRY])
        say(t, "compare has counted something else", 0, 0);
    plain_free(p);
    free(challengers);
}

/* The example of every difference that was found stays one when it is looked at alone. */
static void judge_examples(struct tally *t, const struct model *m, const struct compare_options *how,
                           const struct compared *counted)
{
    for (enum difference d = DIFFERENCE_NONE + 1; d < DIFFERENCES; d++) {
        unsigned kind;
        t->differences[d] += counted->differences[d];
        if (counted->differences[d] > 0 &&
            compare_pair(m, how, &never, counted->example[d].read, counted->example[d].challenger, &kind) != d)
            say(t, "the example is none", counted->example[d].read, counted->example[d].challenger);
    }
}

static bool is_wrong(const struct trace *trace, void *context)
{
    struct compare_options how = {.budget = BUDGET, .workers = 1};
    struct check_options options = {
        .all = true, .values_ignore = true, .grounds_ignore = true, .budget = BUDGET, .workers = 1};
    struct tally *t = context;
    struct results exact = {0};
    struct oracle_sets sets = {0};
    struct compared counted;
    struct model m;
    struct error err;

    t->wrong = false;
    assert_int_equal(model_build_plain(&m, trace, &err), HEDDLE_OK);
    options.properties[PROPERTY_NONDET] = true;
    check_trace(&m, &options, &never, &exact);
    oracle_compute(trace, (struct oracle_options){.values_ignore = true, .grounds_ignore = true}, &sets);
    compare_trace(&m, &how, &never, &counted);
    t->pairs += counted.pairs;
    judge_pairs(t, &m, &sets, &exact, &counted);
    judge_examples(t, &m, &how, &counted);
    oracle_sets_free(&sets);
    finding_list_free(&exact.found);
    finding_list_free(&exact.undecided);
    model_free(&m);
    return t->wrong;
}

static void graph_differs_only_as_explained(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);
    struct tally t = {0};

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[(seed + i) % shapes_count];
        struct trace trace;

        random_trace(&trace, seed + i, shape);
        if (trace_is_plain(&trace) && is_wrong(&trace, &t)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s\n", seed + i, shape->name);
            shrink_trace(&trace, is_wrong, &t);
            trace_print_std(stderr, &trace);
            t.out = stderr;
            is_wrong(&trace, &t);
            fail();
        }
        trace_free(&trace);
    }
    print_message("%" PRIu64 " pairs of a read and another write\n", t.pairs);
    for (enum difference d = DIFFERENCE_NONE + 1; d < DIFFERENCES; d++) {
        print_message("%s: %" PRIu64 "\n", difference_title(d), t.differences[d]);
        if (count >=
            (d == DIFFERENCE_TRY ? TRACES_LONG : TRACES)) /* the traces are of all kinds; that one is rare */
            assert_true(t.differences[d] > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(graph_differs_only_as_explained)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
