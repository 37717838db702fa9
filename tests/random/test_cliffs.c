/* No cliffs: random programs of very different shapes are checked in a time that reading them goes with.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and what the program is
 * like. Only the long test, which goes on for a minute of its own time, looks at the clock. */
#include "property/check.h"
#include "random/varied.h"
#include "random/wanted.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { TRACES = 12, SECONDS_LONG = 60, INFO_TIMES = 20 };

/* Programs whose checks once had no end, or took long: very many sections that could stay open, none of which mattered; hundreds of
 * threads that use one variable; bursts of writes under a lock; cycles of locks of which no beginning is possible; sections that were
 * given back one by one. */
static const uint64_t slow_once[] = {2166, 533, 9403, 296, 1636};

/* What may pass besides, in seconds; a sanitized build is slower in its own way. */
#ifdef __SANITIZE_ADDRESS__
static const double slack = 60;
#else
static const double slack = 3;
#endif

static double seconds_used(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Checks as the command does unless told otherwise. */
static void check_loaded(const struct trace *t)
{
    static const stop_flag never;
    struct check_options options = {.budget = 100000, .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (enum property p = 0; p < PROPERTIES; p++)
        options.properties[p] = p != PROPERTY_FINAL && p != PROPERTY_SERIALIZABILITY;
    assert_int_equal(model_build_with(&m, t, (struct model_options){.lanes = LANES_WHERE_IT_PAYS}, &err),
                     HEDDLE_OK);
    check_trace(&m, &options, &never, &results);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
}

static void time_one(uint64_t seed)
{
    char path[] = "/tmp/heddle-cliff-XXXXXX";
    int file = mkstemp(path);
    FILE *out = file >= 0 ? fdopen(file, "w") : NULL;
    struct trace t;
    struct error err;

    assert_non_null(out);
    varied_trace(out, seed);
    assert_int_equal(fclose(out), 0);
    double start = seconds_used();
    if (trace_load(&t, path, &err) != HEDDLE_OK)
        fail_msg("seed %" PRIu64 ": %s", seed, err.text);
    unlink(path);
    double loaded = seconds_used();
    check_loaded(&t);
    double checked = seconds_used() - loaded, allowed = INFO_TIMES * (loaded - start) + slack;
    trace_free(&t);
    if (getenv("HEDDLE_TEST_LONG") && checked > allowed) {
        fprintf(stderr,
                "HEDDLE_TEST_LONG=1 HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1: %.2f s, %.2f allowed: ", seed,
                checked, allowed);
        varied_describe(stderr, seed);
        fail();
    }
}

static void random_programs_have_no_cliff(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, UINT64_MAX);
    double end = seconds_used() + SECONDS_LONG;

    (void)state;
    for (uint64_t i = 0; i < count && seconds_used() < end; i++)
        time_one(seed + i);
}

static void checks_come_to_an_end(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof slow_once / sizeof *slow_once; i++)
        time_one(slow_once[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(checks_come_to_an_end),
                                       cmocka_unit_test(random_programs_have_no_cliff)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
