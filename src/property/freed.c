/* Traces in which nothing stands on some reads. */
#include "property/freed.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct freed_list {
    struct ground *items;
    size_t items_count, items_capacity;
};

struct freeing {
    struct freed_trace *to;
    const struct model *m;
    const bool *freed;
    event_id kept_by; /* the write that keeps what it stands on of its own variable, or EVENT_NONE */
    bool *ends;       /* by thread: it is joined, so that its end matters, and has no exit */
    struct freed_list
        *open; /* by thread: reads since its last event without a list, which stands on all before */
    struct freed_list by, from;
};

static bool is_freed(const struct freeing *f, event_id read)
{
    return !f->freed || f->freed[read];
}

/* Whether an item of the event's `by` stays. */
static bool is_kept(const struct freeing *f, event_id e, event_id read)
{
    return !is_freed(f, read) || (e == f->kept_by && arg_of(f->m, read) == arg_of(f->m, e));
}

static struct ground_list list_of(const struct freeing *f, event_id e, bool from)
{
    if (!f->m->grounds)
        return (struct ground_list){.event = e};
    return from ? trace_from(f->m->trace, e) : trace_by(f->m->trace, e);
}

static void add_item(const struct freeing *f, struct freed_list *list, struct ground item)
{
    item.read = f->to->number[item.read];
    ARRAY_PUSH(list, items, item);
}

/* Runs hold prefixes of threads: who stands on all reads need not name those that an earlier event of its thread stands on. */
static void list_open(struct freeing *f, thread_id t)
{
    struct freed_list *open = &f->open[t];

    for (size_t i = 0; i < open->items_count; i++)
        if (!is_freed(f, open->items[i].read))
            add_item(f, &f->by, open->items[i]);
    open->items_count = 0;
}

static void set_grounds(struct freeing *f, bool from)
{
    trace_set_grounds(&f->to->trace, (uint32_t)f->to->trace.count,
                      &(struct grounds_given){.by_given = true,
                                              .by = f->by.items,
                                              .by_count = (uint32_t)f->by.items_count,
                                              .from_given = from,
                                              .from = f->from.items,
                                              .from_count = (uint32_t)f->from.items_count});
    f->by.items_count = f->from.items_count = 0;
}

static void append(struct freeing *f, const struct event *event, event_id original)
{
    trace_append(&f->to->trace, event);
    f->to->original[f->to->trace.count] = original;
}

static void copy_event(struct freeing *f, event_id e)
{
    struct event event = trace_event(f->m->trace, e);
    struct ground_list by = list_of(f, e, false), from = list_of(f, e, true);

    event.grounds = GROUNDS_NONE;
    append(f, &event, e);
    f->to->number[e] = (event_id)f->to->trace.count;
    if (!by.given)
        list_open(f, event.thread);
    for (uint32_t i = 0; by.given && i < by.count; i++)
        if (is_kept(f, e, ground_at(&by, i).read))
            add_item(f, &f->by, ground_at(&by, i));
    for (uint32_t i = 0; from.given && i < from.count; i++)
        add_item(f, &f->from, ground_at(&from, i));
    set_grounds(f, from.given);
    if (kind_reads(op_kind(event.op)))
        ARRAY_PUSH(&f->open[event.thread], items, (struct ground){.read = e});
}

static void add_exit(struct freeing *f, thread_id t)
{
    struct event event = {.op = op_make(EVENT_EXIT, 0), .thread = t, .arg = ARG_NONE};

    append(f, &event, EVENT_NONE);
    list_open(f, t);
    set_grounds(f, false);
}

static void find_ends(struct freeing *f)
{
    const struct model *m = f->m;

    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_of(m, e) == EVENT_JOIN && has_events(m, arg_of(m, e)))
            f->ends[arg_of(m, e)] = kind_of(m, last_event(m, arg_of(m, e))) != EVENT_EXIT;
}

void freed_build(struct freed_trace *to, const struct model *m, const bool *freed, const struct finding *claim)
{
    size_t threads = trace_names(m->trace, NAME_THREAD);
    struct freeing f = {.to = to, .m = m, .freed = freed, .kept_by = EVENT_NONE};

    *to = (struct freed_trace){0};
    trace_init(&to->trace);
    for (int i = 0; i < NAME_CLASSES; i++)
        names_free(&to->trace.names[i]);
    memcpy(to->trace.names, m->trace->names, sizeof to->trace.names);
    to->trace.variable_type = m->trace->variable_type;
    to->trace.variable_types = m->trace->variable_types;
    to->number = memory_new((size_t)m->event_count + 1, sizeof *to->number);
    to->original = memory_new((size_t)m->event_count + threads + 1, sizeof *to->original);
    if (claim->property == PROPERTY_STALE)
        f.kept_by = claim->events[2];
    f.ends = memory_new(threads, sizeof *f.ends);
    f.open = memory_new(threads, sizeof *f.open);
    find_ends(&f);
    for (event_id e = 1; e <= m->event_count; e++) {
        thread_id t = m->trace->thread[e];
        copy_event(&f, e);
        if (f.ends[t] && e == last_event(m, t))
            add_exit(&f, t);
    }
    assert(to->trace.count >= m->event_count);
    for (size_t t = 0; t < threads; t++)
        free(f.open[t].items);
    free(f.open);
    free(f.ends);
    free(f.by.items);
    free(f.from.items);
}

void freed_free(struct freed_trace *f)
{
    memset(f->trace.names, 0, sizeof f->trace.names);
    f->trace.variable_type = NULL;
    f->trace.variable_types = 0;
    trace_free(&f->trace);
    free(f->number);
    free(f->original);
}
