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

static void check_native(const struct trace *trace)
{
    struct htr_writer *writer;
    struct trace again;
    struct error err;
    unsigned features = trace->value ? HTR_FEATURES : HTR_NAMES | HTR_LOCATIONS;

    DEMAND(htr_create(&writer, own_file(), features, trace->names, &err) == HEDDLE_OK);
    if (trace->stacks)
        htr_stacks(writer, trace->stacks);
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        htr_stack(writer, trace_stack(trace, number));
        htr_append(writer, &e);
    }
    htr_origin(writer, &trace->origin);
    DEMAND(htr_close(writer, &err) == HEDDLE_OK);
    DEMAND(trace_load(&again, own_file(), &err) == HEDDLE_OK);
    DEMAND(!again.note);
    same_events(trace, &again);
    same_stacks(trace, &again);
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
