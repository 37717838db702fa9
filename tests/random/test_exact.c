/* The exact engine against the brute-force oracle: on random traces, `--all` is exactly the sets of SPEC §3.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "property/check.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRACES = 32000, TRACES_LONG = 1000000 };

/* The findings of the engine in the oracle's terms; false if something was left undecided. */
static bool engine_sets(const struct trace *t, struct oracle_options how, struct oracle_sets *sets)
{
    static const stop_flag never;
    struct check_options options = {.all = true,
                                    .atomic_locks = how.atomic_locks,
                                    .values_ignore = !how.same_value,
                                    .budget = 1000000,
                                    .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_ATOMICITY; p++)
        options.properties[p] = true;
    if ((how.same_value ? model_build : model_build_plain)(&m, t, &err) != HEDDLE_OK)
        return false;
    check_trace(&m, &options, &never, &results);
    for (size_t i = 0; i < results.found.findings_count; i++) {
        const struct finding *f = &results.found.findings[i];
        struct tuple tuple = {.length = f->event_count};
        static const int where[] = {
            [PROPERTY_NONDET] = ORACLE_NONDET,     [PROPERTY_FINAL] = ORACLE_FINAL,
            [PROPERTY_RACE] = ORACLE_RACE,         [PROPERTY_UNORDERED] = ORACLE_UNORDERED,
            [PROPERTY_DEADLOCK] = ORACLE_DEADLOCK, [PROPERTY_ATOMICITY] = ORACLE_ATOMICITY};

        for (uint32_t k = 0; k < f->event_count; k++)
            tuple.item[k] = f->events[k];
        if (f->property == PROPERTY_NONDET) {
            tuple.length = 2; /* read, alternative */
            tuple.item[1] = f->events[2];
        } else if (f->property == PROPERTY_FINAL) {
            tuple.length = 3;
            tuple.item[2] = t->arg[f->events[0]];
        }
        tuples_add(&sets->of[where[f->property]], &tuple);
    }
    bool decided = results.undecided.findings_count == 0;
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
    return decided;
}

/* Unordered pairs are listed only where they are no race. */
static void expect_without_races(struct oracle_sets *sets)
{
    struct tuple_set *unordered = &sets->of[ORACLE_UNORDERED];
    size_t kept = 0;

    for (size_t i = 0; i < unordered->items_count; i++)
        if (!tuples_contain(&sets->of[ORACLE_RACE], &unordered->items[i]))
            unordered->items[kept++] = unordered->items[i];
    unordered->items_count = kept;
}

static bool differs(const struct trace *t, void *context)
{
    const struct oracle_options *how = context;
    struct oracle_sets expected = {0}, found = {0};
    static FILE *nowhere;

    if (!nowhere)
        nowhere = fopen("/dev/null", "w");
    oracle_compute(t, *how, &expected);
    expect_without_races(&expected);
    bool decided = engine_sets(t, *how, &found);
    bool agree = decided && oracle_sets_agree(nowhere, &expected, "oracle", &found, "engine");
    oracle_sets_free(&expected);
    oracle_sets_free(&found);
    return !agree;
}

static void show_difference(const struct trace *t, struct oracle_options how)
{
    struct oracle_sets expected = {0}, found = {0};

    trace_print_std(stderr, t);
    oracle_compute(t, how, &expected);
    expect_without_races(&expected);
    if (!engine_sets(t, how, &found))
        fprintf(stderr, "something was left undecided\n");
    oracle_sets_agree(stderr, &expected, "oracle", &found, "engine");
    oracle_sets_free(&expected);
    oracle_sets_free(&found);
}

static void engine_equals_oracle(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[i % shapes_count];
        struct oracle_options how = {.atomic_locks = i / shapes_count % 2,
                                     .same_value = i / shapes_count % 4 >= 2};
        struct trace t;

        random_trace(&t, seed + i, shape);
        how.same_value &= t.value != NULL;
        if (differs(&t, &how)) {
            fprintf(stderr, "seed %" PRIu64 " shape %s%s%s\n", seed + i, shape->name,
                    how.atomic_locks ? " --atomic=locks" : "", how.same_value ? " --same-value" : "");
            shrink_trace(&t, differs, &how);
            show_difference(&t, how);
            fail();
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(engine_equals_oracle)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
