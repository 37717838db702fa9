/* Shortcuts against the plain way: runs that are found straight, large steps of saturation and what copies of
 * structures refute leave every finding, count and schedule as it is without them.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "property/candidate.h"
#include "property/check.h"
#include "property/copies.h"
#include "property/pairs.h"
#include "property/seen_before.h"
#include "property/worker.h"
#include "random/generate.h"
#include "random/print.h"
#include "random/same.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACES = 250, TRACES_LONG = 20000, COPIED = 3 };

static const stop_flag never;

static void emit(struct trace *t, unsigned thread, enum event_kind kind, unsigned object)
{
    struct event e = {.op = op_make(kind, ORDER_NONE)};
    char text[16];

    e.thread = names_add(&t->names[NAME_THREAD], text, (size_t)snprintf(text, sizeof text, "T%u", thread));
    e.arg = names_add(&t->names[kind_argument(kind)], text,
                      (size_t)snprintf(text, sizeof text, "%c%u", kind_accesses(kind) ? 'x' : 'l', object));
    e.location = names_add(&t->names[NAME_LOCATION], text, (size_t)snprintf(text, sizeof text, "p%u", object));
    trace_append(t, &e);
}

/* Thread 0 forks or joins another one. */
static void emit_thread(struct trace *t, enum event_kind kind, unsigned other)
{
    struct event e = {.op = op_make(kind, ORDER_NONE)};
    char text[16];

    e.thread = names_add(&t->names[NAME_THREAD], "T0", 2);
    e.arg = names_add(&t->names[NAME_THREAD], text, (size_t)snprintf(text, sizeof text, "T%u", other));
    e.location = names_add(&t->names[NAME_LOCATION], "p", 1);
    trace_append(t, &e);
}

/* Threads that copy a few variables in, out or both under a lock, now and then not all of them, with accesses
 * outside of any lock before and in between. */
static void random_copies(struct trace *t, uint64_t seed)
{
    unsigned threads = 2 + random_below(&seed, 3), sections = 4 + random_below(&seed, 8);

    trace_init(t);
    for (unsigned i = 0; i < sections; i++) {
        unsigned thread = random_below(&seed, threads), way = random_below(&seed, 3);
        unsigned lock = random_below(&seed, 8) == 0;
        if (random_below(&seed, 6) == 0)
            emit(t, (thread + 1) % threads, random_below(&seed, 2) ? EVENT_WRITE : EVENT_READ,
                 random_below(&seed, COPIED));
        emit(t, thread, EVENT_ACQUIRE, lock);
        for (unsigned x = 0; x < COPIED; x++) {
            if (random_below(&seed, 6) == 0)
                continue;
            if (way != 0)
                emit(t, thread, EVENT_READ, x);
            if (way != 1)
                emit(t, thread, EVENT_WRITE, x);
            if (random_below(&seed, 20) == 0)
                emit(t, (thread + 1) % threads, EVENT_WRITE, x);
        }
        emit(t, thread, EVENT_RELEASE, lock);
    }
}

/* The same, with a value. */
static void emit_value(struct trace *t, unsigned thread, enum event_kind kind, unsigned x, uint64_t value)
{
    emit(t, thread, kind, x);
    if (!t->value_tag)
        trace_add_values(t);
    t->value_tag[t->count] = VALUE_UNSIGNED;
    t->value[t->count] = value;
}

/* One access of a section; now and then by an update. */
static void access_value(struct trace *t, unsigned thread, unsigned x, uint64_t *held, uint64_t value,
                         bool write)
{
    if (write)
        *held = value;
    emit_value(t, thread, write ? value == 3 ? EVENT_RMW : EVENT_WRITE : EVENT_READ, x, *held);
}

/* Threads that keep a few variables together under a lock: what one section makes 0 it mostly makes 0 in all of them. One
 * thread makes them and clears them in the end, mostly before and after all others. */
static void random_kept(struct trace *t, uint64_t seed)
{
    unsigned threads = 2 + random_below(&seed, 2), sections = 3 + random_below(&seed, 6);
    bool forks = random_below(&seed, 4) > 0, joins = random_below(&seed, 3) > 0;
    uint64_t held[COPIED] = {0};

    trace_init(t);
    for (unsigned x = 0; x < COPIED && random_below(&seed, 4) > 0; x++)
        emit_value(t, 0, EVENT_WRITE, x, held[x]);
    for (unsigned i = 1; i < threads && forks; i++)
        emit_thread(t, EVENT_FORK, i);
    for (unsigned i = 0; i < sections; i++) {
        unsigned thread = random_below(&seed, threads), lock = random_below(&seed, 12) == 0;
        uint64_t value = random_below(&seed, 4);
        if (random_below(&seed, 12) == 0)
            access_value(t, thread, 0, &held[0], value, random_below(&seed, 3) == 0);
        emit(t, thread, EVENT_ACQUIRE, lock);
        for (unsigned x = 0; x < COPIED; x++) {
            if (random_below(&seed, 4) > 0)
                access_value(t, thread, x, &held[x], 0, false);
            if (random_below(&seed, 6) > 0 && (value == 0) != (held[x] == 0))
                access_value(t, thread, x, &held[x], value, true);
        }
        if (i + 1 < sections || random_below(&seed, 2))
            emit(t, thread, EVENT_RELEASE, lock);
    }
    for (unsigned i = 1; i < threads && forks && joins; i++)
        emit_thread(t, EVENT_JOIN, i);
    if (random_below(&seed, 2))
        access_value(t, 0, 0, &held[0], random_below(&seed, 3), true);
}

/* What is checked: all findings or grouped ones, with or without values and grounds; and whether a run may be feasible without keeping to
 * the observed order, so that the work is limited. */
struct scope {
    bool all, values, relaxed;
};

static void build(struct model *m, const struct trace *t, bool values)
{
    struct error err;

    assert_int_equal((values ? model_build : model_build_plain)(m, t, &err), HEDDLE_OK);
}

/* All findings with values and grounds if the trace has some, grouped ones without. */
static struct scope scope_of(const struct trace *t, bool all)
{
    struct scope scope = {.all = all, .values = all && (t->value_tag || t->grounds)};
    struct model m;

    build(&m, t, scope.values);
    scope.relaxed = m.relaxed;
    model_free(&m);
    return scope;
}

/* What shows in a report. */
static struct results check(const struct trace *t, struct scope scope, bool plain)
{
    struct check_options options = {.all = scope.all,
                                    .atomic_locks = true,
                                    .values_ignore = !scope.values,
                                    .grounds_ignore = !scope.values,
                                    .plain = plain,
                                    .budget = scope.values ? 100 : 100000,
                                    .workers = 1};
    struct results results = {0};
    struct model m;

    for (int p = 0; p <= PROPERTY_STUCK; p++)
        options.properties[p] = true;
    build(&m, t, scope.values);
    check_trace(&m, &options, &never, &results);
    model_free(&m);
    return results;
}

static bool same_answers(const struct trace *t, struct scope scope)
{
    struct results quick = check(t, scope, false), plain = check(t, scope, true);
    bool same = scope.values ? results_agree(&quick, &plain) : results_equal(&quick, &plain);

    if (!same && !scope.all && scope.relaxed) /* what was skipped is compared among all findings */
        same = groups_agree(t, &quick, &plain) &&
               same_answers(t, (struct scope){.all = true, .values = false, .relaxed = true});
    finding_list_free(&quick.found);
    finding_list_free(&quick.undecided);
    finding_list_free(&plain.found);
    finding_list_free(&plain.undecided);
    return same;
}

static bool differs(const struct trace *t, void *context)
{
    const bool *all = context;

    return !same_answers(t, scope_of(t, *all));
}

/* What was found and decided, to compare by eye. */
static void print_counts(const struct trace *t, bool all, bool plain)
{
    struct results r = check(t, scope_of(t, all), plain);

    fprintf(stderr, "%s:", plain ? "plain" : "shortcuts");
    for (int p = 0; p < PROPERTIES; p++)
        if (r.stats[p].candidates > 0)
            fprintf(stderr,
                    " %d: %" PRIu64 " of %" PRIu64 " feasible, %" PRIu64 " undecided, %" PRIu64 " skipped;", p,
                    r.stats[p].feasible, r.stats[p].candidates, r.stats[p].undecided, r.stats[p].skipped);
    fputc('\n', stderr);
    finding_list_free(&r.found);
    finding_list_free(&r.undecided);
}

static void expect_same(struct trace *t, uint64_t seed, const char *what)
{
    for (int i = 0; i < 2; i++) {
        bool all = i == 0;
        if (!differs(t, &all))
            continue;
        fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " %s\n", seed, what);
        print_counts(t, all, false);
        print_counts(t, all, true);
        shrink_trace(t, differs, &all);
        trace_print_std(stderr, t);
        fail();
    }
}

static void compare_one(uint64_t seed, struct shape shape)
{
    struct trace t;

    shape.min_events = 40;
    shape.max_events = 120;
    shape.variables += 2;
    random_trace(&t, seed, &shape);
    expect_same(&t, seed, shape.name);
    trace_free(&t);
}

static void shortcuts_change_nothing(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct trace t;

        compare_one(seed + i, *shape_in_turn(seed + i));
        random_copies(&t, seed + i);
        expect_same(&t, seed + i, "copies");
        trace_free(&t);
    }
}

/* Traces of which a grouped check skips one way what it counts, refutes or shows first the other way. */
static void what_one_way_skips_has_the_same_verdict(void **state)
{
    static const uint64_t seeds[] = {478, 70111, 921611};
    const struct shape *values = shapes;

    (void)state;
    while (values < shapes + shapes_count && strcmp(values->name, "values") != 0)
        values++;
    assert_true(values < shapes + shapes_count);
    for (size_t i = 0; i < sizeof seeds / sizeof *seeds; i++)
        compare_one(seeds[i], *values);
}

/* What the rules need to know of a model. */
struct rules {
    const struct model *m;
    struct kept_pairs *pairs;
    struct seen_before before;
};

/* Whether the rule refutes these two events. */
typedef bool rule(struct rules *r, event_id a, event_id b);

static bool is_other_write(const struct model *m, event_id read, event_id write)
{
    return kind_reads(kind_of(m, read)) && kind_writes(kind_of(m, write)) &&
           arg_of(m, read) == arg_of(m, write) && read != write && m->source[read] != write;
}

static bool by_copies(struct rules *r, event_id read, event_id write)
{
    return is_other_write(r->m, read, write) && copies_refute(r->m, read, write);
}

static bool by_pairs(struct rules *r, event_id read, event_id write)
{
    return is_other_write(r->m, read, write) && pairs_refute(r->pairs, read, write);
}

static bool by_seen_before(struct rules *r, event_id read, event_id write)
{
    return is_other_write(r->m, read, write) && seen_before_refutes(&r->before, read, write);
}

static bool by_seen_before_race(struct rules *r, event_id a, event_id b)
{
    const struct model *m = r->m;

    return kind_accesses(kind_of(m, a)) && kind_accesses(kind_of(m, b)) && arg_of(m, a) == arg_of(m, b) &&
           thread_of(m, a) != thread_of(m, b) && kinds_race(kind_of(m, a), kind_of(m, b)) &&
           seen_before_parts(&r->before, a, b);
}

/* How many pairs the rule refutes; fails if one of them has a run. */
static size_t refuted_pairs(const struct trace *t, uint64_t seed, enum property property, rule *refutes)
{
    struct model m;
    struct error err;
    size_t count = 0;

    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    struct solver *s = solver_new(&m, 100000, false, &never);
    struct rules rules = {.m = &m, .pairs = pairs_new(&m)};
    seen_before_init(&rules.before, &m);
    for (event_id a = 1; a <= m.event_count; a++) {
        for (event_id b = 1; b <= m.event_count; b++) {
            if (!refutes(&rules, a, b))
                continue;
            candidate_fill(&m, solver_query(s), property, (uint32_t[]){a, b}, 2);
            struct verdict v = solver_ask(s);
            if (v.answer != ANSWER_INFEASIBLE) {
                fprintf(stderr, "HEDDLE_SEED=%" PRIu64 ": %u and %u\n", seed, a, b);
                trace_print_std(stderr, t);
                fail();
            }
            count++;
        }
    }
    seen_before_free(&rules.before);
    pairs_free(rules.pairs);
    solver_free(s);
    model_free(&m);
    return count;
}

static void what_copies_refute_has_no_run(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG);
    size_t pairs = 0;

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct trace t;
        random_copies(&t, seed + i);
        pairs += refuted_pairs(&t, seed + i, PROPERTY_NONDET, by_copies);
        trace_free(&t);
    }
    assert_true(pairs > count); /* the rule had something to say */
}

static void what_pairs_refute_has_no_run(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG) * 8;
    size_t pairs = 0;

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct trace t;
        random_kept(&t, seed + i);
        pairs += refuted_pairs(&t, seed + i, PROPERTY_NONDET, by_pairs);
        trace_free(&t);
    }
    assert_true(pairs > count); /* the rule had something to say */
}

/* What the rule refutes by what a section has seen, of both properties. */
static void count_seen_before(const struct trace *t, uint64_t seed, size_t counts[2])
{
    counts[0] += refuted_pairs(t, seed, PROPERTY_NONDET, by_seen_before);
    counts[1] += refuted_pairs(t, seed, PROPERTY_RACE, by_seen_before_race);
}

/* In traces of all shapes, besides: with words for locks, values and grounds. */
static void what_was_seen_before_refutes_has_no_run(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG) * 8;
    size_t copied[2] = {0}, kept[2] = {0}, others[2] = {0}; /* those come now and then */

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct trace t;
        random_copies(&t, seed + i);
        count_seen_before(&t, seed + i, copied);
        trace_free(&t);
        random_kept(&t, seed + i);
        count_seen_before(&t, seed + i, kept);
        trace_free(&t);
        random_trace(&t, seed + i, shape_in_turn(seed + i));
        count_seen_before(&t, seed + i, others);
        trace_free(&t);
    }
    assert_true(copied[0] > count && copied[1] > count && kept[0] > count); /* the rule had something to say */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shortcuts_change_nothing), cmocka_unit_test(what_one_way_skips_has_the_same_verdict),
        cmocka_unit_test(what_copies_refute_has_no_run), cmocka_unit_test(what_pairs_refute_has_no_run),
        cmocka_unit_test(what_was_seen_before_refutes_has_no_run)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
