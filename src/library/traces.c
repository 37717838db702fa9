/* Traces as the library's users see them. */
#include "library/boundary.h"
#include "trace/limits.h"
#include "trace/save.h"
#include "trace/std.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct loading {
    const char *name, *bytes; /* bytes: NULL for a file */
    size_t length;
    const char *limits;
    struct heddle_trace *trace;
};

static struct heddle_trace *new_trace(const char *name)
{
    struct heddle_trace *trace = memory_new(1, sizeof *trace);

    trace->name = memory_text(name, strlen(name));
    trace->features = HTR_FEATURES;
    return trace;
}

static enum status load(void *context, struct error *err)
{
    struct loading *l = context;
    struct trace_limits limits = trace_limits_usual;
    enum status status;

    if (l->limits && trace_limits_parse(&limits, l->limits, err) != HEDDLE_OK)
        return err->status;
    l->trace = new_trace(l->name);
    status = l->bytes ? trace_parse(&l->trace->trace, l->name, l->bytes, l->length, err)
                      : trace_load_limited(&l->trace->trace, l->name, &limits, err);
    if (status != HEDDLE_OK)
        heddle_trace_free(l->trace);
    return status;
}

heddle_trace *heddle_trace_read_limited(const char *path, const char *limits, struct heddle_error *err)
{
    struct loading l = {.name = path, .limits = limits};

    return boundary_run(load, &l, err) ? l.trace : NULL;
}

heddle_trace *heddle_trace_read(const char *path, struct heddle_error *err)
{
    return heddle_trace_read_limited(path, NULL, err);
}

heddle_trace *heddle_trace_parse(const char *name, const char *bytes, size_t length, struct heddle_error *err)
{
    struct loading l = {.name = name, .bytes = bytes, .length = length};

    return boundary_run(load, &l, err) ? l.trace : NULL;
}

void heddle_trace_free(heddle_trace *trace)
{
    if (!trace)
        return;
    trace_free(&trace->trace);
    free(trace->name);
    free(trace);
}

size_t heddle_trace_events(const heddle_trace *trace)
{
    return trace->trace.count;
}

const char *heddle_trace_note(const heddle_trace *trace)
{
    return trace->trace.note;
}

/* Appends to `room`; NULL when it does not fit. */
static const char *put(char *room, size_t size, size_t *used, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static const char *put(char *room, size_t size, size_t *used, const char *format, ...)
{
    char *start = room + *used;
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(start, size - *used, format, list);
    va_end(list);
    if (length < 0 || (size_t)length >= size - *used)
        return NULL;
    *used += (size_t)length + 1;
    return start;
}

static bool put_value(const struct trace *trace, const struct event *e, char *room, size_t size, size_t *used,
                      const char **value)
{
    if (e->value_tag == VALUE_NONE)
        return true;
    if (e->value_tag == VALUE_NAME)
        *value = trace_name(trace, NAME_VALUE, (uint32_t)e->value);
    else if (e->value_tag == VALUE_NEGATIVE)
        *value = put(room, size, used, "%lld", (long long)e->value);
    else
        *value = put(room, size, used, "%llu", (unsigned long long)e->value);
    return *value != NULL;
}

bool heddle_trace_event(const heddle_trace *of, size_t number, struct heddle_event *event, char *room,
                        size_t size)
{
    const struct trace *trace = &of->trace;
    size_t used = 0, length;

    memset(event, 0, sizeof *event);
    if (number == 0 || number > trace->count)
        return false;
    struct event e = trace_event(trace, number);
    enum event_kind kind = op_kind(e.op);
    event->thread = trace_name(trace, NAME_THREAD, e.thread);
    event->op = put(room, size, &used, "%s%s", kind_word(kind), order_suffix(op_order(e.op)));
    if (e.arg != ARG_NONE)
        event->argument = trace_name(trace, kind_argument(kind), e.arg);
    if (e.location != NAME_NONE && *trace_name(trace, NAME_LOCATION, e.location))
        event->location = trace_name(trace, NAME_LOCATION, e.location);
    if (!event->op || !put_value(trace, &e, room, size, &used, &event->value))
        return false;
    length = std_grounds_text(trace, (uint32_t)number, room + used, size - used);
    event->grounds = length > 0 ? room + used : NULL;
    return length < size - used || length == 0;
}

struct heddle_builder {
    struct heddle_trace *trace;
    struct std_reader *reader;
    char *line;
    size_t line_capacity;
    bool failed;
};

static enum status build(void *context, struct error *err)
{
    struct heddle_builder **to = context, *b = memory_new(1, sizeof *b);

    (void)err;
    b->trace = new_trace("event");
    trace_init(&b->trace->trace);
    b->reader = std_reader_new(&b->trace->trace, "event");
    *to = b;
    return HEDDLE_OK;
}

heddle_builder *heddle_builder_new(struct heddle_error *err)
{
    struct heddle_builder *b = NULL;

    return boundary_run(build, &b, err) ? b : NULL;
}

void heddle_builder_free(heddle_builder *b)
{
    if (!b)
        return;
    std_reader_free(b->reader);
    heddle_trace_free(b->trace);
    free(b->line);
    free(b);
}

struct adding {
    struct heddle_builder *builder;
    const struct heddle_event *event;
};

static enum status add_text(struct heddle_builder *b, size_t *used, const char *text, const char *reserved,
                            const char *what, struct error *err)
{
    size_t length = strlen(text);

    if (text[strcspn(text, reserved)])
        return fail(err, HEDDLE_BAD_USAGE,
                    "event:%zu: %s has one of the characters that the format reserves: %.80s",
                    b->trace->trace.count + 1, what, text);
    b->line = memory_grow(b->line, &b->line_capacity, *used + length + 1, 1);
    memcpy(b->line + *used, text, length + 1);
    *used += length;
    return HEDDLE_OK;
}

static enum status add(void *context, struct error *err)
{
    struct adding *a = context;
    struct heddle_builder *b = a->builder;
    const struct heddle_event *e = a->event;
    size_t used = 0;
    struct {
        const char *before, *text, *after, *reserved, *what;
    } parts[] = {{"", e->thread ? e->thread : "", "|", "|()\n", "the thread's name"},
                 {"", e->op ? e->op : "", "", "|()\n", "the operation"},
                 {"(", e->argument, e->value ? "" : ")", "|()\n", "the argument"},
                 {"=", e->argument ? e->value : NULL, ")", "|()=\n", "the value"},
                 {"|", e->location ? e->location : "", "", "|\n", "the location"},
                 {"|", e->grounds, "", "|\n", "the list of grounds"}};

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].text &&
            (add_text(b, &used, parts[i].before, "", "", err) != HEDDLE_OK ||
             add_text(b, &used, parts[i].text, parts[i].reserved, parts[i].what, err) != HEDDLE_OK ||
             add_text(b, &used, parts[i].after, "", "", err) != HEDDLE_OK))
            return err->status;
    if (*b->line == '#')
        return fail(err, HEDDLE_BAD_USAGE, "event:%zu: the thread's name begins with #",
                    b->trace->trace.count + 1);
    return std_reader_line(b->reader, b->line, used, err);
}

bool heddle_builder_add(heddle_builder *b, const struct heddle_event *event, struct heddle_error *err)
{
    struct adding a = {b, event};

    if (b->failed) {
        boundary_fail(err, HEDDLE_ERROR_USAGE, "an earlier event was refused");
        return false;
    }
    b->failed = !boundary_run(add, &a, err);
    return !b->failed;
}

static enum status finish(void *context, struct error *err)
{
    struct heddle_builder *b = context;

    if (b->failed)
        return fail(err, HEDDLE_BAD_USAGE, "an event was refused");
    return std_reader_end(b->reader, err);
}

heddle_trace *heddle_builder_finish(heddle_builder *b, struct heddle_error *err)
{
    struct heddle_trace *trace = NULL;

    if (boundary_run(finish, b, err)) {
        trace = b->trace;
        b->trace = NULL;
    }
    heddle_builder_free(b);
    return trace;
}
