/* Exports of random traces and of the runs that show their findings: values, order, and text that loads.
 *
 * HEDDLE_SEED chooses the first seed, HEDDLE_TRACES how many traces; a failure prints its seed and a shrunken
 * trace. */
#include "base/memory.h"
#include "export/run_order.h"
#include "property/check.h"
#include "random/generate.h"
#include "random/print.h"
#include "random/shrink.h"
#include "random/wanted.h"
#include "support/traces.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TRACES = 300, TRACES_LONG = 10000 };

static bool same_value(struct value a, struct value b)
{
    return a.tag == b.tag && (a.tag == VALUE_NONE || a.number == b.number);
}

/* The values of the export, made in one walk, are those that reports work out one by one. */
static const char *check_values(const struct exported *x)
{
    for (uint32_t position = 1; position <= x->run.prefix + x->run.tail_count; position++) {
        event_id e = exported_event(x, position);
        if (!same_value(exported_value(x, position), value_of_step(&x->values, &x->run, e)))
            return "a value differs from the report's";
    }
    return NULL;
}

/* Whether one of the rules, taken by itself, puts the event at position a before the one at b. */
static bool directly_before(const struct exported *x, uint32_t a, uint32_t b)
{
    const struct model *m = x->model;
    event_id first = exported_event(x, a), second = exported_event(x, b);
    struct event_span required = model_required(m, second);
    enum event_kind one = kind_of(m, first), other = kind_of(m, second);
    bool gives = one == EVENT_RELEASE || one == EVENT_SHARED_RELEASE;
    bool takes = other == EVENT_ACQUIRE || other == EVENT_SHARED_ACQUIRE;

    if (thread_of(m, first) == thread_of(m, second))
        return true;
    for (size_t i = 0; i < required.count; i++)
        if (required.events[i] == first)
            return true;
    bool writes = kind_writes(one) && kind_reads(other) && arg_of(m, first) == arg_of(m, second);
    bool hands = gives && takes && arg_of(m, first) == arg_of(m, second);
    for (uint32_t between = a + 1; between < b; between++) {
        event_id e = exported_event(x, between);
        enum event_kind kind = kind_of(m, e);
        if (kind_writes(kind) && arg_of(m, e) == arg_of(m, first))
            writes = false; /* not the last write before the read */
        if ((kind == EVENT_RELEASE || kind == EVENT_SHARED_RELEASE) && arg_of(m, e) == arg_of(m, first))
            hands = false;
    }
    return writes || hands;
}

/* The clocks are the closure of the rules. */
static const char *check_order(const struct exported *x)
{
    struct run_order order;
    struct error err;
    uint32_t n = x->length;
    bool *before = memory_new((size_t)n * n + 1, sizeof *before), right = true;

    if (run_order_build(&order, x, &err) != HEDDLE_OK)
        return err.text[0] ? "the order was refused" : "";
    for (uint32_t b = 1; b <= n; b++)
        for (uint32_t a = b - 1; a >= 1; a--) {
            bool *cell = &before[(size_t)(a - 1) * n + b - 1];
            *cell = directly_before(x, a, b);
            for (uint32_t c = a + 1; c < b && !*cell; c++)
                *cell = before[(size_t)(a - 1) * n + c - 1] && before[(size_t)(c - 1) * n + b - 1];
        }
    for (uint32_t a = 1; a <= n && right; a++)
        for (uint32_t b = a + 1; b <= n && right; b++)
            right = run_order_before(&order, a, b) == before[(size_t)(a - 1) * n + b - 1];
    run_order_free(&order);
    free(before);
    return right ? NULL : "the order is not the closure of the rules";
}

/* As text it is a possible trace of the same events, in which each read has the value of its write. */
static const char *check_text(const struct exported *x)
{
    const char *path = scratch("run.std");
    struct output *out;
    struct trace run;
    struct error err;
    const char *wrong = NULL;

    if (output_open(&out, path, &err) != HEDDLE_OK || export_std(x, out, &err) != HEDDLE_OK ||
        output_close(out, &err) != HEDDLE_OK)
        return "it was not written";
    if (trace_load(&run, path, &err) != HEDDLE_OK)
        return "it does not load";
    uint32_t at = 0;
    for (uint32_t e = 1; e <= x->length && !wrong; e++) {
        event_op op = x->trace->op[exported_event(x, e)];
        if (at < run.count && run.op[at + 1] == op)
            at++;
        else if (op_kind(op) != EVENT_TRY_FAIL) /* which may be left out */
            wrong = "an event is missing";
    }
    if (at != run.count)
        wrong = "there are other events";
    struct values values;
    values_init(&values, &run);
    for (uint32_t e = 1; e <= run.count && !wrong && run.value_tag; e++) {
        bool reads = kind_reads(trace_kind(&run, e)) && !kind_updates(trace_kind(&run, e));
        uint32_t source = values.source[e];
        if (reads && source && run.value_tag[e] != VALUE_NONE && run.value_tag[source] != VALUE_NONE &&
            run.value[e] != run.value[source])
            wrong = "a read has another value than its write";
    }
    values_free(&values);
    trace_free(&run);
    return wrong;
}

/* None must fail on anything, but a model of CSP where there is no variable to race on. */
static const char *check_format(const struct exported *x, const struct export_format *format)
{
    struct output *out;
    struct error err, closing;
    enum status status;

    if (output_open(&out, "/dev/null", &err) != HEDDLE_OK)
        return "/dev/null";
    status = format->write(x, out, &err);
    if (output_close(out, &closing) != HEDDLE_OK)
        return "/dev/null";
    if (status == HEDDLE_BAD_USAGE && strcmp(format->name, "cspm") == 0 && x->model->variable_count == 0)
        return NULL;
    return status == HEDDLE_OK ? NULL : format->name;
}

static const char *check_run(const struct model *m, const struct finding *f)
{
    struct exported x;
    const char *wrong;

    exported_init(&x, m, f);
    wrong = check_values(&x);
    wrong = wrong ? wrong : check_order(&x);
    wrong = wrong ? wrong : check_text(&x);
    for (const struct export_format *format = export_formats; format->name && !wrong; format++)
        wrong = check_format(&x, format);
    exported_free(&x);
    return wrong;
}

/* What is wrong with the exports of the trace, or NULL. */
static const char *problem(const struct trace *t)
{
    static const stop_flag never;
    struct check_options options = {.atomic_locks = true, .predict = true, .budget = 10000, .workers = 1};
    struct results results = {0};
    struct model m;
    struct error err;
    const char *wrong;

    for (int p = 0; p < PROPERTIES; p++)
        options.properties[p] = true;
    if (model_build(&m, t, &err) != HEDDLE_OK)
        return "no model";
    check_trace(&m, &options, &never, &results);
    wrong = check_run(&m, NULL);
    for (size_t i = 0; i < results.found.findings_count && i < 20 && !wrong; i++)
        wrong = check_run(&m, &results.found.findings[i]);
    finding_list_free(&results.found);
    finding_list_free(&results.undecided);
    model_free(&m);
    return wrong;
}

static bool fails(const struct trace *t, void *context)
{
    (void)context;
    return problem(t) != NULL;
}

static void exports_are_right(void **state)
{
    uint64_t first = wanted_seed();
    uint64_t count = wanted_traces(TRACES, TRACES_LONG);

    (void)state;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct trace t;
        random_trace(&t, seed, &shapes[seed % shapes_count]);
        if (fails(&t, NULL)) {
            shrink_trace(&t, fails, NULL);
            trace_print_std(stderr, &t);
            fail_msg("seed %" PRIu64 ": %s", seed, problem(&t));
        }
        trace_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(exports_are_right)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
