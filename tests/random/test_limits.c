/* The solver with less work than a query takes: on random traces, it decides what it decides without a limit, for races what the
 * brute-force oracle says, or leaves the query undecided.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces. With HEDDLE_SEED each seed is printed before it
 * is tried: a failed assertion of the solver ends the test. */
#include "property/candidate.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/print.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACES = 2500, TRACES_LONG = 300000, BUDGET = 1000000, LIMITS = 8, LONGER = 2 };

struct limited {
    const struct trace *t;
    const struct model *m;
    struct solver *solver;
    uint64_t seed;
    uint64_t decided, undecided; /* with a limit */
};

static enum answer ask(struct limited *l, enum property property, const uint32_t *events, uint64_t most)
{
    candidate_fill(l->m, solver_query(l->solver), property, events, 2);
    struct verdict v = solver_ask_within(l->solver, most);
    free(v.schedule.tail);
    return v.answer;
}

/* Asks without a limit; then with some that are below what that took. `right` is what the oracle says, or ANSWER_UNDECIDED. */
static void compare(struct limited *l, enum property property, const uint32_t *events, enum answer right)
{
    uint64_t before = solver_cost(l->solver);
    enum answer whole = ask(l, property, events, UINT64_MAX);
    unsigned cost = (unsigned)(solver_cost(l->solver) - before);
    bool good = whole != ANSWER_UNDECIDED && (right == ANSWER_UNDECIDED || whole == right);

    for (int i = 0; i < LIMITS && good && cost > 0; i++) {
        enum answer part = ask(l, property, events, 1 + random_below(&l->seed, cost));
        good = part == ANSWER_UNDECIDED || part == whole;
        l->decided += part != ANSWER_UNDECIDED;
        l->undecided += part == ANSWER_UNDECIDED;
    }
    if (!good) {
        fprintf(stderr, "property %d, events %u and %u\n", (int)property, events[0], events[1]);
        trace_print_std(stderr, l->t);
        fail();
    }
}

static void compare_pairs(struct limited *l, const struct tuple_set *races)
{
    struct error err;

    for (uint32_t a = 1; a <= l->t->count; a++)
        for (uint32_t b = 1; b <= l->t->count; b++) {
            uint32_t events[] = {a, b};
            struct tuple pair = {.length = 2, .item = {a, b}};
            bool atomic = kind_atomic(trace_kind(l->t, a)) && kind_atomic(trace_kind(l->t, b));
            if (a < b && !atomic && candidate_check(l->m, PROPERTY_RACE, events, 2, &err) == HEDDLE_OK)
                compare(l, PROPERTY_RACE, events,
                        !races                         ? ANSWER_UNDECIDED
                        : tuples_contain(races, &pair) ? ANSWER_FEASIBLE
                                                       : ANSWER_INFEASIBLE);
            if (candidate_check(l->m, PROPERTY_NONDET, events, 2, &err) == HEDDLE_OK)
                compare(l, PROPERTY_NONDET, events, ANSWER_UNDECIDED);
        }
}

static void limits_change_no_answer(void **state)
{
    static const stop_flag never;
    uint64_t first = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG), decided = 0, undecided = 0;

    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct shape shape = *shape_in_turn(seed);
        bool longer = seed % LONGER == 0;
        struct tuple_set races = {0};
        struct trace t;
        struct model m;
        struct error err;

        if (longer) {
            shape.min_events = 26;
            shape.max_events = 40;
        }
        random_trace(&t, seed, &shape);
        if (!longer)
            oracle_races(&t, (struct oracle_options){0}, &races);
        assert_int_equal(model_build(&m, &t, &err), HEDDLE_OK);
        struct limited l = {.t = &t, .m = &m, .solver = solver_new(&m, BUDGET, true, &never), .seed = seed};
        if (getenv("HEDDLE_SEED"))
            print_message("seed %" PRIu64 "\n", seed);
        compare_pairs(&l, longer ? NULL : &races);
        decided += l.decided;
        undecided += l.undecided;
        solver_free(l.solver);
        model_free(&m);
        tuples_free(&races);
        trace_free(&t);
    }
    assert_true(decided > count && undecided > count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limits_change_no_answer)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
