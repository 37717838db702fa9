/* Causality graphs on random traces: chopped and shared ones decide as plain ones do, and they keep every race
 * and every atomicity violation that the oracle finds.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "method/ucg/candidates.h"
#include "method/ucg/causality.h"
#include "property/atomic_blocks.h"
#include "random/generate.h"
#include "random/oracle.h"
#include "random/plain.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRACES = 20000, TRACES_LONG = 1000000 };

struct comparison {
    bool atomic_locks;
    const struct model *m;
    struct causality *causality;
    struct causality_property property;
    struct oracle_sets sets;
    FILE *out; /* NULL: only find out whether something is wrong */
    bool wrong;
    uint32_t labels;
    uint64_t kept, refuted, chopped, only_together;
};

static void say(struct comparison *c, const char *what, event_id first, event_id remote, event_id second)
{
    c->wrong = true;
    if (c->out)
        fprintf(c->out, "%s: %u, %u, %u\n", what, first, remote, second);
}

/* Looks at the property as filled. `other` is 0 for races; `alone` says whether locks alone or the required
 * order alone exclude it. */
static void judge(struct comparison *c, bool alone, bool expected, event_id first, event_id remote,
                  event_id second)
{
    bool plain = causality_plain(c->m, &c->property);
    bool shared = causality_holds(c->causality, &c->property, c->labels);

    c->kept += plain;
    c->refuted += !plain;
    c->only_together += !plain && !alone;
    c->chopped += causality_was_chopped(c->causality);
    for (unsigned i = 0; i < c->property.order_count && shared; i++) {
        event_id from = c->property.order[i].before, to = c->property.order[i].after;
        if (!causality_has_edge(c->causality, from, to, c->labels) ||
            causality_has_edge(c->causality, from, to, c->labels + 1))
            say(c, "an edge is not labelled with its property, or with one to come", first, remote, second);
    }
    c->labels++;
    if (plain != shared)
        say(c, plain ? "refuted only from a barrier on" : "refuted only by the plain graph", first, remote,
            second);
    if (expected && !plain)
        say(c, "feasible, yet refuted", first, remote, second);
    if (alone && plain)
        say(c, "kept, yet locks or required order alone refute it", first, remote, second);
}

static void judge_races(struct comparison *c)
{
    const struct model *m = c->m;

    for (event_id b = 2; b <= m->event_count; b++) {
        for (event_id a = 1; a < b; a++) {
            struct tuple pair = {.length = 2, .item = {a, b}};
            enum event_kind one = kind_of(m, a), other = kind_of(m, b);
            if (!kind_accesses(one) || !kind_accesses(other) || arg_of(m, a) != arg_of(m, b) ||
                thread_of(m, a) == thread_of(m, b) || !(kind_writes(one) || kind_writes(other)))
                continue;
            property_race(&c->property, m, a, b);
            judge(c, locks_exclude(m, a, b) || causality_must(c->causality, a, b),
                  tuples_contain(&c->sets.of[ORACLE_RACE], &pair), a, b, 0);
        }
    }
}

static void judge_triple(struct comparison *c, event_id first, event_id second)
{
    const struct model *m = c->m;

    for (event_id remote = 1; remote <= m->event_count; remote++) {
        struct tuple triple = {.length = 3, .item = {first, remote, second}};
        if (!kind_accesses(kind_of(m, remote)) || arg_of(m, remote) != arg_of(m, first) ||
            thread_of(m, remote) == thread_of(m, first))
            continue;
        property_atomicity(&c->property, m, first, remote, second);
        judge(c,
              locks_exclude_between(m, first, second, remote) || causality_must(c->causality, remote, first) ||
                  causality_must(c->causality, second, remote),
              tuples_contain(&c->sets.of[ORACLE_ATOMICITY], &triple), first, remote, second);
    }
}

static void judge_atomicity(struct comparison *c)
{
    const struct model *m = c->m;
    struct blocks *blocks = blocks_new(m, c->atomic_locks);

    for (event_id a = 1; a <= m->event_count; a++)
        for (event_id b = a + 1; b <= m->event_count; b++)
            if (kind_accesses(kind_of(m, a)) && kind_accesses(kind_of(m, b)) && arg_of(m, a) == arg_of(m, b) &&
                thread_of(m, a) == thread_of(m, b) && m->position[b] < blocks_end(blocks, m, a))
                judge_triple(c, a, b);
    blocks_free(blocks, m);
}

static bool is_wrong(const struct trace *t, void *context)
{
    struct comparison *c = context;
    struct model m;
    struct error err;

    c->wrong = false;
    c->labels = 0;
    assert_int_equal(model_build_plain(&m, t, &err), HEDDLE_OK);
    c->m = &m;
    c->causality = causality_new(&m);
    property_init(&c->property, &m);
    oracle_compute(
        t,
        (struct oracle_options){.atomic_locks = c->atomic_locks, .values_ignore = true, .grounds_ignore = true},
        &c->sets);
    judge_races(c);
    judge_atomicity(c);
    oracle_sets_free(&c->sets);
    property_free(&c->property);
    causality_free(c->causality);
    model_free(&m);
    return c->wrong;
}

static void causality_graphs_are_sound(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);
    struct comparison c = {0};

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &shapes[(seed + i) % shapes_count];
        struct trace t;

        random_trace(&t, seed + i, shape);
        c.atomic_locks = (seed + i) / shapes_count % 2;
        if (trace_is_plain(&t) && is_wrong(&t, &c)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s%s\n", seed + i, shape->name,
                    c.atomic_locks ? " --atomic=locks" : "");
            shrink_trace(&t, is_wrong, &c);
            trace_print_std(stderr, &t);
            c.out = stderr;
            is_wrong(&t, &c);
            fail();
        }
        trace_free(&t);
    }
    if (count >= TRACES) { /* the traces are of all kinds */
        assert_true(c.kept > 0 && c.refuted > 0);
        assert_true(c.chopped > 0 && c.only_together > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(causality_graphs_are_sound)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
