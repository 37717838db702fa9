/* What reads decide, found in walks over the grounds of all events. */
#include "report/decided.h"
#include "base/map.h"
#include "base/memory.h"
#include "model/values.h"
#include "report/report.h"
#include "trace/grounds.h"

#include <assert.h>
#include <stdlib.h>

/* Of one read; 0: none. */
struct decided_events {
    event_id read;   /* this one */
    event_id event;  /* the first that it decides */
    event_id chosen; /* the first that it decides by a comparison with a constant */
    event_id write;  /* the first of those that it decides that writes */
    event_id made;   /* the first write that is made of what it saw */
    bool output;     /* what it saw reaches the output */
    bool used;       /* something may depend on what it sees */
};

/* Values flow from a variable, or from one of the reads looked at, into another variable. */
struct value_flow {
    uint32_t from; /* a variable; or an index in `reads` */
    variable_id into;
};

struct flow_list {
    struct value_flow *list;
    size_t list_count, list_capacity;
};

struct decided {
    const struct trace *trace;
    struct map places; /* read → its index in `reads`, plus one */
    struct map
        acts; /* location → the first write that some read there decides, of its own variable and by ranges */
    struct decided_events *reads;
    size_t reads_count, reads_capacity;
    event_id *unstated; /* by thread: the last event that does not say what it stands on; 0: none */
    bool *used;         /* by variable: something may depend on what a read of it sees */
    struct map known_flows;
    struct flow_list of_variables, of_reads; /* each of the former once */
};

static struct decided_events *events_of(const struct decided *d, event_id read)
{
    uint32_t place = map_get(&d->places, read);

    return place ? &d->reads[place - 1] : NULL;
}

static void note_first(event_id *first, event_id e)
{
    if (*first == EVENT_INIT)
        *first = e;
}

static void note_by(struct decided_events *events, const struct ground *ground, event_id e, bool writes)
{
    note_first(&events->event, e);
    if (ground->form == GROUND_RANGES)
        note_first(&events->chosen, e);
    if (writes)
        note_first(&events->write, e);
}

/* What the read saw becomes part of what the write leaves. */
static void note_flow(struct decided *d, event_id read, event_id write)
{
    variable_id of = d->trace->arg[read], into = d->trace->arg[write];
    struct decided_events *events = events_of(d, read);

    if (of != into && (*map_at(&d->known_flows, map_pair(of, into)))++ == 0)
        ARRAY_PUSH(&d->of_variables, list, (struct value_flow){of, into});
    if (!events)
        return;
    ARRAY_PUSH(&d->of_reads, list, (struct value_flow){(uint32_t)(events - d->reads), into});
    if (read != write)
        note_first(&events->made, write);
}

/* What a write is made of; of other events, nothing. */
static struct ground_list from_of(const struct trace *t, event_id e)
{
    return kind_writes(trace_kind(t, e)) ? trace_from(t, e) : (struct ground_list){.event = e};
}

/* What is in a `by` decides: so the variable matters, whoever reads it. */
static void note_event(struct decided *d, event_id e)
{
    bool writes = kind_writes(trace_kind(d->trace, e));
    const struct ground_list by = trace_by(d->trace, e), from = from_of(d->trace, e);

    if (!by.given || (writes && !from.given))
        d->unstated[d->trace->thread[e]] = e;
    for (uint32_t i = 0; by.given && i < by.count; i++) {
        struct ground ground = ground_at(&by, i);
        struct decided_events *events = events_of(d, ground.read);
        d->used[d->trace->arg[ground.read]] = true;
        if (writes && ground.form == GROUND_RANGES && d->trace->arg[ground.read] == d->trace->arg[e])
            note_first(map_at(&d->acts, d->trace->location[ground.read]), e);
        if (events) {
            events->used = true;
            note_by(events, &ground, e, writes);
        }
    }
    for (uint32_t i = 0; from.given && i < from.count; i++)
        note_flow(d, ground_at(&from, i).read, e);
}

/* Threads that do not say where they end may look at what they read after their last event. */
static void note_ends(struct decided *d)
{
    size_t threads = trace_names(d->trace, NAME_THREAD);
    bool *ends = memory_new(threads + 1, sizeof *ends);

    for (event_id e = 1; e <= d->trace->count; e++)
        if (trace_kind(d->trace, e) == EVENT_EXIT)
            ends[d->trace->thread[e]] = true;
    for (size_t t = 0; t < threads; t++)
        if (!ends[t])
            d->unstated[t] = UINT32_MAX;
    free(ends);
}

/* Variables that values flow into, until nothing is added: if one matters, so does what it is made of. */
static void spread_use(struct decided *d)
{
    const struct trace *t = d->trace;

    for (event_id e = 1; e <= t->count; e++)
        if (kind_reads(trace_kind(t, e)) && (d->unstated[t->thread[e]] > e || trace_is_printed(t, e)))
            d->used[t->arg[e]] = true;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < d->of_variables.list_count; i++) {
            const struct value_flow *flow = &d->of_variables.list[i];
            if (d->used[flow->into] && !d->used[flow->from])
                more = d->used[flow->from] = true;
        }
    }
}

/* Against the order of the run: which values reached the output, by way of what reads saw. */
static void trace_output(struct decided *d)
{
    const struct trace *t = d->trace;
    bool *wanted =
        memory_new(trace_names(t, NAME_VARIABLE) + 1, sizeof *wanted); /* by variable: what is there now */
    bool *output = memory_new(t->count + 1, sizeof *output);           /* by event */

    assert(t->printed.events_count > 0);
    for (event_id e = (event_id)t->count; e > EVENT_INIT; e--) {
        enum event_kind kind = trace_kind(t, e);
        const struct ground_list from = from_of(t, e);
        bool written = kind_writes(kind) && wanted[t->arg[e]];
        if (kind_writes(kind))
            wanted[t->arg[e]] = false;
        for (uint32_t i = 0; written && from.given && i < from.count; i++)
            output[ground_at(&from, i).read] = true;
        if (!kind_reads(kind))
            continue;
        output[e] |= trace_is_printed(t, e);
        if (output[e])
            wanted[t->arg[e]] = true;
        if (output[e] && events_of(d, e))
            events_of(d, e)->output = true;
    }
    free(wanted);
    free(output);
}

/* A read that becomes part of a variable that matters is used; so is one that is printed, or of which nothing is known. */
static void mark_used(struct decided *d)
{
    const struct trace *t = d->trace;

    for (size_t i = 0; i < d->reads_count; i++) {
        event_id read = d->reads[i].read;
        d->reads[i].used |= trace_is_printed(t, read) || d->unstated[t->thread[read]] > read;
    }
    for (size_t i = 0; i < d->of_reads.list_count; i++)
        d->reads[d->of_reads.list[i].from].used |= d->used[d->of_reads.list[i].into];
}

struct decided *decided_new(const struct trace *trace, const struct finding_list *list)
{
    struct decided *d = memory_new(1, sizeof *d);

    d->trace = trace;
    if (!trace_has_grounds(trace))
        return d;
    for (size_t i = 0; i < list->findings_count; i++) {
        const struct finding *f = &list->findings[i];
        uint32_t *place = f->property == PROPERTY_NONDET ? map_at(&d->places, f->events[0]) : NULL;
        if (place && *place == 0) {
            ARRAY_PUSH(d, reads, (struct decided_events){.read = f->events[0]});
            *place = (uint32_t)d->reads_count;
        }
    }
    if (d->reads_count == 0)
        return d;
    d->unstated = memory_new(trace_names(trace, NAME_THREAD) + 1, sizeof *d->unstated);
    d->used = memory_new(trace_names(trace, NAME_VARIABLE) + 1, sizeof *d->used);
    for (event_id e = 1; e <= trace->count; e++)
        note_event(d, e);
    note_ends(d);
    spread_use(d);
    mark_used(d);
    if (trace->printed.events_count > 0)
        trace_output(d);
    return d;
}

void decided_free(struct decided *d)
{
    map_free(&d->places);
    map_free(&d->acts);
    map_free(&d->known_flows);
    free(d->of_variables.list);
    free(d->of_reads.list);
    free(d->reads);
    free(d->unstated);
    free(d->used);
    free(d);
}

/* The write that the read kept its thread from: another read of the variable at the same location decides that write, by a range that
 * the value seen here is not in. EVENT_INIT: none. */
static event_id write_left_out(const struct decided *d, event_id read)
{
    const struct trace *t = d->trace;
    event_id write = *event_place(t, read) ? map_get(&d->acts, t->location[read]) : EVENT_INIT;
    const struct ground_list by = trace_by(t, write);
    struct known_value seen = {VALUE_NONE, 0};

    if (t->value_tag)
        seen = (struct known_value){(enum value_tag)t->value_tag[read], t->value[read]};
    if (write == EVENT_INIT || t->arg[write] != t->arg[read] || !known_is_number(seen))
        return EVENT_INIT;
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground ground = ground_at(&by, i);
        if (ground.form == GROUND_RANGES && t->location[ground.read] == t->location[read] &&
            !known_in_ranges(seen, ground.ranges, ground.range_count))
            return write;
    }
    return EVENT_INIT;
}

/* The event that a report names. The end of a thread has no location: the write that the thread did not come to says more. */
static event_id told_event(const struct decided *d, event_id read, const struct decided_events *events)
{
    event_id event = events->write ? events->write : events->chosen ? events->chosen : events->event;
    event_id left_out = *event_place(d->trace, event) ? EVENT_INIT : write_left_out(d, read);

    return left_out ? left_out : event;
}

/* A read that is printed decides the next event for that reason alone, unless it was compared, too. */
struct decision decided_by(const struct decided *d, event_id read)
{
    const struct decided_events *events = events_of(d, read);

    if (!events)
        return (struct decision){.kind = DECIDES_UNKNOWN};
    if (events->event && (events->chosen || !trace_is_printed(d->trace, read)))
        return (struct decision){DECIDES_EVENT, told_event(d, read, events)};
    if (events->output)
        return (struct decision){DECIDES_OUTPUT, EVENT_INIT};
    if (events->made)
        return (struct decision){DECIDES_VALUE, events->made};
    return (struct decision){events->used ? DECIDES_UNKNOWN : DECIDES_NOTHING, EVENT_INIT};
}

bool decided_is_idle(const struct decided *d, event_id read)
{
    const struct decided_events *events = events_of(d, read);

    return events && !events->used;
}
