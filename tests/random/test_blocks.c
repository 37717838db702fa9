/* Determinism and serializability against the direct construction: on random traces with blocks, `--all` has
 * exactly the conflicts of the definition, a cycle for exactly the blocks that are on one, and none is longer
 * than it must be.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "certify/happens_before.h"
#include "property/check.h"
#include "property/serial.h"
#include "random/generate.h"
#include "random/oracle_blocks.h"
#include "random/plain.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"
#include "report/group.h"
#include "report/report.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { TRACES = 30000, TRACES_LONG = 600000, PREDICTED = 4000, PREDICTED_LONG = 100000 };

/* clang-format off */
static const struct shape block_shapes[] = {
    {
        .name = "team",
        .min_events = 8, .max_events = 30, .min_threads = 2, .max_threads = 5,
        .variables = 3, .locks = 2, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 5,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_ATOMIC] = 1, [GROUP_LOCK] = 2, [GROUP_THREAD] = 6, [GROUP_BLOCK] = 2,
                   [GROUP_DET_BLOCK] = 4},
        .idle = 20,
    },
    {
        .name = "pair",
        .min_events = 5, .max_events = 12, .min_threads = 2, .max_threads = 2,
        .variables = 3, .locks = 1, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 3,
        .weight = {[GROUP_PLAIN] = 10, [GROUP_LOCK] = 1, [GROUP_BLOCK] = 2, [GROUP_DET_BLOCK] = 2},
    },
    {
        .name = "handover",
        .min_events = 8, .max_events = 36, .min_threads = 2, .max_threads = 5,
        .variables = 2, .locks = 2, .conditions = 1, .barriers = 2, .semaphores = 2, .locations = 5,
        .weight = {[GROUP_PLAIN] = 8, [GROUP_LOCK] = 1, [GROUP_SHARED] = 1, [GROUP_TRY] = 1, [GROUP_THREAD] = 5,
                   [GROUP_CONDITION] = 3, [GROUP_BARRIER] = 4, [GROUP_SEMAPHORE] = 5, [GROUP_BLOCK] = 2,
                   [GROUP_DET_BLOCK] = 3},
        .odd = 4,
        .idle = 5,
    },
    {
        .name = "rounds",
        .min_events = 10, .max_events = 45, .min_threads = 2, .max_threads = 4,
        .variables = 5, .locks = 3, .conditions = 1, .barriers = 1, .semaphores = 1, .locations = 5,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_LOCK] = 4, [GROUP_SHARED] = 3, [GROUP_TRY] = 1, [GROUP_BLOCK] = 4,
                   [GROUP_DET_BLOCK] = 4},
        .odd = 2,
    },
    {
        .name = "any",
        .min_events = 6, .max_events = 40, .min_threads = 2, .max_threads = 6,
        .variables = 4, .locks = 2, .conditions = 2, .barriers = 1, .semaphores = 1, .locations = 6,
        .weight = {[GROUP_PLAIN] = 12, [GROUP_ATOMIC] = 3, [GROUP_FENCE] = 1, [GROUP_LOCK] = 3,
                   [GROUP_SHARED] = 2, [GROUP_TRY] = 1, [GROUP_THREAD] = 5, [GROUP_CONDITION] = 2,
                   [GROUP_BARRIER] = 2, [GROUP_SEMAPHORE] = 2, [GROUP_BLOCK] = 3, [GROUP_DET_BLOCK] = 4},
        .odd = 5,
    },
};
/* clang-format on */

enum { BLOCK_SHAPES = sizeof block_shapes / sizeof *block_shapes };

static FILE *nowhere;

static void run_check(const struct trace *t, bool all, bool predict, struct results *results)
{
    struct check_options options = {.all = all, .predict = predict, .budget = 1000000, .workers = 1};
    stop_flag stop = false;
    struct model m;
    struct error err;

    options.properties[PROPERTY_DETERMINISM] = options.properties[PROPERTY_SERIALIZABILITY] = true;
    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    check_trace(&m, &options, &stop, results);
    group_findings(results, t);
    model_free(&m);
}

static bool cycle_is_right(FILE *out, const struct trace *t, const struct block_oracle *o,
                           const struct finding *f, enum event_kind begin)
{
    uint32_t length = f->event_count / 3;
    const uint32_t *edge = f->events + length;
    bool shortest = false;

    for (uint32_t i = 0; i < length; i++, edge += 2) {
        size_t here = f->events[i], next = f->events[(i + 1) % length];
        if (block_oracle_node(o, here) != here || here == next || block_oracle_node(o, edge[0]) != here ||
            block_oracle_node(o, edge[1]) != next || edge[0] >= edge[1] ||
            !block_oracle_conflict(o, edge[0], edge[1])) {
            fprintf(out, "a cycle has the edge %u, %u from %zu to %zu\n", edge[0], edge[1], here, next);
            return false;
        }
        shortest |= trace_kind(t, here) == begin && block_oracle_cycle(o, here) == length;
    }
    if (!shortest)
        fprintf(out, "a cycle of %u through %u is not the shortest for any of its blocks\n", length,
                f->events[0]);
    return shortest && length * 3 == f->event_count;
}

/* Whether a block has a cycle that is shortest for it, if it is on one at all. */
static bool block_is_told(FILE *out, const struct block_oracle *o, const struct finding_list *found,
                          enum property property, size_t block)
{
    size_t length = block_oracle_cycle(o, block);

    if (length == 0)
        return true;
    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        if (f->property != property || f->event_count != 3 * length || length < 2)
            continue;
        for (uint32_t k = 0; k < length; k++)
            if (f->events[k] == block)
                return true;
    }
    fprintf(out, "no %s cycle of %zu blocks through %zu\n", property_title(property), length, block);
    return false;
}

/* The pass without a graph says the same as the graph. */
static bool pass_is_right(FILE *out, const struct trace *t, enum event_kind begin)
{
    static const stop_flag never;
    struct block_oracle *o = block_oracle_new(t, begin);
    bool cycle = false, violated;
    uint64_t blocks;
    struct model m;
    struct error err;

    assert_int_equal(model_build(&m, t, &err), HEDDLE_OK);
    violated = serial_violation(&m, begin, &never, &blocks) != EVENT_NONE;
    model_free(&m);
    for (size_t e = 1; e <= t->count; e++)
        cycle |= block_oracle_node(o, e) == e && block_oracle_cycle(o, e) > 0;
    block_oracle_free(o);
    if (cycle != violated)
        fprintf(out, "%s: the pass finds %s\n", kind_word(begin),
                violated ? "a cycle that is none" : "no cycle");
    return cycle == violated;
}

/* The certifier accepts every finding, and of all pairs in a block exactly the conflicts. */
static bool certifier_is_right(FILE *out, const struct trace *t, const struct finding_list *found)
{
    struct block_oracle *o = block_oracle_new(t, EVENT_DET_BEGIN);
    struct certify_index *index = certify_index_new(t);
    struct certifier *c = certifier_new(index);
    struct tuple_set expected = {0}, accepted = {0};
    struct error why = {0};
    bool right = true;

    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        if (!finding_is_conflict(f) && !certifier_observed(c, f, &why)) {
            fprintf(out, "a cycle through %u is rejected: %s\n", f->events[0], why.text);
            right = false;
        }
    }
    block_oracle_conflicts(o, &expected);
    for (uint32_t b = 1; b <= t->count; b++) {
        for (uint32_t a = 1; a < b; a++) {
            uint32_t events[] = {(uint32_t)block_oracle_node(o, a), a, b};
            struct finding f = {.property = PROPERTY_DETERMINISM, .event_count = 3, .events = events};
            struct order_query query = {.first = a, .second = b};
            if (!certifier_block_conflict(c, &f, NULL))
                continue;
            order_answer_deterministic(index, &query, 1);
            if (!query.ordered)
                tuples_add3(&accepted, events[0], a, b);
        }
    }
    if (!tuples_equal(&expected, &accepted)) {
        tuples_print_difference(out, &expected, "oracle", &accepted, "certifier");
        right = false;
    }
    tuples_free(&expected);
    tuples_free(&accepted);
    certifier_free(c);
    certify_index_free(index);
    block_oracle_free(o);
    return right;
}

static bool property_is_right(FILE *out, const struct trace *t, const struct finding_list *found,
                              enum property property, enum event_kind begin)
{
    struct tuple_set expected = {0}, told = {0};
    struct block_oracle *o = block_oracle_new(t, begin);
    bool right = true;

    if (property == PROPERTY_DETERMINISM)
        block_oracle_conflicts(o, &expected);
    for (size_t i = 0; i < found->findings_count; i++) {
        const struct finding *f = &found->findings[i];
        if (f->property != property)
            continue;
        if (f->event_count == 3)
            tuples_add3(&told, f->events[0], f->events[1], f->events[2]);
        else
            right &= cycle_is_right(out, t, o, f, begin);
    }
    for (size_t e = 1; e <= t->count; e++)
        if (trace_kind(t, e) == begin && block_oracle_node(o, e) == e)
            right &= block_is_told(out, o, found, property, e);
    if (!tuples_equal(&expected, &told)) {
        tuples_print_difference(out, &expected, "oracle", &told, "engine");
        right = false;
    }
    tuples_free(&expected);
    tuples_free(&told);
    block_oracle_free(o);
    return right;
}

/* A grouped check has one finding for each group of the full one. */
static bool groups_are_right(FILE *out, const struct trace *t, const struct finding_list *all)
{
    uint32_t groups[PROPERTIES] = {0}, found[PROPERTIES] = {0};
    struct results results = {.method = "exact"};
    bool right = true;

    run_check(t, false, false, &results);
    for (size_t i = 0; i < all->findings_count; i++)
        if (all->findings[i].group > groups[all->findings[i].property])
            groups[all->findings[i].property] = all->findings[i].group;
    for (size_t i = 0; i < results.found.findings_count; i++)
        found[results.found.findings[i].property]++;
    for (int p = PROPERTY_DETERMINISM; p <= PROPERTY_SERIALIZABILITY; p++) {
        if (groups[p] != found[p])
            fprintf(out, "%s: %u groups, but %u findings in a grouped check\n", property_title(p), groups[p],
                    found[p]);
        right &= groups[p] == found[p];
    }
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    return right;
}

static bool is_right(FILE *out, const struct trace *t)
{
    struct results results = {.method = "exact"};
    bool right;

    if (!pass_is_right(out, t, EVENT_DET_BEGIN) || !pass_is_right(out, t, EVENT_BEGIN))
        return false;
    run_check(t, true, false, &results);
    right = property_is_right(out, t, &results.found, PROPERTY_DETERMINISM, EVENT_DET_BEGIN);
    right &= property_is_right(out, t, &results.found, PROPERTY_SERIALIZABILITY, EVENT_BEGIN);
    right &= groups_are_right(out, t, &results.found);
    right &= certifier_is_right(out, t, &results.found);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    return right;
}

static bool differs(const struct trace *t, void *context)
{
    (void)context;
    return !is_right(nowhere, t);
}

/* A shortened form of what prediction finds: the blocks that another run interferes with. */
static bool prediction_is_right(FILE *out, const struct trace *t, const struct finding_list *found,
                                enum property property, enum event_kind begin)
{
    struct block_oracle *o = block_oracle_new(t, begin);
    bool right = true;

    for (size_t e = 1; e <= t->count; e++) {
        bool told = false;
        if (trace_kind(t, e) != begin || block_oracle_node(o, e) != e || block_oracle_cycle(o, e) > 0)
            continue;
        for (size_t i = 0; i < found->findings_count; i++) {
            const struct finding *f = &found->findings[i];
            told |=
                f->property == property && finding_has_schedule(f) && (f->events[0] == e || f->events[1] == e);
        }
        if (told != block_oracle_predicted(o, e)) {
            fprintf(out, "%s: block %zu is%s predicted to be interfered with\n", property_title(property), e,
                    told ? "" : " not");
            right = false;
        }
    }
    block_oracle_free(o);
    return right;
}

static bool predicts(FILE *out, const struct trace *t)
{
    struct results results = {.method = "exact"};
    bool right;

    run_check(t, true, true, &results);
    right = prediction_is_right(out, t, &results.found, PROPERTY_DETERMINISM, EVENT_DET_BEGIN);
    right &= prediction_is_right(out, t, &results.found, PROPERTY_SERIALIZABILITY, EVENT_BEGIN);
    right &= results.undecided.findings_count == 0;
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    return right;
}

static bool mispredicts(const struct trace *t, void *context)
{
    (void)context;
    return !predicts(nowhere, t);
}

static void blocks_equal_oracle(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    nowhere = fopen("/dev/null", "w");
    for (uint64_t i = 0; i < count; i++) {
        const struct shape *shape = &block_shapes[(seed + i) % BLOCK_SHAPES];
        struct trace t;

        random_trace(&t, seed + i, shape);
        if (differs(&t, NULL)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s\n", seed + i, shape->name);
            shrink_trace(&t, differs, NULL);
            trace_print_std(stderr, &t);
            is_right(stderr, &t);
            fail();
        }
        trace_free(&t);
    }
    fclose(nowhere);
}

/* Every feasible run is looked at: the traces are short. */
static void predictions_equal_oracle(void **state)
{
    uint64_t seed = wanted_seed();
    uint64_t count = wanted_traces(PREDICTED, PREDICTED_LONG);

    (void)state;
    nowhere = fopen("/dev/null", "w");
    for (uint64_t i = 0; i < count; i++) {
        struct shape shape = block_shapes[(seed + i) % BLOCK_SHAPES];
        struct trace t;

        shape.max_events = shape.max_events < 18 ? shape.max_events : 18;
        random_trace(&t, seed + i, &shape);
        if (mispredicts(&t, NULL)) {
            fprintf(stderr, "HEDDLE_SEED=%" PRIu64 " HEDDLE_TRACES=1 shape %s\n", seed + i, shape.name);
            shrink_trace(&t, mispredicts, NULL);
            trace_print_std(stderr, &t);
            predicts(stderr, &t);
            fail();
        }
        trace_free(&t);
    }
    fclose(nowhere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_equal_oracle),
                                       cmocka_unit_test(predictions_equal_oracle)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
