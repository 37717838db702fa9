/* Windows against wholes: on traces too long for the oracle, solving in windows gives the same findings as
 * solving every query as a whole, and leaves nothing undecided.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "property/check.h"
#include "random/generate.h"
#include "random/plain.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/tuples.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRACES = 400, TRACES_LONG = 20000 };

/* All findings as tuples of property and events; false if something was left undecided. */
static bool findings(const struct trace *t, bool whole, struct tuple_set *set)
{
    static const stop_flag never;
    struct check_options options = {.all = true,
                                    .atomic_locks = true,
                                    .whole = whole,
                                    .budget = trace_is_plain(t) ? 100000 : 2000,
                                    .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_ATOMICITY; p++)
        options.properties[p] = true;
    if (model_build(&m, t, &err) != HEDDLE_OK)
        return false;
    check_trace(&m, &options, &never, &results);
    for (size_t i = 0; i < results.found.findings_count; i++) {
        const struct finding *f = &results.found.findings[i];
        struct tuple tuple = {.length = f->event_count + 1, .item = {f->property}};
        for (uint32_t k = 0; k < f->event_count; k++)
            tuple.item[k + 1] = f->events[k];
        tuples_add(set, &tuple);
    }
    bool decided = results.undecided.findings_count == 0;
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
    return decided;
}

static bool differs(const struct trace *t, void *context)
{
    struct tuple_set windows = {0}, whole = {0};

    (void)context;
    bool decided = findings(t, false, &windows) && findings(t, true, &whole);
    bool agree = decided ? tuples_equal(&windows, &whole) : !trace_is_plain(t);
    tuples_free(&windows);
    tuples_free(&whole);
    return !agree;
}

static void show_difference(const struct trace *t)
{
    struct tuple_set windows = {0}, whole = {0};

    trace_print_std(stderr, t);
    if (!findings(t, false, &windows) || !findings(t, true, &whole))
        fprintf(stderr, "something was left undecided\n");
    tuples_print_difference(stderr, &windows, "windows", &whole, "whole");
    tuples_free(&windows);
    tuples_free(&whole);
}

static void windows_equal_wholes(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = shapes[i % shapes_count];
        struct trace t;

        shape.min_events = 60;
        shape.max_events = 140;
        shape.variables += 2;
        random_trace(&t, seed + i, &shape);
        if (!trace_is_plain(&t)) { /* there is more to decide: as much as a whole query can take */
            trace_free(&t);
            shape.min_events = 40;
            shape.max_events = 64;
            random_trace(&t, seed + i, &shape);
        }
        if (differs(&t, NULL)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " shape %s\n", seed + i, shape.name);
            shrink_trace(&t, differs, NULL);
            show_difference(&t);
            fail();
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_equal_wholes)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
