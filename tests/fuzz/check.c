/* What every input of a reader must satisfy. */
#include "fuzz/check.h"
#include "model/model.h"
#include "trace/counts.h"
#include "trace/htr.h"
#include "trace/std.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEMAND(condition)                                                                                      \
    do {                                                                                                       \
        if (!(condition)) {                                                                                    \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                            \
            abort();                                                                                           \
        }                                                                                                      \
    } while (0)

/* A file without a name that can be written by path and read by path. */
static const char *own_file(void)
{
    static char path[64];

    if (!*path) {
        FILE *file = tmpfile();
        DEMAND(file);
        snprintf(path, sizeof path, "/proc/self/fd/%d", fileno(file));
    }
    return path;
}

static void same_events(const struct trace *a, const struct trace *b)
{
    DEMAND(a->count == b->count);
    for (size_t number = 1; number <= a->count; number++) {
        struct event x = trace_event(a, number), y = trace_event(b, number);
        DEMAND(x.op == y.op && x.thread == y.thread && x.arg == y.arg && x.value_tag == y.value_tag);
        DEMAND(x.value == y.value && x.location == y.location);
    }
    for (int class = 0; class < NAME_CLASSES; class ++) {
        size_t both =
            trace_names(a, class) < trace_names(b, class) ? trace_names(a, class) : trace_names(b, class);
        for (size_t id = 0; id < both; id++)
            DEMAND(strcmp(trace_name(a, class, (uint32_t)id), trace_name(b, class, (uint32_t)id)) == 0);
    }
}

static void same_stacks(const struct trace *a, const struct trace *b)
{
    for (size_t number = 1; number <= a->count; number++) {
        stack_id x = trace_stack(a, number), y = trace_stack(b, number);
        for (; x && y; x = stack_rest(a->stacks, x), y = stack_rest(b->stacks, y))
            DEMAND(strcmp(stack_place(a->stacks, x), stack_place(b->stacks, y)) == 0);
        DEMAND(x == y);
    }
}

static void same_list(const struct ground_list *a, const struct ground_list *b)
{
    DEMAND(a->given == b->given && a->count == b->count);
    for (uint32_t i = 0; i < a->count; i++) {
        struct ground x = ground_at(a, i), y = ground_at(b, i);
        DEMAND(x.read == y.read && x.form == y.form && x.offset == y.offset && x.range_count == y.range_count);
        for (uint32_t k = 0; k < x.range_count; k++)
            DEMAND(x.ranges[k].low == y.ranges[k].low && x.ranges[k].high == y.ranges[k].high);
    }
}

static void same_grounds(const struct trace *a, const struct trace *b)
{
    DEMAND(trace_has_grounds(a) == trace_has_grounds(b));
    for (uint32_t number = 1; number <= a->count; number++) {
        struct ground_list x[] = {trace_by(a, number), trace_from(a, number)};
        struct ground_list y[] = {trace_by(b, number), trace_from(b, number)};
        same_list(&x[0], &y[0]);
        same_list(&x[1], &y[1]);
    }
    for (variable_id x = 0; x < trace_names(b, NAME_VARIABLE); x++)
        DEMAND(trace_variable_type(a, x) == trace_variable_type(b, x));
}

static void same_ends(const struct trace_end *a, const struct trace_end *b)
{
    DEMAND(a->outcome == b->outcome && a->number == b->number && !a->text == !b->text);
    DEMAND(!a->text || strcmp(a->text, b->text) == 0);
    DEMAND(a->waiters_count == b->waiters_count && a->incomplete_count == b->incomplete_count);
    for (size_t i = 0; i < a->waiters_count; i++)
        DEMAND(strcmp(a->waiters[i].thread, b->waiters[i].thread) == 0 &&
               strcmp(a->waiters[i].what, b->waiters[i].what) == 0 &&
               strcmp(a->waiters[i].place, b->waiters[i].place) == 0 &&
               strcmp(a->waiters[i].holder, b->waiters[i].holder) == 0);
    for (size_t i = 0; i < a->incomplete_count; i++)
        DEMAND(strcmp(a->incomplete[i], b->incomplete[i]) == 0);
}

static void check_native(const struct trace *trace)
{
    struct htr_writer *writer;
    struct trace again;
    struct error err;
    unsigned features = HTR_NAMES | HTR_LOCATIONS;

    features |= trace->value ? HTR_VALUES : 0;
    features |= trace_has_grounds(trace) ? HTR_GROUNDS | HTR_DIFFERENCES : 0;

    DEMAND(htr_create(&writer, own_file(), features, trace->names, &err) == HEDDLE_OK);
    if (trace->stacks)
        htr_stacks(writer, trace->stacks);
    if (features & HTR_GROUNDS)
        htr_grounds(writer, trace->ground_pool);
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        htr_stack(writer, trace_stack(trace, number));
        htr_append(writer, &e);
    }
    htr_types(writer, trace->variable_type, trace->variable_types);
    htr_ending(writer, &trace->end);
    htr_origin(writer, &trace->origin);
    DEMAND(htr_close(writer, &err) == HEDDLE_OK);
    DEMAND(trace_load(&again, own_file(), &err) == HEDDLE_OK);
    DEMAND(!again.note);
    same_events(trace, &again);
    same_stacks(trace, &again);
    same_grounds(trace, &again);
    same_ends(&trace->end, &again.end);
    trace_free(&again);
}

/* Text has ids in order of appearance, so numbers may differ after a native file: count and kinds may not. */
static void check_text(const struct trace *trace)
{
    struct output *out;
    struct trace again;
    struct error err;

    DEMAND(output_open(&out, own_file(), &err) == HEDDLE_OK);
    std_write(trace, out);
    DEMAND(output_close(out, &err) == HEDDLE_OK);
    DEMAND(trace_load(&again, own_file(), &err) == HEDDLE_OK);
    DEMAND(again.count == trace->count);
    if (trace->count > 0)
        DEMAND(memcmp(again.op, trace->op, (trace->count + 1) * sizeof *trace->op) == 0);
    trace_free(&again);
}

void check_input(const uint8_t *bytes, size_t length)
{
    struct trace trace;
    struct trace_counts counts;
    struct model m;
    struct error err = {.text = ""};

    if (trace_parse(&trace, "input", (const char *)bytes, length, &err) != HEDDLE_OK) {
        DEMAND(*err.text && trace.count == 0);
        trace_free(&trace);
        return;
    }
    trace_count(&trace, &counts);
    check_native(&trace);
    check_text(&trace);
    if (trace.count < 5000 && trace_names(&trace, NAME_THREAD) < 500) {
        DEMAND(model_build(&m, &trace, &err) == HEDDLE_OK);
        model_free(&m);
    }
    trace_free(&trace);
}
