/* Blocks of many threads: what the direct construction is too slow for. The pass without a graph must agree
 * with the graph, and the certifier with every cycle; there are more threads than bits in a word, and blocks
 * that last.
 *
 * HEDDLE_SEED chooses the first seed; a failure prints it. */
#include "certify/certify.h"
#include "property/cycles.h"
#include "property/serial.h"
#include "random/generate.h"
#include "random/wanted.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

enum { THREADS = 150, EVENTS = 15000, TRACES = 150 };

static const stop_flag never;

static void add(struct trace *t, unsigned thread, enum event_kind kind, const char *prefix, unsigned number)
{
    enum name_class class = kind_argument(kind);
    struct event e = {.op = op_make(kind, ORDER_NONE), .arg = ARG_NONE, .location = NAME_NONE};
    char text[32];
    int length = snprintf(text, sizeof text, "T%u", thread);

    e.thread = names_add(&t->names[NAME_THREAD], text, (size_t)length);
    if (class != NAME_BLOCK) {
        length = snprintf(text, sizeof text, "%s%u", prefix, number);
        e.arg = names_add(&t->names[class], text, (size_t)length);
    }
    trace_append(t, &e);
}

/* Threads open and close blocks and touch variables: mostly their own, which keeps cycles rare. */
static void make_trace(struct trace *t, uint64_t seed)
{
    uint64_t random = seed;
    unsigned depth[THREADS] = {0}, sharing = 1 + random_below(&random, 60);
    unsigned threads = 2 + random_below(&random, THREADS - 1);

    trace_init(t);
    for (unsigned i = 0; i < EVENTS; i++) {
        unsigned thread = random_below(&random, threads), what = random_below(&random, 100);
        bool deterministic = seed % 2 == 0, writes = random_below(&random, 3) == 0;
        if (what < 10 && depth[thread] == 0) {
            add(t, thread, deterministic ? EVENT_DET_BEGIN : EVENT_BEGIN, "", 0);
            depth[thread]++;
        } else if (what < (thread % 7 == 0 ? 11 : 14) && depth[thread] > 0) { /* some hardly ever end */
            add(t, thread, deterministic ? EVENT_DET_END : EVENT_END, "", 0);
            depth[thread]--;
        } else if (random_below(&random, 1000) < sharing) {
            add(t, thread, writes ? EVENT_WRITE : EVENT_READ, "shared", random_below(&random, 12));
        } else {
            add(t, thread, writes ? EVENT_WRITE : EVENT_READ, "own", thread);
        }
    }
}

static size_t check_blocks(const struct trace *t, enum property property, enum event_kind begin, uint64_t seed)
{
    struct certify_index *index = certify_index_new(t);
    struct certifier *certifier = certifier_new(index);
    struct model m;
    struct error err;
    uint64_t blocks;

    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    bool violated = serial_violation(&m, begin, &never, &blocks) != EVENT_NONE;
    struct cycles *c = cycles_new(&m, begin, &never);
    size_t count = cycles_blocks(c).count;
    if (violated != (count > 0)) {
        fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " %s: the pass finds %s cycle, the graph %zu blocks on cycles\n",
                seed, kind_word(begin), violated ? "a" : "no", count);
        fail();
    }
    for (size_t i = 0; i < count; i++) {
        struct cycle cycle = cycles_through(c, cycles_blocks(c).events[i]);
        struct finding f = {.property = property,
                            .event_count = 3 * cycle.length,
                            .events = (uint32_t *)(uintptr_t)cycle.transactions};
        if (!certifier_observed(certifier, &f, &err)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 ": %s\n", seed, err.text);
            fail();
        }
    }
    cycles_free(c);
    model_free(&m);
    certifier_free(certifier);
    certify_index_free(index);
    return count;
}

static void pass_equals_graph(void **state)
{
    uint64_t seed = wanted_seed();
    size_t with = 0, without = 0;

    (void)state;
    for (uint64_t i = 0; i < TRACES; i++) {
        struct trace t;
        make_trace(&t, seed + i);
        size_t count = check_blocks(&t, PROPERTY_DETERMINISM, EVENT_DET_BEGIN, seed + i) +
                       check_blocks(&t, PROPERTY_SERIALIZABILITY, EVENT_BEGIN, seed + i);
        with += count > 0;
        without += count == 0;
        trace_free(&t);
    }
    assert_true(with > TRACES / 20 && without > TRACES / 20); /* or the traces tell nothing */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pass_equals_graph)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
