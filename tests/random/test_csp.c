/* The CSP method on random traces: its races are those of semantics §2 without condition 4, as the oracle finds
 * them, with and without its reductions, and its schedules show them.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "method/csp/csp_method.h"
#include "method/csp/csp_plain.h"
#include "method/csp/csp_search.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/plain.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACES = 20000, TRACES_LONG = 1000000, PLAIN_EVERY = 20, WHOLE_EVERY = 4, STATES = 200000 };

static const struct oracle_options without_data = {.ignore_data = true};
static const stop_flag never;

struct comparison {
    bool plain; /* the unreduced search, too */
    bool whole; /* the method as `heddle check` runs it, too */
    const struct trace *t;
    struct model m;
    struct csp_plan plan;
    struct csp_processes processes;
    struct csp_search *search;
    struct tuple_set races;
    FILE *out; /* NULL: only find out whether something is wrong */
    bool wrong;
    uint64_t found, refuted, states, plain_found, plain_refuted, reordered, tampered[2], confirmed, other_path;
    struct certifier *certifier;
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

/* A run made of synchronization events and what is between them. */
struct filled {
    uint32_t done[ORACLE_EVENTS]; /* by thread */
    size_t run[ORACLE_EVENTS + 1], count;
    bool skips; /* something that synchronizes was not listed */
};

/* Appends the thread's events up to a position; of these only the last may synchronize, if it was `listed`. */
static void run_on(const struct model *m, struct filled *f, thread_id t, uint32_t end, bool listed)
{
    while (f->done[t] < end && f->count < ORACLE_EVENTS) {
        event_id e = event_at(m, t, f->done[t]++);
        f->skips |= kind_synchronizes(kind_of(m, e)) && !(listed && f->done[t] == end);
        f->run[f->count++] = e;
    }
}

static void run_listed(const struct model *m, struct filled *f, event_id e)
{
    thread_id t = thread_of(m, e), joined = kind_of(m, e) == EVENT_JOIN ? arg_of(m, e) : t;

    run_on(m, f, t, m->position[e], false);
    if (joined != t && thread_length(m, joined) > 0) {
        event_id last = event_at(m, joined, thread_length(m, joined) - 1);
        if (!kind_synchronizes(kind_of(m, last)))
            run_on(m, f, joined, thread_length(m, joined), false);
    }
    if (f->done[t] != m->position[e])
        f->skips = true; /* twice, or after a later one */
    run_on(m, f, t, m->position[e] + 1, true);
}

/* Whether the list shows the race, as the oracle sees it. */
static bool list_shows(const struct comparison *c, const uint32_t *list, size_t count, event_id a, event_id b)
{
    const struct model *m = &c->m;
    struct filled f = {0};

    for (size_t i = 0; i < count; i++)
        run_listed(m, &f, list[i]);
    run_on(m, &f, thread_of(m, a), m->position[a], false);
    run_on(m, &f, thread_of(m, b), m->position[b], false);
    return !f.skips && f.done[thread_of(m, a)] == m->position[a] && f.done[thread_of(m, b)] == m->position[b] &&
           oracle_run_feasible(c->t, f.run, f.count, without_data) &&
           /* a first event needs its fork, which no run without it shows */
           oracle_run_feasible(c->t, (f.run[f.count] = a, f.run), f.count + 1, without_data) &&
           oracle_run_feasible(c->t, (f.run[f.count] = b, f.run), f.count + 1, without_data);
}

/* The list as a report has it goes to the certifier, whole and with an event less or two swapped; the oracle
 * says what is right. */
static void judge_schedule(struct comparison *c, struct schedule s, event_id a, event_id b)
{
    uint32_t list[ORACLE_EVENTS], events[2] = {a, b}, count = 0;
    struct finding claim = {
        .property = PROPERTY_RACE, .event_count = 2, .events = events, .synchronization = true};

    for (event_id e = 1; e <= s.prefix; e++)
        if (kind_synchronizes(kind_of(&c->m, e)))
            list[count++] = e;
    for (uint32_t i = 0; i < s.tail_count; i++) {
        c->reordered += i > 0 && s.tail[i] < s.tail[i - 1];
        list[count++] = s.tail[i];
    }
    claim.schedule = (struct schedule){0, count, list};
    if (!list_shows(c, list, count, a, b))
        say(c, "the schedule does not show the race", a, b);
    if (!certifier_accepts(c->certifier, &claim, &(struct certify_options){0}, NULL))
        say(c, "the certifier rejects the schedule", a, b);
    for (uint32_t i = 0; i + 1 < count; i++) {
        uint32_t kept = list[i];
        list[i] = list[i + 1];
        list[i + 1] = kept;
        bool right = list_shows(c, list, count, a, b);
        if (certifier_accepts(c->certifier, &claim, &(struct certify_options){0}, NULL) != right)
            say(c, right ? "the certifier rejects a swapped schedule" : "the certifier accepts a wrong one", a,
                b);
        c->tampered[right]++;
        list[i + 1] = list[i];
        list[i] = kept;
    }
    if (count > 0) {
        claim.schedule.tail_count = --count;
        bool right = list_shows(c, list, count, a, b);
        if (certifier_accepts(c->certifier, &claim, &(struct certify_options){0}, NULL) != right)
            say(c, "the certifier is wrong about a shortened schedule", a, b);
        c->tampered[right]++;
    }
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

/* --method=csp --all lists the oracle's races, each with the right word of what exact says. */
static void judge_whole(struct comparison *c)
{
    struct check_options options = {.all = true, .budget = STATES, .properties = {[PROPERTY_RACE] = true}};
    struct results r = {0};
    struct tuple_set with_data = {0};

    oracle_races(c->t, (struct oracle_options){.values_ignore = true, .grounds_ignore = true}, &with_data);
    csp_check(&c->m, &options, &never, &r);
    if (r.found.findings_count != c->races.items_count || r.undecided.findings_count > 0 || !r.complete)
        say(c, "the method finds more or less", (uint32_t)r.found.findings_count,
            (uint32_t)c->races.items_count);
    for (size_t i = 0; i < r.found.findings_count; i++) {
        const struct finding *f = &r.found.findings[i];
        struct tuple pair = {.length = 2, .item = {f->events[0], f->events[1]}};
        bool exact = tuples_contain(&with_data, &pair);
        if (!tuples_contain(&c->races, &pair))
            say(c, "the method finds what is no race", f->events[0], f->events[1]);
        if (f->confirmation != (exact ? CONFIRMATION_EXACT : CONFIRMATION_OTHER_PATH))
            say(c, "the confirmation is wrong", f->events[0], f->events[1]);
        c->confirmed += exact;
        c->other_path += !exact;
    }
    finding_list_free(&r.found);
    finding_list_free(&r.undecided);
    tuples_free(&with_data);
}

static void judge(struct comparison *c)
{
    for (event_id b = 2; b <= c->m.event_count; b++)
        for (event_id a = 1; a < b; a++)
            if (races_by_kind(&c->m, a, b))
                judge_pair(c, a, b);
    if (c->whole)
        judge_whole(c);
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
    struct certify_index *index;
    struct error err;

    c->wrong = false;
    c->t = t;
    assert_int_equal(model_build_plain(&c->m, t, &err), HEDDLE_OK);
    oracle_races(t, without_data, &c->races);
    csp_plan_build(&c->plan, &c->m);
    csp_processes_init(&c->processes, &c->plan);
    c->search = csp_search_new(&c->processes, STATES, &never);
    index = certify_index_new(t);
    c->certifier = certifier_new(index);
    judge(c);
    certifier_free(c->certifier);
    certify_index_free(index);
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
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);
    struct comparison c = {0};

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[(seed + i) % shapes_count];
        struct trace t;

        random_trace(&t, seed + i, shape);
        c.plain = (seed + i) / shapes_count % PLAIN_EVERY == 0;
        c.whole = (seed + i) / shapes_count % WHOLE_EVERY == 0;
        if (trace_is_plain(&t) && is_wrong(&t, &c)) {
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
        assert_true(c.tampered[false] > 0 && c.tampered[true] > 0 && c.confirmed > 0 && c.other_path > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(races_are_those_without_data)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
