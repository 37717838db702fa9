/* Whom notifies may wake, and tokens, while a run in strides goes on and comes back.
 *
 * A wait that ends takes the oldest notify that it may have and no other wait has taken: as waits end one after the other, that is
 * as good as any other choice. What was notified before the run's own part served as it did in the trace. */
#include "solve/stride_wakes.h"
#include "base/memory.h"
#include "model/tokens.h"

#include <assert.h>
#include <stdlib.h>

struct stride_notify {
    size_t place; /* in the run, from 1 */
    bool all;
    event_id taken; /* by the wait with this waitpost, or EVENT_NONE */
};

struct stride_notifies { /* of a condition, in the order of the run */
    struct stride_notify *list;
    size_t list_count, list_capacity;
};

struct stride_wakes {
    const struct model *m;
    struct stride_notifies *conditions;
    struct map began; /* waitpre → its place; 0: before the run's own part */
    event_id start;
};

struct stride_wakes *stride_wakes_new(const struct model *m)
{
    struct stride_wakes *k = memory_new(1, sizeof *k);

    k->m = m;
    k->conditions = memory_new(trace_names(m->trace, NAME_CONDITION), sizeof *k->conditions);
    return k;
}

void stride_wakes_free(struct stride_wakes *k)
{
    for (size_t i = 0; i < trace_names(k->m->trace, NAME_CONDITION); i++)
        free(k->conditions[i].list);
    free(k->conditions);
    map_free(&k->began);
    free(k);
}

void stride_wakes_begin(struct stride_wakes *k, event_id start)
{
    for (size_t i = 0; i < trace_names(k->m->trace, NAME_CONDITION); i++)
        k->conditions[i].list_count = 0;
    map_free(&k->began);
    k->start = start;
}

static struct stride_notify *find_notify(const struct stride_wakes *k, const struct woken_wait *wait)
{
    struct stride_notifies *c = &k->conditions[arg_of(k->m, wait->post)];
    uint32_t began = map_get(&k->began, wait->pre);
    struct stride_notify *oldest = NULL;

    for (size_t i = c->list_count; i-- > 0 && c->list[i].place > began;) {
        if (c->list[i].all)
            return &c->list[i];
        if (c->list[i].taken == EVENT_NONE)
            oldest = &c->list[i];
    }
    return oldest;
}

static bool can_wake(const struct stride_wakes *k, event_id post)
{
    const struct woken_wait *wait = model_wait(k->m, post);

    return !wait || wait->notify <= k->start || find_notify(k, wait);
}

static int64_t done_of(const struct model *m, const struct grouped_events *g, uint32_t semaphore,
                       const uint32_t *done)
{
    int64_t sum = 0;

    for (uint32_t i = g->start[semaphore]; i < g->start[semaphore + 1]; i++)
        sum += group_up_to(m, g, &g->groups[i], done[g->groups[i].thread]);
    return sum;
}

bool stride_wakes_allow(const struct stride_wakes *k, event_id e, const uint32_t *done)
{
    const struct model *m = k->m;
    uint32_t arg = arg_of(m, e);

    if (kind_of(m, e) == EVENT_WAIT_POST)
        return can_wake(k, e);
    return kind_of(m, e) != EVENT_SEM_WAIT ||
           m->initial_tokens[arg] + done_of(m, &m->posts, arg, done) > done_of(m, &m->sem_waits, arg, done);
}

void stride_wakes_do(struct stride_wakes *k, event_id e, size_t place)
{
    const struct model *m = k->m;
    const struct woken_wait *wait;
    struct stride_notify *notify;

    switch (kind_of(m, e)) {
    case EVENT_WAIT_PRE:
        *map_at(&k->began, e) = (uint32_t)place;
        break;
    case EVENT_WAIT_POST:
        wait = model_wait(m, e);
        notify = wait && wait->notify > k->start ? find_notify(k, wait) : NULL;
        if (notify && !notify->all)
            notify->taken = e;
        break;
    default:
        ARRAY_PUSH(&k->conditions[arg_of(m, e)], list,
                   (struct stride_notify){place, kind_of(m, e) == EVENT_NOTIFY_ALL, EVENT_NONE});
    }
}

void stride_wakes_undo(struct stride_wakes *k, event_id e)
{
    struct stride_notifies *c = &k->conditions[arg_of(k->m, e)];
    const struct woken_wait *wait;

    switch (kind_of(k->m, e)) {
    case EVENT_WAIT_PRE:
        *map_at(&k->began, e) = 0;
        break;
    case EVENT_WAIT_POST:
        wait = model_wait(k->m, e);
        for (size_t i = c->list_count; wait && i-- > 0 && c->list[i].place > map_get(&k->began, wait->pre);)
            if (c->list[i].taken == e)
                c->list[i].taken = EVENT_NONE;
        break;
    default:
        assert(c->list_count > 0);
        c->list_count--;
    }
}
