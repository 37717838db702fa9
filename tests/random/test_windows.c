/* Windows against wholes: on traces too long for the oracle, solving in windows gives the same findings as
 * solving every query as a whole, and leaves nothing undecided unless reads or waits are in doubt. Some traces have up to 200
 * short threads.
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
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACES = 400, TRACES_LONG = 20000, TRACES_SHORT_THREADS = 20 };

/* What a check says, as tuples of property and events. */
struct said {
    struct tuple_set found, undecided;
};

static void add_all(struct tuple_set *set, const struct finding_list *list)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        struct tuple tuple = {.length = f->event_count + 1, .item = {f->property}};
        for (uint32_t k = 0; k < f->event_count; k++)
            tuple.item[k + 1] = f->events[k];
        tuples_add(set, &tuple);
    }
}

/* Checks for all findings. Wholes give each thread a lane of its own. */
static struct said check(const struct trace *t, bool whole)
{
    static const stop_flag never;
    struct check_options options = {.all = true,
                                    .atomic_locks = true,
                                    .whole = whole,
                                    .budget = trace_is_plain(t) ? 100000 : 2000,
                                    .workers = 1};
    struct model_options lanes = {.lanes = whole ? LANES_NEVER : LANES_ALWAYS};
    struct results results = {0};
    struct said said = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_STUCK; p++)
        options.properties[p] = true;
    assert_int_equal(model_build_with(&m, t, lanes, &err), HEDDLE_OK);
    check_trace(&m, &options, &never, &results);
    add_all(&said.found, &results.found);
    add_all(&said.undecided, &results.undecided);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
    return said;
}

static void said_free(struct said *s)
{
    tuples_free(&s->found);
    tuples_free(&s->undecided);
}

/* Whether what one found the other found or left undecided. Which accesses are listed as unordered depends on which races
 * are found. */
static bool is_possible(const struct said *one, const struct said *other)
{
    for (size_t i = 0; i < one->found.items_count; i++) {
        const struct tuple *tuple = &one->found.items[i];
        if (tuple->item[0] != PROPERTY_UNORDERED && !tuples_contain(&other->found, tuple) &&
            !tuples_contain(&other->undecided, tuple))
            return false;
    }
    return true;
}

/* Where reads or waits are in doubt, a budget may leave something undecided. */
static bool differs(const struct trace *t, void *context)
{
    struct said windows = check(t, false), whole = check(t, true);
    bool agree = windows.undecided.items_count + whole.undecided.items_count == 0
                     ? tuples_equal(&windows.found, &whole.found)
                     : (!trace_is_plain(t) || t->value_tag) && is_possible(&windows, &whole) &&
                           is_possible(&whole, &windows);

    (void)context;
    said_free(&windows);
    said_free(&whole);
    return !agree;
}

static void show_difference(const struct trace *t)
{
    struct said windows = check(t, false), whole = check(t, true);

    trace_print_std(stderr, t);
    if (windows.undecided.items_count + whole.undecided.items_count > 0)
        fprintf(stderr, "something was left undecided\n");
    tuples_print_difference(stderr, &windows.found, "windows", &whole.found, "whole");
    said_free(&windows);
    said_free(&whole);
}

static void windows_equal_wholes(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = *shape_in_turn(seed + i);
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

static void emit(struct trace *t, unsigned thread, enum event_kind kind, const char *object, unsigned value)
{
    struct event e = {.op = op_make(kind, ORDER_NONE)};
    char text[16];

    e.thread = names_add(&t->names[NAME_THREAD], text, (size_t)snprintf(text, sizeof text, "T%u", thread));
    e.arg = names_add(&t->names[kind_argument(kind)], object, strlen(object));
    e.location =
        names_add(&t->names[NAME_LOCATION], text, (size_t)snprintf(text, sizeof text, "p%u", thread % 9));
    if (kind_accesses(kind)) {
        e.value_tag = VALUE_UNSIGNED;
        e.value = value;
    }
    trace_append(t, &e);
}

/* Up to 200 threads that one forks and, mostly, joins, a few at a time: each takes a lock or not and uses some of a few
 * variables, most of which only two neighbours share. */
static void random_short_threads(struct trace *t, uint64_t seed)
{
    unsigned count = 20 + random_below(&seed, 181), width = 2 + random_below(&seed, 3);
    unsigned held[300] = {0};
    char name[16];

    trace_init(t);
    for (unsigned i = 1; i <= count + width; i++) {
        if (i > width && random_below(&seed, 10) > 0) {
            snprintf(name, sizeof name, "T%u", i - width);
            emit(t, 0, EVENT_JOIN, name, 0);
        }
        if (i > count)
            continue;
        snprintf(name, sizeof name, "T%u", i);
        emit(t, 0, EVENT_FORK, name, 0);
        bool locked = random_below(&seed, 2);
        if (locked)
            emit(t, i, EVENT_ACQUIRE, "l", 0);
        for (unsigned k = 0, end = 1 + random_below(&seed, 3); k < end; k++) {
            unsigned x = random_below(&seed, 12) == 0 ? 0 : 1 + (i + random_below(&seed, 2)) % 250;
            bool writes = random_below(&seed, 2);
            if (writes)
                held[x] = random_below(&seed, 2);
            snprintf(name, sizeof name, "x%u", x);
            emit(t, i, writes ? EVENT_WRITE : EVENT_READ, name, held[x]);
        }
        if (locked)
            emit(t, i, EVENT_RELEASE, "l", 0);
    }
}

static void hundreds_of_short_threads(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES_SHORT_THREADS, TRACES_LONG / 20);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct trace t;

        random_short_threads(&t, seed + i);
        if (differs(&t, NULL)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " short threads\n", seed + i);
            shrink_trace(&t, differs, NULL);
            show_difference(&t);
            fail();
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(windows_equal_wholes),
                                       cmocka_unit_test(hundreds_of_short_threads)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
