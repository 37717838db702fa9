/* Grouped against all: a grouped check shows one finding for each set of source locations that `--all` has
 * findings at.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "finding/place.h"
#include "property/check.h"
#include "random/generate.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/tuples.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRACES = 4000, TRACES_LONG = 100000 };

/* The property of a finding and the set of its places, ascending. */
static void add_places(const struct trace *t, const struct finding *f, struct tuple_set *set)
{
    struct tuple_set places = {0};
    struct tuple tuple = {.length = 1, .item = {f->property}};

    for (uint32_t i = 0; i < f->event_count; i++)
        tuples_add(&places, &(struct tuple){.length = 1, .item = {place_of(t, f->events[i])}});
    for (size_t i = 0; i < places.items_count; i++)
        tuple.item[tuple.length++] = places.items[i].item[0];
    tuples_add(set, &tuple);
    tuples_free(&places);
}

/* Every property that runs decide; unordered pairs are left out of a grouped check where their places race. */
static void find_places(const struct trace *t, bool all, struct tuple_set *set)
{
    static const stop_flag never;
    struct check_options options = {.all = all, .atomic_locks = true, .budget = 100000, .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_ATOMICITY; p++)
        options.properties[p] = p != PROPERTY_UNORDERED;
    if (model_build(&m, t, &err) != HEDDLE_OK)
        return;
    check_trace(&m, &options, &never, &results);
    for (size_t i = 0; i < results.found.findings_count; i++)
        add_places(t, &results.found.findings[i], set);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
}

static bool differs(const struct trace *t, void *context)
{
    struct tuple_set grouped = {0}, all = {0};

    find_places(t, false, &grouped);
    find_places(t, true, &all);
    bool agree = tuples_equal(&grouped, &all);
    if (!agree && context)
        tuples_print_difference(stderr, &grouped, "grouped", &all, "all");
    tuples_free(&grouped);
    tuples_free(&all);
    return !agree;
}

static void grouped_shows_what_all_has(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = shapes[i % shapes_count];
        struct trace t;

        shape.max_events = 40;
        random_trace(&t, seed + i, &shape);
        if (differs(&t, NULL)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " shape %s\n", seed + i, shape.name);
            shrink_trace(&t, differs, NULL);
            trace_print_std(stderr, &t);
            differs(&t, &t);
            fail();
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grouped_shows_what_all_has)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
