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
#include <stdio.h>
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

static struct results check_as(const struct trace *t, const struct check_options *options)
{
    static const stop_flag never;
    struct results results = {0};
    struct model m;
    struct error err;

    if (model_build(&m, t, &err) != HEDDLE_OK)
        return results;
    check_trace(&m, options, &never, &results);
    model_free(&m);
    return results;
}

/* Every property that runs decide, or unordered pairs alone: these are left out of a grouped check where their places race. */
static struct results check(const struct trace *t, bool all, bool unordered)
{
    struct check_options options = {.all = all, .atomic_locks = true, .budget = 100000, .workers = 1};

    for (int p = 0; p <= PROPERTY_STUCK; p++)
        options.properties[p] = (p == PROPERTY_UNORDERED) == unordered;
    return check_as(t, &options);
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

static bool differs_in(const struct trace *t, void *context, bool unordered)
{
    struct results grouped = check(t, false, unordered), all = check(t, true, unordered);
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

static bool differs(const struct trace *t, void *context)
{
    return differs_in(t, context, false);
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

enum { CROWD_PLACES = 7, TRACES_FOR_A_CROWD = 4000 }; /* a crowd takes as long as thousands of small traces */

static void add_event(struct trace *t, uint32_t thread, enum event_kind kind, uint32_t arg, uint32_t place)
{
    trace_append(
        t, &(struct event){.op = op_make(kind, ORDER_NONE), .thread = thread, .arg = arg, .location = place});
}

/* Many threads use one variable at a few places, at two of them in sections of a lock alone. One more thread is forked late: it
 * goes through a section, too, but then it reads at one of these places without. */
static void crowd_trace(struct trace *t, uint64_t seed, unsigned accesses, unsigned threads)
{
    uint64_t random = seed + 1;
    char name[16];
    unsigned late = accesses / 3 * 2;

    trace_init(t);
    names_add(&t->names[NAME_VARIABLE], "x", 1);
    names_add(&t->names[NAME_LOCK], "l", 1);
    for (unsigned i = 0; i <= threads; i++)
        names_add(&t->names[NAME_THREAD], name, (size_t)snprintf(name, sizeof name, "T%u", i));
    for (unsigned i = 0; i < CROWD_PLACES; i++)
        names_add(&t->names[NAME_LOCATION], name, (size_t)snprintf(name, sizeof name, "c.c:%u", i + 1));
    for (unsigned i = 0; i < accesses; i++) {
        uint32_t thread = random_below(&random, threads), place = random_below(&random, CROWD_PLACES);
        bool guarded = place < 2;
        if (guarded)
            add_event(t, thread, EVENT_ACQUIRE, 0, place);
        add_event(t, thread, place % 2 == 0 ? EVENT_WRITE : EVENT_READ, 0, place);
        if (guarded)
            add_event(t, thread, EVENT_RELEASE, 0, place);
        if (i == late) {
            add_event(t, 0, EVENT_FORK, threads, 0);
            add_event(t, threads, EVENT_ACQUIRE, 0, 0);
            add_event(t, threads, EVENT_RELEASE, 0, 0);
        }
        if (i >= late && i % 4 == late % 4)
            add_event(t, threads, EVENT_READ, 0, 0);
    }
}

/* Where many threads use a variable, what would only add to counts is passed over for all of them at once. */
static void crowds_show_what_all_have(void **state)
{
    (void)state;
    for (uint64_t seed = wanted_seed(),
                  end = seed + 1 + wanted_traces(TRACES, TRACES_LONG) / TRACES_FOR_A_CROWD;
         seed < end; seed++) {
        struct trace t;

        crowd_trace(&t, seed, 300, 40);
        assert_false(differs(&t, &t));
        trace_free(&t);
        crowd_trace(&t, seed, 2000, 30);
        assert_false(differs_in(&t, &t, true));
        trace_free(&t);
    }
}

enum { CYCLE_THREADS = 6, CYCLE_LOCKS = 5, CYCLE_ROUNDS = 3 };

/* Threads that take two locks, whichever, one inside the other; each lock at a place of its own. */
static void cycles_trace(struct trace *t, uint64_t seed)
{
    uint64_t random = seed + 1;
    char name[16];

    trace_init(t);
    for (unsigned i = 0; i < CYCLE_LOCKS; i++) {
        names_add(&t->names[NAME_LOCK], name, (size_t)snprintf(name, sizeof name, "l%u", i));
        names_add(&t->names[NAME_LOCATION], name, (size_t)snprintf(name, sizeof name, "l.c:%u", i + 1));
    }
    for (unsigned i = 0; i < CYCLE_THREADS; i++)
        names_add(&t->names[NAME_THREAD], name, (size_t)snprintf(name, sizeof name, "T%u", i));
    for (unsigned i = 0; i < CYCLE_THREADS * CYCLE_ROUNDS; i++) {
        uint32_t thread = i % CYCLE_THREADS, outer = random_below(&random, CYCLE_LOCKS),
                 inner = (outer + 1 + random_below(&random, CYCLE_LOCKS - 1)) % CYCLE_LOCKS;
        add_event(t, thread, EVENT_ACQUIRE, outer, outer);
        add_event(t, thread, EVENT_ACQUIRE, inner, inner);
        add_event(t, thread, EVENT_RELEASE, inner, inner);
        add_event(t, thread, EVENT_RELEASE, outer, outer);
    }
}

/* Whether the sets of places of two acquires are the same, and all that the one check found the other did. */
static void assert_first_found(const struct trace *t, const struct results *some, const struct results *all)
{
    struct tuple_set shown = {0}, found = {0};

    find_places(t, &some->found, &shown);
    find_places(t, &all->found, &found);
    for (size_t i = 0; i < shown.items_count; i++)
        assert_true(tuples_contain(&found, &shown.items[i]));
    for (size_t i = 0; i < all->found.findings_count; i++) {
        struct tuple places = places_of(t, &all->found.findings[i]);
        assert_true(all->found.findings[i].event_count > 2 || tuples_contain(&shown, &places));
    }
    tuples_free(&shown);
    tuples_free(&found);
}

/* Whether the check of everything finds deadlocks at the same places, and at no others. */
static void assert_same_places(const struct trace *t, const struct results *grouped)
{
    struct check_options options = {
        .budget = 100000, .workers = 1, .all = true, .properties[PROPERTY_DEADLOCK] = true};
    struct results every = check_as(t, &options);
    struct tuple_set shown = {0}, all = {0};

    find_places(t, &grouped->found, &shown);
    find_places(t, &every.found, &all);
    assert_true(sets_agree(grouped, &shown, &all));
    tuples_free(&shown);
    tuples_free(&all);
    finding_list_free(&every.found);
}

/* Longer cycles of locks may cost only so much: what is not decided is told, and all cycles of two are. */
static void longer_cycles_are_limited(void **state)
{
    struct check_options options = {.budget = 100000, .workers = 1, .properties[PROPERTY_DEADLOCK] = true};
    size_t limited = 0;

    (void)state;
    for (uint64_t seed = wanted_seed(), end = seed + 1 + wanted_traces(TRACES, TRACES_LONG) / 100; seed < end;
         seed++) {
        struct trace t;

        cycles_trace(&t, seed);
        options.thrift = 0;
        struct results all = check_as(&t, &options);
        options.thrift = 1U << 24;
        struct results some = check_as(&t, &options);
        assert_int_equal(all.undecided.findings_count, 0);
        assert_same_places(&t, &all);
        assert_first_found(&t, &some, &all);
        assert_true(some.found.findings_count == all.found.findings_count || some.undecided.findings_count > 0);
        limited += some.found.findings_count < all.found.findings_count;
        finding_list_free(&all.found);
        finding_list_free(&some.found);
        finding_list_free(&some.undecided);
        trace_free(&t);
    }
    assert_true(limited > 0);
}

enum { HELD_THREADS = 5, HELD_LOCKS = 4, HELD_VARIABLES = 3, HELD_ROUNDS = 4 };

/* Threads that write and read variables in one or two locks, whichever, and give these back only then. */
static void held_trace(struct trace *t, uint64_t seed)
{
    uint64_t random = seed + 1;
    char name[16];

    trace_init(t);
    for (unsigned i = 0; i < HELD_LOCKS; i++)
        names_add(&t->names[NAME_LOCK], name, (size_t)snprintf(name, sizeof name, "l%u", i));
    for (unsigned i = 0; i < HELD_VARIABLES; i++)
        names_add(&t->names[NAME_VARIABLE], name, (size_t)snprintf(name, sizeof name, "x%u", i));
    for (unsigned i = 0; i < 3 * HELD_LOCKS; i++)
        names_add(&t->names[NAME_LOCATION], name, (size_t)snprintf(name, sizeof name, "h.c:%u", i + 1));
    for (unsigned i = 0; i < HELD_THREADS; i++)
        names_add(&t->names[NAME_THREAD], name, (size_t)snprintf(name, sizeof name, "T%u", i));
    for (unsigned i = 0; i < HELD_THREADS * HELD_ROUNDS; i++) {
        uint32_t thread = random_below(&random, HELD_THREADS), outer = random_below(&random, HELD_LOCKS),
                 inner = (outer + random_below(&random, HELD_LOCKS)) % HELD_LOCKS;
        add_event(t, thread, EVENT_ACQUIRE, outer, outer);
        if (inner != outer)
            add_event(t, thread, EVENT_ACQUIRE, inner, inner);
        for (uint32_t k = random_below(&random, 4); k > 0; k--)
            add_event(t, thread, random_below(&random, 2) ? EVENT_WRITE : EVENT_READ,
                      random_below(&random, HELD_VARIABLES), HELD_LOCKS + random_below(&random, HELD_LOCKS));
        if (inner != outer)
            add_event(t, thread, EVENT_RELEASE, inner, inner);
        add_event(t, thread, EVENT_RELEASE, outer, outer);
    }
}

/* Deadlocks and races are those that the states of runs show. */
static void held_locks_are_given_back(void **state)
{
    struct check_options options = {.budget = 100000,
                                    .workers = 1,
                                    .all = true,
                                    .properties[PROPERTY_DEADLOCK] = true,
                                    .properties[PROPERTY_RACE] = true};

    (void)state;
    for (uint64_t seed = wanted_seed(), end = seed + 1 + wanted_traces(TRACES, TRACES_LONG) / 100; seed < end;
         seed++) {
        struct tuple_set shown = {0}, all = {0};
        struct trace t;

        held_trace(&t, seed);
        options.states = false;
        struct results found = check_as(&t, &options);
        options.states = true;
        struct results states = check_as(&t, &options);
        find_places(&t, &found.found, &shown);
        find_places(&t, &states.found, &all);
        assert_int_equal(found.undecided.findings_count, 0);
        assert_in_range(found.found.findings_count, states.found.findings_count,
                        states.found.findings_count + states.undecided.findings_count);
        assert_true(states.undecided.findings_count > 0 || sets_agree(&found, &shown, &all));
        tuples_free(&shown);
        tuples_free(&all);
        finding_list_free(&found.found);
        finding_list_free(&states.found);
        finding_list_free(&states.undecided);
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grouped_shows_what_all_has), cmocka_unit_test(crowds_show_what_all_have),
        cmocka_unit_test(longer_cycles_are_limited), cmocka_unit_test(held_locks_are_given_back)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
