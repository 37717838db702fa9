/* Tests of the oracle and of what makes its traces: cases by hand, then random traces against a naive
 * enumerator.
 *
 * HEDDLE_SEED in the environment chooses the random traces; failures print the seed and a small trace. */
#include "random/cases.h"
#include "random/generate.h"
#include "random/naive.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"
#include "support/traces.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAIVE_TRACES 30000
#define NAIVE_EVENTS 9

/* Prints where the trace does not have the findings of the case; 1 if so. */
static int check_case(const struct oracle_case *c)
{
    struct oracle_sets expected = {0}, found = {0};
    struct trace t;

    t = strchr(c->trace, '\n') ? trace_of(c->trace) : trace_from_words(c->trace);
    for (size_t p = 0; p < ORACLE_PROPERTIES; p++)
        tuples_add_text(&expected.of[p], c->findings[p] ? c->findings[p] : "");
    oracle_compute(&t, c->options, &found);
    for (size_t p = 0; p < ORACLE_PROPERTIES; p++)
        if (c->only && !(c->only & ABOUT(p)))
            tuples_free(&found.of[p]);
    bool agree = oracle_sets_agree(stderr, &expected, "expected", &found, "found");
    if (!agree) {
        fprintf(stderr, "^ %s\n", c->why);
        trace_print_std(stderr, &t);
    }
    oracle_sets_free(&expected);
    oracle_sets_free(&found);
    trace_free(&t);
    return !agree;
}

static void cases_of_runs(void **state)
{
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < run_cases_count; i++)
        wrong += check_case(&run_cases[i]);
    assert_int_equal(wrong, 0);
}

static void cases_of_grounds(void **state)
{
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < ground_cases_count; i++)
        wrong += check_case(&ground_cases[i]);
    assert_int_equal(wrong, 0);
}

static void cases_of_happens_before(void **state)
{
    int wrong = 0;

    (void)state;
    for (size_t i = 0; i < order_cases_count; i++)
        wrong += check_case(&order_cases[i]);
    assert_int_equal(wrong, 0);
}

static void assert_run(const char *text, bool feasible, const size_t *schedule, size_t count)
{
    struct trace t;

    t = trace_from_words(text);
    assert_int_equal(oracle_run_feasible(&t, schedule, count, (struct oracle_options){0}), feasible);
    trace_free(&t);
}

#define RUN(...) (size_t[]){__VA_ARGS__}, sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t)

/* semantics §2, one condition at a time. */
static void feasible_runs(void **state)
{
    const char *locked = "T1|acq(l)| T1|w(x)| T1|rel(l)| T2|acq(l)| T2|r(x)| T2|rel(l)|";
    const char *forked = "T1|w(x)| T1|fork(T2)| T2|r(x)|";
    const char *tried = "T1|acq(l)| T2|tryfail(l)| T1|rel(l)|";
    const char *tainted = "T1|aw(x)| T2|rmw(x)| T3|ar(x)| T3|begin|";

    (void)state;
    assert_run(locked, true, NULL, 0);
    assert_run(locked, true, RUN(1, 2, 3, 4, 5, 6));
    assert_run(locked, true, RUN(4, 5));     /* the last read is free */
    assert_run(locked, false, RUN(4, 5, 6)); /* it reads something new: its thread stops */
    assert_run(locked, false, RUN(1, 4));    /* the lock is taken */
    assert_run(locked, false, RUN(1, 3));    /* not a prefix */
    assert_run(locked, false, RUN(1, 1));    /* an event twice */
    assert_run(locked, false, RUN(7));       /* no such event */
    assert_run(forked, false, RUN(1, 3));    /* not started */
    assert_run(tried, true, RUN(1, 2));
    assert_run(tried, false, RUN(2));       /* nobody holds the lock yet … */
    assert_run(tried, false, RUN(1, 3, 2)); /* … or any longer */
    assert_run(tainted, true, RUN(1, 2, 3, 4));
    assert_run(tainted, true, RUN(2, 3));     /* reads rf, but what it wrote is new … */
    assert_run(tainted, false, RUN(2, 3, 4)); /* … so the thread stops */
}

static struct oracle_options options_of(uint64_t seed)
{
    return (struct oracle_options){
        .atomic_locks = seed & 1, .values_ignore = seed & 2, .grounds_ignore = seed & 4};
}

struct difference {
    struct oracle_options options;
    FILE *out; /* where to say what differs */
};

/* Whether the oracle and the naive enumerator differ; `context` is a struct difference. */
static bool naive_differs(const struct trace *t, void *context)
{
    const struct difference *difference = context;
    struct oracle_sets fast = {0}, naive = {0};

    oracle_compute(t, difference->options, &fast);
    naive_compute(t, difference->options, &naive);
    tuples_free(&naive.of[ORACLE_UNORDERED]);
    tuples_free(&fast.of[ORACLE_UNORDERED]);
    bool agree = oracle_sets_agree(difference->out, &fast, "oracle", &naive, "naive");
    oracle_sets_free(&fast);
    oracle_sets_free(&naive);
    return !agree;
}

/* One trace of at most NAIVE_EVENTS events, of any shape. */
static void small_trace(struct trace *t, uint64_t seed)
{
    struct shape shape = *shape_in_turn(seed);

    shape.min_events = 5;
    shape.max_events = NAIVE_EVENTS;
    shape.max_threads = shape.max_threads > 4 ? 4 : shape.max_threads;
    random_trace(t, seed, &shape);
}

static void exploration_matches_enumeration(void **state)
{
    FILE *quiet = fopen("/dev/null", "w");

    (void)state;
    assert_non_null(quiet);
    for (uint64_t seed = wanted_seed(), end = seed + wanted_traces(NAIVE_TRACES, NAIVE_TRACES); seed != end;
         seed++) {
        struct difference difference = {.options = options_of(seed / (shapes_count + ground_shapes_count)),
                                        .out = quiet};
        struct trace t;

        small_trace(&t, seed);
        if (naive_differs(&t, &difference)) {
            shrink_trace(&t, naive_differs, &difference);
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 "\n", seed);
            trace_print_std(stderr, &t);
            difference.out = stderr;
            naive_differs(&t, &difference);
            fail();
        }
        trace_free(&t);
    }
    fclose(quiet);
}

static char *printed(const struct trace *t)
{
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);

    assert_non_null(out);
    trace_print_std(out, t);
    fclose(out);
    return text;
}

static bool trace_itself_is_feasible(const struct trace *t, struct oracle_options options)
{
    size_t run[ORACLE_EVENTS];

    for (size_t e = 1; e <= t->count; e++)
        run[e - 1] = e;
    return oracle_run_feasible(t, run, t->count, options);
}

/* Every generated trace is valid, survives printing and is a feasible run of its own; all kinds and orders turn
 * up. */
static void generated_traces_are_valid(void **state)
{
    bool seen[1 << 8] = {false};

    (void)state;
    for (uint64_t seed = wanted_seed(), end = seed + 4000; seed != end; seed++) {
        struct trace t, again;
        struct error err;

        random_trace(&t, seed, shape_in_turn(seed));
        char *text = printed(&t);
        if (trace_parse(&again, "generated", text, strlen(text), &err) != HEDDLE_OK)
            fail_msg("seed %" PRIu64 ": %s\n%s", seed, err.text, text);
        char *text_again = printed(&again);
        assert_string_equal(text, text_again);
        if (!trace_itself_is_feasible(&t, options_of(seed)))
            fail_msg("seed %" PRIu64 ": the trace is not feasible\n%s", seed, text);
        for (size_t e = 1; e <= t.count; e++)
            seen[t.op[e]] = true;
        free(text);
        free(text_again);
        trace_free(&again);
        trace_free(&t);
    }
    for (enum event_kind kind = 0; kind < EVENT_KINDS; kind++) {
        for (enum memory_ordering order = 0; order < ORDERS; order++)
            assert_int_equal(seen[op_make(kind, order)], order_allowed(kind, order));
    }
}

static bool has_deadlock(const struct trace *t, void *context)
{
    struct oracle_sets sets = {0};

    (void)context;
    oracle_compute(t, (struct oracle_options){0}, &sets);
    bool found = sets.of[ORACLE_DEADLOCK].items_count > 0;
    oracle_sets_free(&sets);
    return found;
}

/* What is left of a deadlock: two nested acquires each, and the releases that made the trace possible. */
static void shrinking_finds_the_core(void **state)
{
    struct trace t;

    (void)state;
    t = trace_from_words(
        "T0|w(x=1)| T0|fork(T1)| T0|fork(T2)| T1|acq(l)|a T1|r(x=1)|b T1|acq(m)| T1|rel(m)| T1|rel(l)| "
        "T2|begin| T2|ar.acq(y=0)| T2|acq(m)| T2|acq(l)| T2|w(x=2)| T2|rel(l)| T2|rel(m)| T2|end| "
        "T0|join(T1)| T0|join(T2)| T0|r(x=2)|");
    assert_true(has_deadlock(&t, NULL));
    shrink_trace(&t, has_deadlock, NULL);

    char *text = printed(&t);
    assert_string_equal(text, "T1|acq(l)|\nT1|acq(m)|\nT1|rel(m)|\nT1|rel(l)|\nT2|acq(m)|\nT2|acq(l)|\n");
    free(text);
    trace_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cases_of_runs),
        cmocka_unit_test(cases_of_grounds),
        cmocka_unit_test(cases_of_happens_before),
        cmocka_unit_test(feasible_runs),
        cmocka_unit_test(generated_traces_are_valid),
        cmocka_unit_test(shrinking_finds_the_core),
        cmocka_unit_test(exploration_matches_enumeration),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
