/* The tables that the page's findings refer to by number: each event, thread and place once. */
#include "report/html_parts.h"

#include <stdlib.h>

static int compare_events(const void *left, const void *right)
{
    const event_id *a = left;
    const event_id *b = right;

    return *a < *b ? -1 : *a > *b;
}

/* "value" as observed, or nothing. */
static void put_value(struct page *p, event_id e)
{
    enum event_kind kind = trace_kind(p->n.trace, e);
    size_t from = p->n.out.text_count;
    struct value value;

    if (!kind_accesses(kind))
        return;
    value = kind_writes(kind) ? value_written(&p->n.values, e, p->n.trace->arg[e])
                              : value_observed(&p->n.values, e);
    if (!value_known(value))
        return;
    say_value(&p->n, value);
    page_said(p, ",", from);
}

/* [number, kind, thread, place or -1, name of what it is about, value, if known] */
static void put_events(struct page *p)
{
    const struct trace *trace = p->n.trace;

    buffer_text(&p->out, ",\n\"events\":[");
    for (size_t i = 0; i < p->referred_count; i++) {
        event_id e = p->referred[i];
        size_t from = p->n.out.text_count;

        page_number(p, i > 0 ? ",\n[" : "[", e);
        page_number(p, ",", trace_kind(trace, e));
        page_number(p, ",", trace->thread[e]);
        if (trace->location[e] == NAME_NONE)
            buffer_text(&p->out, ",-1");
        else
            page_number(p, ",", trace->location[e]);
        say_argument(&p->n, e);
        page_said(p, ",", from);
        put_value(p, e);
        buffer_text(&p->out, "]");
    }
    buffer_text(&p->out, "]");
}

static void put_threads(struct page *p)
{
    struct map seen = {0};
    bool first = true;

    buffer_text(&p->out, ",\n\"threads\":{");
    for (size_t i = 0; i < p->referred_count; i++) {
        thread_id thread = p->n.trace->thread[p->referred[i]];
        uint32_t *known = map_at(&seen, thread);
        if (*known)
            continue;
        *known = 1;
        page_number(p, first ? "\"" : ",\"", thread);
        page_name(p, "\":", trace_name(p->n.trace, NAME_THREAD, thread));
        first = false;
    }
    buffer_text(&p->out, "}");
    map_free(&seen);
}

/* By number: the place as it is written and, if it names a line, the file's number, the line and the function.
 */
static void put_places(struct page *p, struct source_index *index)
{
    struct map seen = {0};
    bool first = true;

    buffer_text(&p->out, ",\n\"places\":{");
    for (size_t i = 0; i < p->referred_count; i++) {
        location_id place = p->n.trace->location[p->referred[i]];
        struct source line;

        if (place == NAME_NONE || map_get(&seen, place))
            continue;
        *map_at(&seen, place) = 1;
        const char *text = trace_name(p->n.trace, NAME_LOCATION, place);
        page_number(p, first ? "\"" : ",\"", place);
        page_name(p, "\":[", text);
        if (source_parse(text, &line)) {
            page_number(p, ",", source_index_add(index, &line));
            page_number(p, ",", line.line);
            page_name(p, ",", line.function);
        }
        buffer_text(&p->out, "]");
        first = false;
    }
    buffer_text(&p->out, "}");
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
    source_index_write(index, p);
    source_index_free(index);
}
