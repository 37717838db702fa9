/* The meaning of a trace, part two: the order that synchronization creates in it. This includes the required
 * predecessors (semantics §1), except those of tryfail. Which token a wait took and which notify woke it are
 * not part of them: these only say which waits were woken, and what happens before what in the trace itself. */
#include "certify/certify_parts.h"

#include <assert.h>
#include <stdlib.h>

/* A condition, barrier or semaphore while the trace is gone through. */
struct claimed_object {
    uint32_t *events; /* waitpres not matched; benters of the open generation; posts, oldest first */
    size_t events_count, events_capacity;
    size_t taken;        /* semaphore: posts already used up */
    uint64_t initial;    /* semaphore: tokens of its seminit not yet used up */
    uint32_t generation; /* barrier: the open one */
};

struct required_pass {
    struct certify_index *index;
    struct claimed_object *conditions, *barriers, *semaphores;
    struct map entered; /* (barrier, thread) → generation of its latest benter */

    /* By generation, of all barriers together, from 1: the list of its benters; 0 while it is open. */
    uint32_t *closed;
    size_t closed_count, closed_capacity;
};

/* Begins a list; what is pushed to `required` until the next one begins belongs to it. */
static uint32_t claim_list_begin(struct certify_index *index)
{
    uint32_t start = (uint32_t)index->required_count;

    ARRAY_PUSH(index, lists, start);
    return (uint32_t)index->lists_count - 1;
}

static uint32_t list_of_one(struct certify_index *index, uint32_t event)
{
    uint32_t list = claim_list_begin(index);

    ARRAY_PUSH(index, required, event);
    return list;
}

/* A waitpost ends the latest waitpre of its thread on that condition; other waitpres never end. */
static void pair_waits(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    struct map open = {0};

    for (uint32_t e = 1; e <= index->count; e++) {
        enum event_kind kind = trace_kind(trace, e);
        if (kind != EVENT_WAIT_PRE && kind != EVENT_WAIT_POST)
            continue;
        uint32_t *pre = map_at(&open, map_pair(trace->arg[e], trace->thread[e]));
        if (kind == EVENT_WAIT_PRE)
            *pre = e;
        else
            index->detail[*pre] = e;
    }
    map_free(&open);
}

uint32_t wait_end(const struct certify_index *index, uint32_t waitpost)
{
    uint32_t before = index->before[waitpost];
    enum event_kind kind = trace_kind(index->trace, before);

    return before && (kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE) ? before : waitpost;
}

static void on_wait_pre(struct certify_index *index, struct claimed_object *condition, uint32_t e)
{
    if (index->detail[e])
        ARRAY_PUSH(condition, events, e);
}

/* A wait that no notify matched is over. */
static void on_wait_post(struct certify_index *index, struct claimed_object *condition, uint32_t e)
{
    for (size_t i = condition->events_count; i-- > 0;)
        if (index->detail[condition->events[i]] == e)
            condition->events[i] = condition->events[--condition->events_count];
}

/* Forgets waits that have ended although their waitpost is still to come. */
static void drop_ended(const struct certify_index *index, struct claimed_object *condition, uint32_t e)
{
    for (size_t i = condition->events_count; i-- > 0;)
        if (wait_end(index, index->detail[condition->events[i]]) < e)
            condition->events[i] = condition->events[--condition->events_count];
}

/* Whoever comes out first is taken to be the one that was woken. */
static size_t first_to_end(const struct certify_index *index, const struct claimed_object *condition)
{
    size_t first = 0;

    for (size_t i = 1; i < condition->events_count; i++)
        if (index->detail[condition->events[i]] < index->detail[condition->events[first]])
            first = i;
    return first;
}

static void wake(struct certify_index *index, struct claimed_object *condition, size_t i, uint32_t woken_by)
{
    uint32_t waitpre = condition->events[i], waitpost = index->detail[waitpre];
    uint32_t end = wait_end(index, waitpost);

    index->detail[waitpost] = woken_by;
    ARRAY_PUSH(index, required, waitpre);
    *map_at(&index->woken_at, end) = waitpre;
    *map_at(&index->ends_at, waitpre) = end;
    condition->events[i] = condition->events[--condition->events_count];
}

static void on_notify(struct certify_index *index, struct claimed_object *condition, uint32_t e)
{
    uint32_t woken_by;

    drop_ended(index, condition, e);
    if (condition->events_count == 0)
        return;
    woken_by = list_of_one(index, e);
    index->detail[e] = claim_list_begin(index);
    if (trace_kind(index->trace, e) == EVENT_NOTIFY)
        wake(index, condition, first_to_end(index, condition), woken_by);
    else
        while (condition->events_count > 0)
            wake(index, condition, condition->events_count - 1, woken_by);
}

static void on_barrier_enter(struct required_pass *pass, struct claimed_object *barrier, uint32_t e)
{
    const struct trace *trace = pass->index->trace;

    if (barrier->generation == 0) {
        barrier->generation = (uint32_t)pass->closed_count;
        ARRAY_PUSH(pass, closed, 0);
    }
    ARRAY_PUSH(barrier, events, e);
    *map_at(&pass->entered, map_pair(trace->arg[e], trace->thread[e])) = barrier->generation;
}

static void on_barrier_exit(struct required_pass *pass, struct claimed_object *barrier, uint32_t e)
{
    struct certify_index *index = pass->index;
    uint32_t generation = map_get(&pass->entered, map_pair(index->trace->arg[e], index->trace->thread[e]));

    if (pass->closed[generation] == 0) {
        assert(generation == barrier->generation);
        pass->closed[generation] = claim_list_begin(index);
        for (size_t i = 0; i < barrier->events_count; i++)
            ARRAY_PUSH(index, required, barrier->events[i]);
        barrier->events_count = 0;
        barrier->generation = 0;
    }
    index->detail[e] = pass->closed[generation];
}

/* Tokens are taken oldest first; those of the seminit are the oldest. */
static void on_sem_wait(struct certify_index *index, struct claimed_object *semaphore, uint32_t e)
{
    uint32_t seminit = index->seminit[index->trace->arg[e]];

    index->detail[e] = claim_list_begin(index);
    if (seminit)
        ARRAY_PUSH(index, required, seminit);
    if (semaphore->initial > 0)
        semaphore->initial--;
    else if (semaphore->taken < semaphore->events_count)
        ARRAY_PUSH(index, required, semaphore->events[semaphore->taken++]);
}

static void on_post(struct certify_index *index, struct claimed_object *semaphore, uint32_t e)
{
    uint32_t seminit = index->seminit[index->trace->arg[e]];

    if (seminit)
        index->detail[e] = list_of_one(index, seminit);
    ARRAY_PUSH(semaphore, events, e);
}

static void on_sem_init(struct certify_index *index, struct claimed_object *semaphore, uint32_t e)
{
    index->seminit[index->trace->arg[e]] = e;
    semaphore->initial = index->trace->value[e];
}

/* A joined thread does nothing more, so what it did last so far is its last event. */
static void on_join(struct certify_index *index, const uint32_t *last, uint32_t e)
{
    index->joined[index->trace->arg[e]] = true;
    if (last[index->trace->arg[e]])
        index->detail[e] = list_of_one(index, last[index->trace->arg[e]]);
}

static void pass_event(struct required_pass *pass, const uint32_t *last, uint32_t e)
{
    struct certify_index *index = pass->index;
    uint32_t arg = index->trace->arg[e];

    switch (trace_kind(index->trace, e)) {
    case EVENT_FORK:
        index->forked_by[arg] = e;
        break;
    case EVENT_JOIN:
        on_join(index, last, e);
        break;
    case EVENT_WAIT_PRE:
        on_wait_pre(index, &pass->conditions[arg], e);
        break;
    case EVENT_WAIT_POST:
        on_wait_post(index, &pass->conditions[arg], e);
        break;
    case EVENT_NOTIFY:
    case EVENT_NOTIFY_ALL:
        on_notify(index, &pass->conditions[arg], e);
        break;
    case EVENT_BARRIER_ENTER:
        on_barrier_enter(pass, &pass->barriers[arg], e);
        break;
    case EVENT_BARRIER_EXIT:
        on_barrier_exit(pass, &pass->barriers[arg], e);
        break;
    case EVENT_POST:
        on_post(index, &pass->semaphores[arg], e);
        break;
    case EVENT_SEM_INIT:
        on_sem_init(index, &pass->semaphores[arg], e);
        break;
    case EVENT_SEM_WAIT:
        on_sem_wait(index, &pass->semaphores[arg], e);
        break;
    default:
        break;
    }
}

static void objects_free(struct claimed_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(objects[i].events);
    free(objects);
}

void index_required(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    size_t conditions = trace_names(trace, NAME_CONDITION), barriers = trace_names(trace, NAME_BARRIER);
    size_t semaphores = trace_names(trace, NAME_SEMAPHORE);
    uint32_t *last = memory_new(index->thread_count, sizeof *last);
    struct required_pass pass = {.index = index,
                                 .conditions = memory_new(conditions, sizeof *pass.conditions),
                                 .barriers = memory_new(barriers, sizeof *pass.barriers),
                                 .semaphores = memory_new(semaphores, sizeof *pass.semaphores)};

    ARRAY_PUSH(&pass, closed, 0);
    claim_list_begin(index); /* list 0: nothing is required */
    if (conditions > 0)
        pair_waits(index);
    for (uint32_t e = 1; e <= index->count; e++) {
        if (trace_kind(trace, e) >= EVENT_FORK)
            pass_event(&pass, last, e);
        last[trace->thread[e]] = e;
    }
    claim_list_begin(index); /* the end of the last list */

    objects_free(pass.conditions, conditions);
    objects_free(pass.barriers, barriers);
    objects_free(pass.semaphores, semaphores);
    map_free(&pass.entered);
    free(pass.closed);
    free(last);
}
