/* Waits on conditions and the notifies that may end them. */
#include "property/wakeups.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

static void add_wait(struct signals *s, const struct woken_wait *wait)
{
    const struct model *m = s->m;
    struct lonely_condition *c = &s->conditions[arg_of(m, wait->post)];

    c->one_waiter =
        c->waits_count == 0 || (c->one_waiter && thread_of(m, c->waits[0].pre) == thread_of(m, wait->pre));
    ARRAY_PUSH(c, waits, *wait);
    *map_at(&s->ends, wait->end) = (uint32_t)c->waits_count;
}

static void add_notify(struct lonely_condition *c, thread_id thread, event_id e)
{
    size_t i = 0;

    assert(c->notifies_count == 0 || c->notifies[c->notifies_count - 1] < e);
    ARRAY_PUSH(c, notifies, e);
    while (i < c->notifiers_count && c->notifiers[i].thread != thread)
        i++;
    if (i == c->notifiers_count)
        ARRAY_PUSH(c, notifiers, (struct notifier){.thread = thread});
    ARRAY_PUSH(&c->notifiers[i], events, e);
}

void signals_init(struct signals *s, const struct model *m)
{
    *s = (struct signals){.m = m};
    s->conditions = memory_new(trace_names(m->trace, NAME_CONDITION), sizeof *s->conditions);
    for (event_id e = 1; e <= m->event_count && trace_names(m->trace, NAME_CONDITION) > 0; e++)
        if (kind_of(m, e) == EVENT_NOTIFY || kind_of(m, e) == EVENT_NOTIFY_ALL)
            add_notify(&s->conditions[arg_of(m, e)], thread_of(m, e), e);
    for (size_t i = 0; i < m->waits_count; i++)
        add_wait(s, &m->waits[i]);
}

void signals_free(struct signals *s)
{
    for (size_t i = 0; i < trace_names(s->m->trace, NAME_CONDITION); i++) {
        free(s->conditions[i].waits);
        free(s->conditions[i].notifies);
        for (size_t k = 0; k < s->conditions[i].notifiers_count; k++)
            free(s->conditions[i].notifiers[k].events);
        free(s->conditions[i].notifiers);
    }
    free(s->conditions);
    map_free(&s->ends);
}

const struct woken_wait *signals_wait(const struct signals *s, event_id end)
{
    const struct model *m = s->m;
    uint32_t at = map_get(&s->ends, end);

    if (!at)
        return NULL;
    event_id post =
        kind_of(m, end) == EVENT_WAIT_POST ? end : event_at(m, thread_of(m, end), m->position[end] + 1);
    assert(at <= s->conditions[arg_of(m, post)].waits_count);
    assert(s->conditions[arg_of(m, post)].waits[at - 1].end == end);
    return &s->conditions[arg_of(m, post)].waits[at - 1];
}

const struct lonely_condition *signals_condition(const struct signals *s, const struct woken_wait *wait)
{
    return &s->conditions[arg_of(s->m, wait->post)];
}

/* Where events come in a run. */
struct places {
    const struct schedule *run;
    struct map tail;
};

#define NOWHERE UINT64_MAX

static uint64_t place_in(const struct places *p, event_id e)
{
    uint32_t at = e <= p->run->prefix ? 0 : map_get(&p->tail, e);

    return e <= p->run->prefix ? e : at ? (uint64_t)p->run->prefix + at : NOWHERE;
}

struct wake_interval {
    const struct woken_wait *wait;
    uint64_t start, end;
    bool served;
};

struct point {
    event_id notify;
    uint64_t at;
};

static int by_place(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return p->at < q->at ? -1 : p->at > q->at;
}

/* Gives the notify to whom it serves. */
static void serve(const struct model *m, const struct point *n, struct wake_interval *intervals, size_t count,
                  struct services *services)
{
    bool all = kind_of(m, n->notify) == EVENT_NOTIFY_ALL;
    struct wake_interval *first = NULL;

    for (size_t i = 0; i < count; i++) {
        struct wake_interval *w = &intervals[i];
        if (w->served || n->at < w->start || n->at > w->end)
            continue;
        if (all) {
            w->served = true;
            ARRAY_PUSH(services, list, (struct service){w->wait, n->notify});
        } else if (!first || w->end < first->end) {
            first = w;
        }
    }
    if (!first)
        return;
    first->served = true;
    ARRAY_PUSH(services, list, (struct service){first->wait, n->notify});
}

bool signals_serve(const struct signals *s, const struct schedule *run, const struct woken_wait *wait,
                   struct services *services)
{
    const struct lonely_condition *c = signals_condition(s, wait);
    struct wake_interval *intervals = memory_new(c->waits_count, sizeof *intervals);
    struct point *points = memory_new(c->notifies_count, sizeof *points);
    struct places places = {.run = run};
    size_t waits = 1, notifies = 0;

    for (uint32_t i = 0; i < run->tail_count; i++)
        if (kind_of(s->m, run->tail[i]) >= EVENT_ACQUIRE)
            *map_at(&places.tail, run->tail[i]) = i + 1;
    intervals[0] = (struct wake_interval){wait, place_in(&places, wait->pre), NOWHERE, false};
    for (size_t i = 0; i < c->waits_count; i++) {
        const struct woken_wait *w = &c->waits[i];
        if (w != wait && place_in(&places, w->end) != NOWHERE)
            intervals[waits++] =
                (struct wake_interval){w, place_in(&places, w->pre), place_in(&places, w->end), false};
    }
    for (size_t i = 0; i < c->notifies_count; i++)
        if (place_in(&places, c->notifies[i]) != NOWHERE)
            points[notifies++] = (struct point){c->notifies[i], place_in(&places, c->notifies[i])};
    assert(waits <= c->waits_count && intervals[0].start != NOWHERE);
    qsort(points, notifies, sizeof *points, by_place);
    services->list_count = 0;
    for (size_t i = 0; i < notifies; i++)
        serve(s->m, &points[i], intervals, waits, services);
    bool served = intervals[0].served;
    map_free(&places.tail);
    free(intervals);
    free(points);
    return served;
}
