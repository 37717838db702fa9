/* Grouped against all: a grouped check shows one finding for each set of source locations that `--all` has
 * findings at, and says how many it stands for.
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
#include <string.h>

#include <cmocka.h>

enum { TRACES = 4000, TRACES_LONG = 100000 };

/* The property of a finding and the set of its places, ascending. */
static struct tuple places_of(const struct trace *t, const struct finding *f)
{
    struct tuple_set places = {0};
    struct tuple tuple = {.length = 1, .item = {f->property}};

    for (uint32_t i = 0; i < f->event_count; i++)
        tuples_add(&places, &(struct tuple){.length = 1, .item = {place_of(t, f->events[i])}});
    for (size_t i = 0; i < places.items_count; i++)
        tuple.item[tuple.length++] = places.items[i].item[0];
    tuples_free(&places);
    return tuple;
}

static void find_places(const struct trace *t, const struct finding_list *list, struct tuple_set *set)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        struct tuple places = places_of(t, &list->findings[i]);
        tuples_add(set, &places);
    }
}

/* Whether the sets of places are the same. A grouped check may leave out sets of places where threads are stuck, but says so. */
static bool sets_agree(const struct results *grouped, const struct tuple_set *shown,
                       const struct tuple_set *all)
{
    bool exact = true;

    for (size_t i = 0; i < grouped->found.findings_count; i++) {
        const struct finding *f = &grouped->found.findings[i];
        exact &= f->property != PROPERTY_STUCK || f->count_is_exact;
    }
    for (size_t i = 0; i < all->items_count; i++)
        if (!tuples_contain(shown, &all->items[i]) && (exact || all->items[i].item[0] != PROPERTY_STUCK))
            return false;
    for (size_t i = 0; i < shown->items_count; i++)
        if (!tuples_contain(all, &shown->items[i]))
            return false;
    return true;
}

/* Every property that runs decide; unordered pairs are left out of a grouped check where their places race. */
static struct results check(const struct trace *t, bool all)
{
    static const stop_flag never;
    struct check_options options = {.all = all, .atomic_locks = true, .budget = 100000, .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_STUCK; p++)
        options.properties[p] = p != PROPERTY_UNORDERED;
    if (model_build(&m, t, &err) != HEDDLE_OK)
        return results;
    check_trace(&m, &options, &never, &results);
    model_free(&m);
    return results;
}

/* Whether the finding stands for as many as it says. */
static bool counts_right(const struct trace *t, const struct finding *f, const struct finding_list *all)
{
    struct tuple places = places_of(t, f);
    uint64_t count = 0;

    for (size_t i = 0; i < all->findings_count; i++) {
        struct tuple others = places_of(t, &all->findings[i]);
        count += memcmp(&places, &others, sizeof places) == 0; /* the rest of both is 0 */
    }
    return f->count_is_exact ? f->count == count : f->count <= count;
}

static bool differs(const struct trace *t, void *context)
{
    struct results grouped = check(t, false), all = check(t, true);
    struct tuple_set shown = {0}, found = {0};

    find_places(t, &grouped.found, &shown);
    find_places(t, &all.found, &found);
    bool agree = sets_agree(&grouped, &shown, &found);
    if (!agree && context)
        tuples_print_difference(stderr, &shown, "grouped", &found, "all");
    for (size_t i = 0; i < grouped.found.findings_count && all.undecided.findings_count == 0; i++) {
        const struct finding *f = &grouped.found.findings[i];
        if (counts_right(t, f, &all.found))
            continue;
        if (context)
            fprintf(stderr, "property %d at event %" PRIu32 ": a count of %" PRIu64 " is wrong\n", f->property,
                    f->events[0], f->count);
        agree = false;
    }
    tuples_free(&shown);
    tuples_free(&found);
    finding_list_free(&grouped.found);
    finding_list_free(&grouped.undecided);
    finding_list_free(&all.found);
    finding_list_free(&all.undecided);
    return !agree;
}

static void grouped_shows_what_all_has(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = *shape_in_turn(seed + i);
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
