/* The CSP method on random traces: its races are those of SPEC §2 without condition 4, as the oracle finds
 * them, with and without its reductions, and its schedules show them.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "base/memory.h"
#include "method/csp_plain.h"
#include "method/csp_search.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/print.h"
#include "random/shrink.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACES = 20000, TRACES_LONG = 1000000, PLAIN_EVERY = 20, STATES = 200000 };

static const struct oracle_options without_data = {.ignore_data = true};
static const volatile bool never;

static uint64_t number_from(const char *variable, uint64_t otherwise)
{
    const char *text = getenv(variable);

    return text ? strtoull(text, NULL, 0) : otherwise;
}

struct comparison {
    bool plain; /* the unreduced search, too */
    const struct trace *t;
    struct model m;
    struct csp_plan plan;
    struct csp_processes processes;
    struct csp_search *search;
    struct tuple_set races;
    FILE *out; /* NULL: only find out whether something is wrong */
    bool wrong;
    uint64_t found, refuted, states, plain_found, plain_refuted, reordered;
};

static void say(struct comparison *c, const char *what, event_id a, event_id b)
{
    c->wrong = true;
    if (c->out)
        fprintf(c->out, "%s: %u, %u\n", what, a, b);
}

static bool races_by_kind(const struct model *m, event_id a, event_id b)
{
    enum event_kind one = kind_of(m, a), other = kind_of(m, b);

    return kind_accesses(one) && kind_accesses(other) && arg_of(m, a) == arg_of(m, b) &&
           thread_of(m, a) != thread_of(m, b) && (kind_writes(one) || kind_writes(other)) &&
           !(kind_atomic(one) && kind_atomic(other));
}

/* Appends the thread's events from `*done` on up to a position. */
static size_t run_on(const struct model *m, thread_id t, uint32_t *done, uint32_t end, size_t *run,
                     size_t count)
{
    while (*done < end)
        run[count++] = event_at(m, t, (*done)++);
    return count;
}

/* Fills in what is between the synchronization events, and asks the oracle about the whole. */
static void judge_schedule(struct comparison *c, struct schedule s, event_id a, event_id b)
{
    const struct model *m = &c->m;
    uint32_t done[ORACLE_EVENTS] = {0};
    size_t run[ORACLE_EVENTS + 1], count = 0;

    for (uint32_t i = 0; i < s.prefix; i++) {
        run[count++] = i + 1;
        done[thread_of(m, i + 1)]++;
    }
    for (uint32_t i = 0; i < s.tail_count; i++) {
        event_id e = s.tail[i];
        thread_id joined = kind_of(m, e) == EVENT_JOIN ? arg_of(m, e) : thread_of(m, e);
        if (joined != thread_of(m, e))
            count = run_on(m, joined, &done[joined], thread_length(m, joined), run, count);
        c->reordered += i > 0 && e < s.tail[i - 1];
        count = run_on(m, thread_of(m, e), &done[thread_of(m, e)], m->position[e] + 1, run, count);
    }
    count = run_on(m, thread_of(m, a), &done[thread_of(m, a)], m->position[a], run, count);
    count = run_on(m, thread_of(m, b), &done[thread_of(m, b)], m->position[b], run, count);
    if (!oracle_run_feasible(c->t, run, count, without_data))
        say(c, "the schedule is no run", a, b);
    if (done[thread_of(m, a)] != m->position[a] || done[thread_of(m, b)] != m->position[b])
        say(c, "the schedule goes too far", a, b);
}

static void judge_pair(struct comparison *c, event_id a, event_id b)
{
    struct tuple pair = {.length = 2, .item = {a, b}};
    bool expected = tuples_contain(&c->races, &pair);
    struct schedule schedule = {0};
    enum csp_verdict verdict = csp_search_race(c->search, a, b, &schedule);

    if (verdict == CSP_OUT_OF_BUDGET)
        say(c, "undecided", a, b);
    else if (verdict == CSP_VIOLATES && !expected)
        say(c, "found, yet it is no race", a, b);
    else if (verdict == CSP_REFINES && expected)
        say(c, "a race, yet refuted", a, b);
    else if (verdict == CSP_VIOLATES)
        judge_schedule(c, schedule, a, b);
    c->found += verdict == CSP_VIOLATES;
    c->refuted += verdict == CSP_REFINES;
    free(schedule.tail);
}

static void judge_plain(struct comparison *c, thread_id one, thread_id other, variable_id v)
{
    bool expected = false, reduced, whole;

    for (size_t i = 0; i < c->races.items_count; i++) {
        const uint32_t *pair = c->races.items[i].item;
        thread_id first = thread_of(&c->m, pair[0]), second = thread_of(&c->m, pair[1]);
        expected |= arg_of(&c->m, pair[0]) == v &&
                    ((first == one && second == other) || (first == other && second == one));
    }
    struct csp_pattern pattern = {one, other, v};
    reduced = csp_plain_check(&c->processes, pattern, true, STATES) == CSP_VIOLATES;
    whole = csp_plain_check(&c->processes, pattern, false, STATES) == CSP_VIOLATES;
    if (reduced != expected || whole != expected)
        say(c, reduced == whole ? "the model disagrees" : "the reduction changes the verdict", one, other);
    c->plain_found += reduced;
    c->plain_refuted += !reduced;
}

static void judge(struct comparison *c)
{
    for (event_id b = 2; b <= c->m.event_count; b++)
        for (event_id a = 1; a < b; a++)
            if (races_by_kind(&c->m, a, b))
                judge_pair(c, a, b);
    if (!c->plain)
        return;
    for (variable_id v = 0; v < c->m.variable_count; v++)
        for (thread_id one = 0; one < c->m.thread_count; one++)
            for (thread_id other = one + 1; other < c->m.thread_count; other++)
                judge_plain(c, one, other, v);
}

static bool is_wrong(const struct trace *t, void *context)
{
    struct comparison *c = context;
    struct error err;

    c->wrong = false;
    c->t = t;
    assert_int_equal(model_build(&c->m, t, &err), HEDDLE_OK);
    oracle_races(t, without_data, &c->races);
    csp_plan_build(&c->plan, &c->m);
    csp_processes_init(&c->processes, &c->plan);
    c->search = csp_search_new(&c->processes, STATES, &never);
    judge(c);
    c->states += csp_search_counts(c->search)->states;
    csp_search_free(c->search);
    csp_processes_free(&c->processes);
    csp_plan_free(&c->plan);
    tuples_free(&c->races);
    c->races = (struct tuple_set){0};
    model_free(&c->m);
    return c->wrong;
}

static void races_are_those_without_data(void **state)
{
    uint64_t seed = number_from("HEDDLE_SEED", 1);
    uint64_t count = number_from("HEDDLE_TRACES", getenv("HEDDLE_TEST_LONG") ? TRACES_LONG : TRACES);
    struct comparison c = {0};

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[(seed + i) % shapes_count];
        struct trace t;

        random_trace(&t, seed + i, shape);
        c.plain = (seed + i) / shapes_count % PLAIN_EVERY == 0;
        if (is_wrong(&t, &c)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s\n", seed + i, shape->name);
            shrink_trace(&t, is_wrong, &c);
            trace_print_std(stderr, &t);
            c.out = stderr;
            is_wrong(&t, &c);
            fail();
        }
        trace_free(&t);
    }
    if (count >= TRACES) { /* the traces are of all kinds */
        assert_true(c.found > 0 && c.refuted > 0 && c.reordered > 0 && c.states > 0);
        assert_true(c.plain_found > 0 && c.plain_refuted > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(races_are_those_without_data)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
