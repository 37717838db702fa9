/* What reads decide, found in one walk over the grounds of all events. */
#include "report/decided.h"
#include "base/map.h"
#include "base/memory.h"
#include "trace/grounds.h"

#include <stdlib.h>

/* Of one read; 0: none. */
struct decided_events {
    event_id event; /* the first that it decides */
    event_id write; /* the first of them that writes */
    event_id made;  /* the first write that is made of what it saw */
};

struct decided {
    const struct trace *trace;
    struct map places; /* read → its index in `reads`, plus one */
    struct decided_events *reads;
    size_t reads_count, reads_capacity;
    event_id *unstated; /* by thread: the first event that does not say what it stands on; 0: none */
};

static void note_first(event_id *first, event_id e)
{
    if (*first == 0)
        *first = e;
}

static void note_event(struct decided *d, event_id e)
{
    const struct ground_list by = trace_by(d->trace, e), from = trace_from(d->trace, e);
    bool writes = kind_writes(trace_kind(d->trace, e));

    if (!by.given)
        note_first(&d->unstated[d->trace->thread[e]], e);
    for (uint32_t i = 0; by.given && i < by.count; i++) {
        uint32_t place = map_get(&d->places, ground_at(&by, i).read);
        if (place)
            note_first(&d->reads[place - 1].event, e);
        if (place && writes)
            note_first(&d->reads[place - 1].write, e);
    }
    for (uint32_t i = 0; writes && from.given && i < from.count; i++) {
        uint32_t place = map_get(&d->places, ground_at(&from, i).read);
        if (place && ground_at(&from, i).read != e)
            note_first(&d->reads[place - 1].made, e);
    }
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
            ARRAY_PUSH(d, reads, (struct decided_events){0});
            *place = (uint32_t)d->reads_count;
        }
    }
    d->unstated = memory_new(names_count(&trace->names[NAME_THREAD]) + 1, sizeof *d->unstated);
    for (event_id e = 1; e <= trace->count && d->reads_count > 0; e++)
        note_event(d, e);
    return d;
}

void decided_free(struct decided *d)
{
    map_free(&d->places);
    free(d->reads);
    free(d->unstated);
    free(d);
}

struct decision decided_by(const struct decided *d, event_id read)
{
    uint32_t place = map_get(&d->places, read);
    const struct decided_events *events = place ? &d->reads[place - 1] : NULL;

    if (!events)
        return (struct decision){.kind = DECIDES_UNKNOWN};
    if (events->event)
        return (struct decision){DECIDES_EVENT, events->write ? events->write : events->event};
    if (events->made)
        return (struct decision){DECIDES_VALUE, events->made};
    return (struct decision){d->unstated[d->trace->thread[read]] ? DECIDES_UNKNOWN : DECIDES_NOTHING,
                             EVENT_INIT};
}
