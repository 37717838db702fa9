/* Candidates explained, against the oracle: the verdict is the oracle's; a refutation is said to hinge on reads if and only if
 * there is a run where all are free; and these reads, all of them, stand in the way.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken trace. */
#include "base/memory.h"
#include "property/candidate.h"
#include "property/explained.h"
#include "property/freed.h"
#include "property/hinges.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACES = 4000, TRACES_LONG = 100000, ASKED = 3 };

static const stop_flag never;

/* Of one trace, with one set of options. */
struct context {
    struct oracle_options how;
    uint64_t random;
    FILE *out; /* where to say what differs */
    const struct model *m;
    struct check_options options;
    struct oracle_sets found;           /* in the trace */
    struct oracle_sets freed;           /* where nothing stands on any read */
    uint64_t hinges[ORACLE_PROPERTIES]; /* candidates so far that hinge on reads */
};

static const enum property properties[ORACLE_PROPERTIES] = {
    [ORACLE_NONDET] = PROPERTY_NONDET,       [ORACLE_FINAL] = PROPERTY_FINAL,
    [ORACLE_RACE] = PROPERTY_RACE,           [ORACLE_UNORDERED] = PROPERTY_UNORDERED,
    [ORACLE_DEADLOCK] = PROPERTY_DEADLOCK,   [ORACLE_STUCK] = PROPERTY_STUCK,
    [ORACLE_ATOMICITY] = PROPERTY_ATOMICITY, [ORACLE_STALE] = PROPERTY_STALE};

/* A candidate as the oracle has it, as a finding claims it, and as a person names it. */
struct named_candidate {
    enum oracle_property of;
    struct tuple tuple, claimed, typed;
};

static struct named_candidate name_candidate(const struct model *m, enum oracle_property of,
                                             const struct tuple *tuple)
{
    struct named_candidate c = {of, *tuple, *tuple, *tuple};

    if (of == ORACLE_NONDET) {
        c.claimed = (struct tuple){3, {tuple->item[0], m->source[tuple->item[0]], tuple->item[1]}};
    } else if (of == ORACLE_FINAL) {
        c.claimed.length = 2; /* without the variable */
        c.typed = (struct tuple){1, {tuple->item[1]}};
    }
    return c;
}

/* The tuples of a trace in the numbers of a freed one, or the other way round. */
static struct tuple move_tuple(enum oracle_property of, struct tuple tuple, const event_id *numbers)
{
    for (uint32_t i = 0; i < tuple.length - (of == ORACLE_FINAL); i++)
        tuple.item[i] = numbers[tuple.item[i]];
    return tuple;
}

/* Fills `sets` with what the oracle finds where these reads are free, in the numbers of the trace. */
static void compute_freed(const struct context *c, const bool *freed, const struct finding *claim,
                          struct oracle_sets *sets)
{
    struct oracle_options how = {.atomic_locks = c->how.atomic_locks, .values_ignore = c->how.values_ignore};
    struct oracle_sets moved = {0};
    struct freed_trace f;

    freed_build(&f, c->m, freed, claim);
    oracle_compute(&f.trace, how, &moved);
    for (enum oracle_property of = 0; of < ORACLE_PROPERTIES; of++)
        for (size_t i = 0; i < moved.of[of].items_count; i++) {
            struct tuple tuple = move_tuple(of, moved.of[of].items[i], f.original);
            tuples_add(&sets->of[of], &tuple);
        }
    oracle_sets_free(&moved);
    freed_free(&f);
}

static bool is_found(const struct context *c, const bool *freed, const struct finding *claim,
                     const struct named_candidate *n)
{
    struct oracle_sets sets = {0};

    compute_freed(c, freed, claim, &sets);
    bool found = tuples_contain(&sets.of[n->of], &n->tuple);
    oracle_sets_free(&sets);
    return found;
}

static bool say(const struct context *c, const struct named_candidate *n, const char *what)
{
    fprintf(c->out, "%s:", property_option(properties[n->of]));
    for (uint32_t i = 0; i < n->typed.length; i++)
        fprintf(c->out, "%s%u", i > 0 ? "," : "", n->typed.item[i]);
    fprintf(c->out, ": %s\n", what);
    return true;
}

static unsigned count_reads(const struct model *m)
{
    unsigned count = 0;

    for (event_id e = 1; e <= m->event_count; e++)
        count += m->source[e] != EVENT_NONE;
    return count;
}

/* With all of these reads free there is a run, with one fewer there is none. */
static bool hinges_differ(struct context *c, const struct named_candidate *n)
{
    struct tuple events = n->claimed;
    struct finding claim = {.property = properties[n->of], .events = events.item, .event_count = events.length};
    bool *freed = memory_new((size_t)c->m->event_count + 1, sizeof *freed);
    bool wanted = is_found(c, NULL, &claim, n), differ;
    struct hinges h = {0};

    hinges_find(&h, c->m, &claim, &c->options, &never);
    c->hinges[n->of] += h.list_count > 0;
    wanted &= h.list_count > 0 || count_reads(c->m) <= HINGES_MOST;
    differ = wanted != (h.list_count > 0) && say(c, n, "hinges on reads to one of them only");
    for (size_t i = 0; i < h.list_count; i++)
        freed[h.list[i].read] = true;
    if (!differ && h.list_count > 0 && !is_found(c, freed, &claim, n))
        differ = say(c, n, "these reads are not all");
    for (size_t i = 0; i < h.list_count && !differ; i++) {
        freed[h.list[i].read] = false;
        differ = is_found(c, freed, &claim, n) && say(c, n, "these reads are too many");
        freed[h.list[i].read] = true;
    }
    free(h.list);
    free(freed);
    return differ;
}

static bool candidate_differs(struct context *c, const struct named_candidate *n)
{
    bool found = tuples_contain(&c->found.of[n->of], &n->tuple);
    struct buffer why = {0};
    struct verdict v;
    struct error err;

    if (candidate_explain(c->m, properties[n->of], n->typed.item, n->typed.length, &c->options, &never, &v,
                          &why, &err) != HEDDLE_OK)
        return found && say(c, n, err.text);
    buffer_free(&why);
    free(v.schedule.tail);
    if (v.answer == ANSWER_UNDECIDED || (v.answer == ANSWER_FEASIBLE) != found)
        return say(c, n, "the verdict differs");
    return !found && hinges_differ(c, n);
}

/* Some of the candidates of a property that one of the sets has and the other, if there is one, does not. */
static bool some_differ(struct context *c, enum oracle_property of, const struct tuple_set *in,
                        const struct tuple_set *not_in)
{
    bool differ = false;

    for (unsigned i = 0; i < ASKED && in->items_count > 0 && !differ; i++) {
        const struct tuple *tuple = &in->items[random_below(&c->random, (unsigned)in->items_count)];
        struct named_candidate n = name_candidate(c->m, of, tuple);
        if (!not_in || !tuples_contain(not_in, tuple))
            differ = candidate_differs(c, &n);
    }
    return differ;
}

/* Accesses of one variable, whatever they are. */
static bool any_differs(struct context *c)
{
    static const enum oracle_property about[] = {ORACLE_NONDET, ORACLE_RACE, ORACLE_ATOMICITY, ORACLE_STALE};
    static const uint32_t lengths[] = {2, 2, 3, 3};
    unsigned which = random_below(&c->random, 4);
    struct tuple tuple = {.length = lengths[which]};
    struct event_span of = accesses_of(c->m, random_below(&c->random, c->m->variable_count));
    struct error err;

    for (uint32_t i = 0; i < tuple.length && of.count > 0; i++)
        tuple.item[i] = of.events[random_below(&c->random, (unsigned)of.count)];
    if (of.count == 0 ||
        candidate_check(c->m, properties[about[which]], tuple.item, tuple.length, &err) != HEDDLE_OK ||
        (about[which] == ORACLE_RACE && tuple.item[0] > tuple.item[1]))
        return false;
    struct named_candidate n = name_candidate(c->m, about[which], &tuple);
    return candidate_differs(c, &n);
}

static bool differs(const struct trace *t, void *context)
{
    struct context *c = context, asked = *c;
    const struct finding nothing = {.property = PROPERTY_RACE};
    struct model m;
    struct error err;
    bool differ = false;

    if (model_build_with(&m, t,
                         (struct model_options){.values_ignore = c->how.values_ignore,
                                                .grounds_ignore = c->how.grounds_ignore},
                         &err) != HEDDLE_OK)
        return false;
    asked.m = &m;
    asked.options = (struct check_options){.atomic_locks = c->how.atomic_locks,
                                           .values_ignore = c->how.values_ignore,
                                           .grounds_ignore = c->how.grounds_ignore,
                                           .budget = 1000000};
    oracle_compute(t, c->how, &asked.found);
    compute_freed(&asked, NULL, &nothing, &asked.freed);
    for (enum oracle_property of = 0; of < ORACLE_PROPERTIES && !differ; of++)
        if (of != ORACLE_UNORDERED)
            differ = some_differ(&asked, of, &asked.found.of[of], NULL) ||
                     some_differ(&asked, of, &asked.freed.of[of], &asked.found.of[of]);
    for (unsigned i = 0; i < ASKED && !differ && m.variable_count > 0; i++)
        differ = any_differs(&asked);
    oracle_sets_free(&asked.found);
    oracle_sets_free(&asked.freed);
    memcpy(c->hinges, asked.hinges, sizeof c->hinges);
    model_free(&m);
    return differ;
}

static void explanations_are_true(void **state)
{
    uint64_t seed = wanted_seed(), traces = wanted_traces(TRACES, TRACES_LONG);
    struct context c = {.out = fopen("/dev/null", "w")};

    (void)state;
    assert_non_null(c.out);
    for (uint64_t end = seed + traces; seed != end; seed++) {
        uint64_t turn = seed / (shapes_count + ground_shapes_count);
        struct trace t;

        c.random = seed;
        c.how = (struct oracle_options){
            .atomic_locks = turn & 1, .values_ignore = turn & 2, .grounds_ignore = turn & 4};
        random_trace(&t, seed, shape_in_turn(seed));
        if (differs(&t, &c)) {
            shrink_trace(&t, differs, &c);
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1\n", seed);
            trace_print_std(stderr, &t);
            c.out = stderr;
            differs(&t, &c);
            fail();
        }
        trace_free(&t);
    }
    fclose(c.out);
    uint64_t hinges = 0;
    for (enum oracle_property of = 0; of < ORACLE_PROPERTIES; of++)
        hinges += c.hinges[of];
    assert_true(hinges > 0 || traces < TRACES / 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(explanations_are_true)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
