/* The tables that the page's findings refer to by number: each event, thread and place once. */
#include "report/html/html_parts.h"

#include <stdlib.h>

static int compare_events(const void *left, const void *right)
{
    const event_id *a = left;
    const event_id *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* On a line of its own. */
static void open_table(struct page *p, const char *name, void (*open)(struct json_out *out, const char *name))
{
    json_line(&p->out, 0);
    open(&p->out, name);
}

/* "value" as observed, or nothing; false then. */
static bool put_value(struct page *p, event_id e)
{
    enum event_kind kind = trace_kind(p->n.trace, e);
    size_t from = p->n.out.text_count;
    struct value value;

    if (!kind_accesses(kind))
        return false;
    value = kind_writes(kind) ? value_written(&p->n.values, e, p->n.trace->arg[e])
                              : value_observed(&p->n.values, e);
    if (!value_known(value))
        return false;
    say_value(&p->n, value);
    page_said(p, NULL, from);
    return true;
}

/* The number of its stack, if the trace tells it; then the value has its place, known or not. */
static void put_stack(struct page *p, event_id e, bool valued)
{
    stack_id stack = trace_stack(p->n.trace, e);

    if (stack == STACK_NONE)
        return;
    if (!valued)
        json_nothing(&p->out, NULL);
    json_count(&p->out, NULL, stack);
}

/* [number, kind, thread, place or -1, name of what it is about, value, if known, stack, if known] */
static void put_events(struct page *p)
{
    const struct trace *trace = p->n.trace;
    struct json_out *out = &p->out;

    open_table(p, "events", json_array_open);
    for (size_t i = 0; i < p->referred_count; i++) {
        event_id e = p->referred[i];
        size_t from = p->n.out.text_count;

        if (i > 0)
            json_line(out, 0);
        json_array_open(out, NULL);
        json_count(out, NULL, e);
        json_count(out, NULL, trace_is_freeing(trace, e) ? HTML_FREEING : trace_kind(trace, e));
        json_count(out, NULL, trace->thread[e]);
        if (trace->location[e] == NAME_NONE)
            json_negative(out, NULL, 1);
        else
            json_count(out, NULL, trace->location[e]);
        say_argument(&p->n, e);
        page_said(p, NULL, from);
        put_stack(p, e, put_value(p, e));
        json_close(out);
    }
    json_close(out);
}

static void put_threads(struct page *p)
{
    struct map seen = {0};
    struct page_key key;

    open_table(p, "threads", json_object_open);
    for (size_t i = 0; i < p->referred_count; i++) {
        thread_id thread = p->n.trace->thread[p->referred[i]];
        uint32_t *known = map_at(&seen, thread);
        if (*known)
            continue;
        *known = 1;
        page_text(p, page_key(&key, thread), trace_name(p->n.trace, NAME_THREAD, thread));
    }
    json_close(&p->out);
    map_free(&seen);
}

/* The place as it is written and, if it names a line, the file's number, the line and the function. */
static void put_place(struct page *p, struct source_index *index, const char *text)
{
    struct source line;

    page_text(p, NULL, text);
    if (!source_parse(text, &line))
        return;
    json_count(&p->out, NULL, source_index_add(index, &line));
    json_count(&p->out, NULL, line.line);
    page_text(p, NULL, line.function);
}

/* By number. */
static void put_places(struct page *p, struct source_index *index)
{
    struct map seen = {0};
    struct page_key key;

    open_table(p, "places", json_object_open);
    for (size_t i = 0; i < p->referred_count; i++) {
        location_id place = p->n.trace->location[p->referred[i]];

        if (place == NAME_NONE || map_get(&seen, place))
            continue;
        *map_at(&seen, place) = 1;
        json_array_open(&p->out, page_key(&key, place));
        put_place(p, index, trace_name(p->n.trace, NAME_LOCATION, place));
        json_close(&p->out);
    }
    json_close(&p->out);
    map_free(&seen);
}

/* By number: the rest of the stack, 0 where it ends, and the place of its innermost call. */
static void put_stacks(struct page *p, struct source_index *index)
{
    const struct stacks *stacks = p->n.trace->stacks;
    struct map seen = {0};
    struct page_key key;

    if (!stacks)
        return;
    open_table(p, "stacks", json_object_open);
    for (size_t i = 0; i < p->referred_count; i++) {
        stack_id stack = trace_stack(p->n.trace, p->referred[i]);
        for (; stack != STACK_NONE && !map_get(&seen, stack); stack = stack_rest(stacks, stack)) {
            *map_at(&seen, stack) = 1;
            json_array_open(&p->out, page_key(&key, stack));
            json_count(&p->out, NULL, stack_rest(stacks, stack));
            put_place(p, index, stack_place(stacks, stack));
            json_close(&p->out);
        }
    }
    json_close(&p->out);
    map_free(&seen);
}

void page_tables(struct page *p)
{
    struct source_index *index = source_index_new(p);

    if (p->referred_count > 1)
        qsort(p->referred, p->referred_count, sizeof *p->referred, compare_events);
    put_events(p);
    put_threads(p);
    put_places(p, index);
    put_stacks(p, index);
    source_index_write(index, p);
    source_index_free(index);
}
