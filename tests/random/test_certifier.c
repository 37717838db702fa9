/* The certifier against the oracle: random runs, happens-before, then every claim on every run of small traces.
 *
 * HEDDLE_SEED in the environment chooses the random traces; failures print the seed and a small trace. */
#include "certify/happens_before.h"
#include "random/generate.h"
#include "random/oracle_meaning.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RUN_TRACES      100000
#define RUN_TRACES_LONG 1000000
#define RUNS_A_TRACE    8
#define ORDER_TRACES    20000
#define CLAIM_TRACES    1600
#define LONG            30 /* times as many in long tests */
#define CLAIM_EVENTS    8

struct context {
    uint64_t seed;
    struct oracle_options options;
    FILE *out; /* where to say what differs */
};

static struct certify_options certify_options_of(struct oracle_options options)
{
    return (struct certify_options){.values_ignore = options.values_ignore,
                                    .grounds_ignore = options.grounds_ignore,
                                    .atomic_locks = options.atomic_locks};
}

/* A sequence of events of the trace, some way from the observed one: each thread's events mostly in order, the
 * threads in turns of random length, now and then two events swapped, one dropped, one doubled, one made up. */
static size_t random_run(const struct meaning *m, uint64_t *random, size_t prefix, size_t *run)
{
    size_t position[EVENT_SLOTS] = {0}, count = 0, thread = 0;

    for (; count < prefix; count++) {
        run[count] = count + 1;
        position[m->thread[count + 1]]++;
    }
    for (size_t steps = random_below(random, (unsigned)(m->count - prefix) + 1); steps > 0; steps--) {
        if (random_below(random, 3) == 0)
            thread = random_below(random, (unsigned)m->thread_count);
        if (m->by_thread[thread][position[thread]])
            run[count++] = m->by_thread[thread][position[thread]++];
    }
    if (count > prefix && random_below(random, 8) == 0) {
        size_t at = prefix + random_below(random, (unsigned)(count - prefix));
        switch (random_below(random, 4)) {
        case 0:
            memmove(&run[at], &run[at + 1], (count-- - at - 1) * sizeof *run);
            break;
        case 1:
            run[count++] = run[at];
            break;
        case 2:
            run[at] = random_below(random, (unsigned)m->count + 2);
            break;
        default:
            run[count++] = run[at];
            run[at] = run[count - 2];
            break;
        }
    }
    return count;
}

static bool say_run_differs(FILE *out, const size_t *run, size_t count, size_t prefix, bool certified,
                            const struct error *why)
{
    fprintf(out, "certifier %s (prefix %zu):", certified ? "accepts" : why->text, prefix);
    for (size_t i = 0; i < count; i++)
        fprintf(out, " %zu", run[i]);
    fprintf(out, "\n");
    return true;
}

/* Whether some random run of the trace is feasible to one of them only; `data` is a struct context. */
static bool runs_differ(const struct trace *t, void *data)
{
    const struct context *context = data;
    struct certify_options options = certify_options_of(context->options);
    struct certify_index *index = certify_index_new(t);
    struct certifier *c = certifier_new(index);
    uint64_t random = context->seed;
    struct meaning m;
    bool differ = false;

    meaning_init(&m, t, context->options);
    for (unsigned i = 0; i < RUNS_A_TRACE && !differ; i++) {
        size_t run[2 * EVENT_SLOTS], prefix = random_below(&random, (unsigned)t->count + 1);
        size_t count = random_run(&m, &random, random_below(&random, 2) ? prefix : (prefix = 0), run);
        uint32_t tail[2 * EVENT_SLOTS];
        struct schedule schedule = {(uint32_t)prefix, (uint32_t)(count - prefix), tail};
        struct error why;

        for (size_t k = prefix; k < count; k++)
            tail[k - prefix] = (uint32_t)run[k];
        bool certified = certifier_run_feasible(c, &schedule, &options, &why);
        if (certified != meaning_run_feasible(&m, run, count))
            differ = say_run_differs(context->out, run, count, prefix, certified, &why);
    }
    certifier_free(c);
    certify_index_free(index);
    return differ;
}

/* One exploration of every run the certifier calls feasible. */
struct exploration {
    const struct trace *trace;
    struct certifier *certifier;
    struct certify_options options;
    uint64_t random;
    uint32_t run[CLAIM_EVENTS];
    uint32_t count;
    struct oracle_sets accepted;
};

/* The run as a schedule; what it has of the observed order may be said to be the prefix. */
static struct schedule schedule_of(struct exploration *x)
{
    uint32_t observed = 0, prefix;

    while (observed < x->count && x->run[observed] == observed + 1)
        observed++;
    prefix = random_below(&x->random, observed + 1);
    return (struct schedule){prefix, x->count - prefix, x->run + prefix};
}

static bool accepts(struct exploration *x, enum property property, uint32_t *events, uint32_t count)
{
    struct finding finding = {
        .property = property, .events = events, .event_count = count, .schedule = schedule_of(x)};

    return certifier_accepts(x->certifier, &finding, &x->options, NULL);
}

static void claim_all(struct exploration *x)
{
    uint32_t n = (uint32_t)x->trace->count, last = x->count ? x->run[x->count - 1] : 0;

    for (uint32_t a = 0; a <= n; a++) {
        for (uint32_t b = 0; b <= n; b++) {
            if (accepts(x, PROPERTY_NONDET, (uint32_t[]){last, a, b}, 3))
                tuples_add2(&x->accepted.of[ORACLE_NONDET], last, b);
            if (accepts(x, PROPERTY_FINAL, (uint32_t[]){a, b}, 2))
                tuples_add3(&x->accepted.of[ORACLE_FINAL], a, b, x->trace->arg[a]);
            if (accepts(x, PROPERTY_RACE, (uint32_t[]){a, b}, 2))
                tuples_add2(&x->accepted.of[ORACLE_RACE], a, b);
            if (accepts(x, PROPERTY_ATOMICITY, (uint32_t[]){a, b, last}, 3))
                tuples_add3(&x->accepted.of[ORACLE_ATOMICITY], a, b, last);
            if (accepts(x, PROPERTY_STALE, (uint32_t[]){a, b, last}, 3))
                tuples_add3(&x->accepted.of[ORACLE_STALE], a, b, last);
        }
    }
}

/* Deadlocks and stuck runs: all sets of events that are not in the run. */
static void claim_sets(struct exploration *x)
{
    for (uint32_t set = 0; set < 1u << x->trace->count; set++) {
        struct tuple tuple = {0};
        bool outside = true;
        for (uint32_t i = 0; i < x->count; i++)
            outside &= !(set >> (x->run[i] - 1) & 1);
        for (uint32_t e = 1; outside && e <= x->trace->count; e++)
            if (set >> (e - 1) & 1)
                tuple.item[tuple.length++] = e;
        if (!outside)
            continue;
        if (accepts(x, PROPERTY_DEADLOCK, tuple.item, tuple.length))
            tuples_add(&x->accepted.of[ORACLE_DEADLOCK], &tuple);
        if (accepts(x, PROPERTY_STUCK, tuple.item, tuple.length))
            tuples_add(&x->accepted.of[ORACLE_STUCK], &tuple);
    }
}

static void explore(struct exploration *x)
{
    struct schedule schedule = schedule_of(x);

    if (!certifier_run_feasible(x->certifier, &schedule, &x->options, NULL))
        return;
    claim_all(x);
    claim_sets(x);
    if (x->count == x->trace->count)
        return;
    for (uint32_t e = 1; e <= x->trace->count; e++) {
        x->run[x->count++] = e;
        explore(x);
        x->count--;
    }
}

/* Unordered: all pairs. */
static void claim_unordered(struct exploration *x, const struct certify_index *index)
{
    uint32_t n = (uint32_t)x->trace->count;
    struct order_query queries[ORACLE_EVENTS * ORACLE_EVENTS];
    size_t count = 0;

    for (uint32_t a = 0; a <= n; a++) {
        for (uint32_t b = 0; b <= n; b++) {
            struct finding f = {.property = PROPERTY_UNORDERED, .events = (uint32_t[]){a, b}, .event_count = 2};
            if (certifier_conflict(x->certifier, &f, NULL))
                queries[count++] = (struct order_query){.first = a, .second = b};
        }
    }
    order_answer(index, queries, count);
    for (size_t i = 0; i < count; i++)
        if (!queries[i].ordered)
            tuples_add2(&x->accepted.of[ORACLE_UNORDERED], queries[i].first, queries[i].second);
}

static bool order_differs(const struct trace *t, void *data)
{
    const struct context *context = data;
    struct certify_index *index = certify_index_new(t);
    struct exploration x = {.trace = t, .certifier = certifier_new(index)};
    struct oracle_sets expected = {0};
    struct meaning m;

    claim_unordered(&x, index);
    meaning_init(&m, t, context->options);
    meaning_unordered(&m, &expected.of[ORACLE_UNORDERED]);
    bool agree = oracle_sets_agree(context->out, &expected, "oracle", &x.accepted, "certifier");
    oracle_sets_free(&expected);
    oracle_sets_free(&x.accepted);
    certifier_free(x.certifier);
    certify_index_free(index);
    return !agree;
}

/* Whether what the certifier accepts over all runs differs from the oracle's sets; `data` is a struct context.
 */
static bool claims_differ(const struct trace *t, void *data)
{
    const struct context *context = data;
    struct certify_index *index = certify_index_new(t);
    struct exploration x = {.trace = t,
                            .certifier = certifier_new(index),
                            .options = certify_options_of(context->options),
                            .random = context->seed};
    struct oracle_sets expected = {0};

    explore(&x);
    oracle_compute(t, context->options, &expected);
    tuples_free(&expected.of[ORACLE_UNORDERED]);
    bool agree = oracle_sets_agree(context->out, &expected, "oracle", &x.accepted, "certifier");
    oracle_sets_free(&expected);
    oracle_sets_free(&x.accepted);
    certifier_free(x.certifier);
    certify_index_free(index);
    return !agree;
}

static void small_trace(struct trace *t, uint64_t seed, unsigned most)
{
    struct shape shape = *shape_in_turn(seed);

    if (most) {
        shape.min_events = 5;
        shape.max_events = most;
        shape.max_threads = shape.max_threads > 4 ? 4 : shape.max_threads;
    }
    random_trace(t, seed, &shape);
}

static void compare(uint64_t traces, uint64_t traces_long, unsigned most,
                    bool (*differ)(const struct trace *, void *))
{
    uint64_t seed = wanted_seed();
    FILE *quiet = fopen("/dev/null", "w");

    assert_non_null(quiet);
    for (uint64_t end = seed + wanted_traces(traces, traces_long); seed != end; seed++) {
        uint64_t turn = seed / (shapes_count + ground_shapes_count);
        struct context context = {
            .seed = seed,
            .options = {.atomic_locks = turn & 1, .values_ignore = turn & 2, .grounds_ignore = turn & 4},
            .out = quiet};
        struct trace t;

        small_trace(&t, seed, most);
        if (differ(&t, &context)) {
            shrink_trace(&t, differ, &context);
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 "\n", seed);
            trace_print_std(stderr, &t);
            context.out = stderr;
            differ(&t, &context);
            fail();
        }
        trace_free(&t);
    }
    fclose(quiet);
}

static void runs_match_the_oracle(void **state)
{
    (void)state;
    compare(RUN_TRACES, RUN_TRACES_LONG, 0, runs_differ);
}

static void claims_match_the_oracle(void **state)
{
    (void)state;
    compare(CLAIM_TRACES, CLAIM_TRACES * LONG, CLAIM_EVENTS, claims_differ);
}

static void order_matches_the_oracle(void **state)
{
    (void)state;
    compare(ORDER_TRACES, ORDER_TRACES * LONG, 0, order_differs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs_match_the_oracle),
        cmocka_unit_test(order_matches_the_oracle),
        cmocka_unit_test(claims_match_the_oracle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
