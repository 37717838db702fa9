/* Shortcuts against the plain way: runs that are found straight, large steps of saturation and what copies of
 * structures refute leave every finding, count and schedule as it is without them.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "property/candidate.h"
#include "property/check.h"
#include "property/copies.h"
#include "random/generate.h"
#include "random/print.h"
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

/* What shows in a report. */
static struct results check(const struct trace *t, bool all, bool plain)
{
    struct check_options options = {
        .all = all, .atomic_locks = true, .plain = plain, .budget = 100000, .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;

    for (int p = 0; p <= PROPERTY_ATOMICITY; p++)
        options.properties[p] = true;
    options.values_ignore = !(all && t->value_tag);
    if (!options.values_ignore)
        options.budget = 100;
    assert_int_equal((options.values_ignore ? model_build_plain : model_build)(&m, t, &err), HEDDLE_OK);
    check_trace(&m, &options, &never, &results);
    model_free(&m);
    return results;
}

static bool same_schedule(const struct schedule *a, const struct schedule *b)
{
    return a->prefix == b->prefix && a->tail_count == b->tail_count &&
           (a->tail_count == 0 || memcmp(a->tail, b->tail, a->tail_count * sizeof *a->tail) == 0);
}

static bool same_findings(const struct finding_list *a, const struct finding_list *b, bool schedules)
{
    bool same = a->findings_count == b->findings_count;

    for (size_t i = 0; same && i < a->findings_count; i++) {
        const struct finding *p = &a->findings[i], *q = &b->findings[i];
        same = p->property == q->property && p->event_count == q->event_count && p->count == q->count &&
               p->count_is_exact == q->count_is_exact &&
               memcmp(p->events, q->events, p->event_count * sizeof *p->events) == 0 &&
               (!schedules || same_schedule(&p->schedule, &q->schedule));
    }
    return same;
}

static uint64_t refuted(const struct property_stats *s)
{
    uint64_t sum = 0;

    for (int why = 0; why < REFUTATIONS; why++)
        sum += s->refuted[why];
    return sum;
}

static bool same_counts(const struct property_stats *a, const struct property_stats *b, bool classes)
{
    return a->subjects == b->subjects && a->candidates == b->candidates && a->feasible == b->feasible &&
           a->undecided == b->undecided && a->skipped == b->skipped && refuted(a) == refuted(b) &&
           (!classes || memcmp(a->refuted, b->refuted, sizeof a->refuted) == 0);
}

static bool lists_candidate(const struct finding_list *list, const struct finding *f)
{
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *other = &list->findings[i];
        if (other->property == f->property && other->event_count == f->event_count &&
            memcmp(other->events, f->events, f->event_count * sizeof *f->events) == 0)
            return true;
    }
    return false;
}

/* Whether what one way has found is found, or left undecided, the other way. Which accesses are listed as unordered depends
 * on which races are found. */
static bool is_possible(const struct results *one, const struct results *other)
{
    for (size_t i = 0; i < one->found.findings_count; i++) {
        const struct finding *f = &one->found.findings[i];
        if (f->property != PROPERTY_UNORDERED && !lists_candidate(&other->found, f) &&
            !lists_candidate(&other->undecided, f))
            return false;
    }
    return true;
}

/* Whether the counts of both ways differ by no more than what they left undecided, candidate by candidate of the same ones.
 */
static bool fits_counts(const struct property_stats *a, const struct property_stats *b)
{
    return a->subjects == b->subjects && a->candidates == b->candidates && a->skipped == b->skipped &&
           a->feasible <= b->feasible + b->undecided && b->feasible <= a->feasible + a->undecided &&
           refuted(a) <= refuted(b) + b->undecided && refuted(b) <= refuted(a) + a->undecided;
}

/* What the test goes through: all findings, or those of a grouped check. Where values count, which assumptions a
 * contradiction needed depends on the order in which it was found: schedules and the class of a refutation may differ then,
 * and the order of findings, since what one way leaves for another round of the budget the other may decide at once. Verdicts
 * may not, but what one way leaves undecided in the end the other may decide. */
static bool differs(const struct trace *t, void *context)
{
    bool *all = context, exactly = !(*all && t->value_tag);
    struct results quick = check(t, *all, false), plain = check(t, *all, true);
    bool decided = quick.undecided.findings_count + plain.undecided.findings_count == 0;
    bool same = exactly ? same_findings(&quick.found, &plain.found, true) &&
                              same_findings(&quick.undecided, &plain.undecided, false)
                        : is_possible(&quick, &plain) && is_possible(&plain, &quick);

    for (int p = 0; p < PROPERTIES; p++)
        same &= exactly || decided ? same_counts(&quick.stats[p], &plain.stats[p], exactly)
                                   : fits_counts(&quick.stats[p], &plain.stats[p]);
    finding_list_free(&quick.found);
    finding_list_free(&quick.undecided);
    finding_list_free(&plain.found);
    finding_list_free(&plain.undecided);
    return !same;
}

/* What was found and decided, to compare by eye. */
static void print_counts(const struct trace *t, bool all, bool plain)
{
    struct results r = check(t, all, plain);

    fprintf(stderr, "%s:", plain ? "plain" : "shortcuts");
    for (int p = 0; p < PROPERTIES; p++)
        if (r.stats[p].candidates > 0)
            fprintf(stderr, " %d: %" PRIu64 " of %" PRIu64 " feasible, %" PRIu64 " undecided;", p,
                    r.stats[p].feasible, r.stats[p].candidates, r.stats[p].undecided);
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

static void shortcuts_change_nothing(void **state)
{
    uint64_t seed = wanted_seed(), count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = shapes[i % shapes_count];
        struct trace t;

        shape.min_events = 40;
        shape.max_events = 120;
        shape.variables += 2;
        random_trace(&t, seed + i, &shape);
        expect_same(&t, seed + i, shape.name);
        trace_free(&t);
        random_copies(&t, seed + i);
        expect_same(&t, seed + i, "copies");
        trace_free(&t);
    }
}

/* How many pairs of a read and another write the rule refutes; fails if one of them has a run. */
static size_t refuted_pairs(const struct trace *t, uint64_t seed)
{
    struct model m;
    struct error err;
    size_t count = 0;

    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    struct solver *s = solver_new(&m, 100000, false, &never);
    for (event_id r = 1; r <= m.event_count; r++) {
        for (event_id w = 1; w <= m.event_count && kind_reads(kind_of(&m, r)); w++) {
            if (!kind_writes(kind_of(&m, w)) || arg_of(&m, w) != arg_of(&m, r) || w == r || m.source[r] == w ||
                !copies_refute(&m, r, w))
                continue;
            candidate_fill(&m, solver_query(s), PROPERTY_NONDET, (uint32_t[]){r, w}, 2);
            struct verdict v = solver_ask(s);
            if (v.answer != ANSWER_INFEASIBLE) {
                fprintf(stderr, "HEDDLE_SEED=%" PRIu64 ": %u can see %u\n", seed, r, w);
                trace_print_std(stderr, t);
                fail();
            }
            count++;
        }
    }
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
        pairs += refuted_pairs(&t, seed + i);
        trace_free(&t);
    }
    assert_true(pairs > count); /* the rule had something to say */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(shortcuts_change_nothing),
                                       cmocka_unit_test(what_copies_refute_has_no_run)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
