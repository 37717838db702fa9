/* The graph method, incremental against plain: on random traces, every witness has the same outcome. And what
 * it accepts leaves an order for all critical sections: the choices it looks at are enough.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "base/memory.h"
#include "method/graph/incremental.h"
#include "method/graph/plain.h"
#include "method/graph/section_order.h"
#include "random/generate.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

enum { TRACES = 20000, TRACES_LONG = 1000000, GRAPHS = 64 };

struct comparison {
    struct plain *plain;
    struct lock_search *locks;
    FILE *out; /* NULL: only find out whether they differ */
    bool differs;
    uint64_t outcomes[WITNESS_UNDECIDED + 1];
};

static void compare(void *context, const struct witness *w, const struct witness_outcome *incremental)
{
    struct comparison *c = context;
    struct witness_outcome plain = plain_decide(c->plain, w);

    c->outcomes[plain.verdict]++;
    if ((plain.verdict == WITNESS_FREE || plain.verdict == WITNESS_FEASIBLE) &&
        lock_search_order(c->locks, w, false, 100000) != LOCKS_ORDERED) {
        c->differs = true;
        if (c->out)
            fprintf(c->out, "%s of write %u, read %u, challenger %u: no order of all sections\n",
                    witness_word(w->kind), w->write, w->read, w->challenger);
    }
    if (plain.verdict == incremental->verdict && plain.choices == incremental->choices &&
        plain.explored == incremental->explored)
        return;
    c->differs = true;
    if (c->out)
        fprintf(c->out,
                "%s of write %u, read %u, challenger %u: plain %d, %u, %" PRIu64
                "; incremental %d, %u, %" PRIu64 "\n",
                witness_word(w->kind), w->write, w->read, w->challenger, (int)plain.verdict, plain.choices,
                plain.explored, (int)incremental->verdict, incremental->choices, incremental->explored);
}

static void compare_reads(const struct model *m, struct comparison *c)
{
    struct incremental *incremental = incremental_new(m, GRAPHS);
    event_id *challengers = memory_new((size_t)m->event_count + 1, sizeof *challengers);

    c->plain = plain_new(m, NULL, GRAPHS);
    c->locks = lock_search_new(m);
    for (event_id r = 1; r <= m->event_count; r++) {
        size_t count = 0;
        for (event_id e = 0; e <= m->event_count && m->source[r] != EVENT_NONE; e++)
            if (e != r && e != m->source[r] &&
                (e == EVENT_INIT || (kind_writes(kind_of(m, e)) && arg_of(m, e) == arg_of(m, r))))
                challengers[count++] = e;
        if (m->source[r] != EVENT_NONE)
            incremental_decide(incremental, r, challengers, count, compare, c);
    }
    plain_free(c->plain);
    lock_search_free(c->locks);
    incremental_free(incremental);
    free(challengers);
}

static bool differs(const struct trace *t, void *context)
{
    struct comparison *c = context;
    struct model m;
    struct error err;

    c->differs = false;
    assert_int_equal(model_build_plain(&m, t, &err), HEDDLE_OK);
    compare_reads(&m, c);
    model_free(&m);
    return c->differs;
}

/* The shapes of all random tests, and two in which locks cross a lot. */
static const struct shape *shape_of(uint64_t i)
{
    static const struct shape crossing[] = {
        {.name = "crossing",
         .min_events = 12,
         .max_events = 40,
         .min_threads = 2,
         .max_threads = 4,
         .variables = 2,
         .locks = 3,
         .conditions = 1,
         .barriers = 1,
         .semaphores = 1,
         .locations = 3,
         .weight = {[GROUP_PLAIN] = 6, [GROUP_LOCK] = 8}},
        {.name = "crossing-shared",
         .min_events = 12,
         .max_events = 32,
         .min_threads = 3,
         .max_threads = 4,
         .variables = 1,
         .locks = 2,
         .conditions = 1,
         .barriers = 1,
         .semaphores = 1,
         .locations = 3,
         .weight = {[GROUP_PLAIN] = 4, [GROUP_LOCK] = 4, [GROUP_SHARED] = 4},
         .odd = 20},
    };
    uint64_t at = i % (shapes_count + 2);

    return at < shapes_count ? &shapes[at] : &crossing[at - shapes_count];
}

static void incremental_equals_plain(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);
    struct comparison c = {0};

    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = shape_of(seed + i);
        struct trace t;

        random_trace(&t, seed + i, shape);
        if (differs(&t, &c)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s\n", seed + i, shape->name);
            shrink_trace(&t, differs, &c);
            trace_print_std(stderr, &t);
            c.out = stderr;
            differs(&t, &c);
            fail();
        }
        trace_free(&t);
    }
    if (count >= TRACES) /* the traces are of all kinds */
        for (int v = 0; v < WITNESS_UNDECIDED; v++)
            assert_true(c.outcomes[v] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(incremental_equals_plain)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
