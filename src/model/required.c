/* Required predecessors of semantics §1: threads, conditions, barriers, semaphores, failed try-locks. Of conditions and
 * semaphores the ones of the trace itself, of which a run may have others. */
#include "base/memory.h"
#include "model/model_parts.h"

#include <assert.h>
#include <stdlib.h>

struct waiter {
    event_id pre, post; /* of one wait; post is EVENT_NONE when the trace ends before it */
};

struct required_object {    /* a condition, a barrier or a semaphore, as far as the pass has come */
    struct waiter *waiters; /* condition: waiting and not matched */
    size_t waiters_count, waiters_capacity;
    event_id *queue; /* barrier: those who entered the open generation; semaphore: posts, oldest first */
    size_t queue_count, queue_capacity;
    size_t taken;        /* semaphore: how many of the posts are taken */
    uint64_t initial;    /* semaphore: tokens that seminit put there, not taken */
    event_id init;       /* semaphore: its seminit, or EVENT_INIT */
    uint32_t generation; /* barrier: the number of the open generation */
};

struct requirement_builder {
    struct model *m;
    struct map post_of;   /* waitpre → its waitpost */
    struct map pre_of;    /* waitpost → its waitpre */
    struct map end_of;    /* waitpost → the acquire right before it, which ends the wait, or itself */
    struct map woken_by;  /* waitpost → the notify that matched it */
    struct map forked_by; /* thread → fork */
    struct map entered;   /* (barrier, thread) → generation, from 1 */
    struct map closed;    /* (barrier, generation) → index of its first bexit's requirement, from 1 */
    struct required_object *conditions, *barriers, *semaphores;
};

static bool takes_lock(const struct model *m, event_id e)
{
    return kind_of(m, e) == EVENT_ACQUIRE || kind_of(m, e) == EVENT_SHARED_ACQUIRE;
}

/* Finds the end of every wait: which one comes first decides whom a notify wakes. */
static void pair_waits(struct requirement_builder *b)
{
    struct map open = {0}; /* (condition, thread) → waitpre */
    event_id *last = memory_new(b->m->thread_count, sizeof *last);

    for (event_id e = 1; e <= b->m->event_count; e++) {
        enum event_kind kind = kind_of(b->m, e);
        event_id before = last[thread_of(b->m, e)];

        last[thread_of(b->m, e)] = e;
        if (kind == EVENT_WAIT_PRE)
            *map_at(&open, map_pair(arg_of(b->m, e), thread_of(b->m, e))) = e;
        if (kind != EVENT_WAIT_POST)
            continue;
        event_id pre = map_get(&open, map_pair(arg_of(b->m, e), thread_of(b->m, e)));
        assert(pre != 0 && before >= pre);
        *map_at(&b->post_of, pre) = e;
        *map_at(&b->pre_of, e) = pre;
        *map_at(&b->end_of, e) = takes_lock(b->m, before) ? before : e;
    }
    free(last);
    map_free(&open);
}

struct requirement_builder *requirement_builder_new(struct model *m)
{
    struct requirement_builder *b = memory_new(1, sizeof *b);

    b->m = m;
    b->conditions = memory_new(trace_names(m->trace, NAME_CONDITION), sizeof *b->conditions);
    b->barriers = memory_new(trace_names(m->trace, NAME_BARRIER), sizeof *b->barriers);
    b->semaphores = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *b->semaphores);
    if (trace_names(m->trace, NAME_CONDITION) > 0)
        pair_waits(b);
    return b;
}

static void objects_free(struct required_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(objects[i].waiters);
        free(objects[i].queue);
    }
    free(objects);
}

void requirement_builder_finish(struct requirement_builder *b)
{
    objects_free(b->conditions, trace_names(b->m->trace, NAME_CONDITION));
    objects_free(b->barriers, trace_names(b->m->trace, NAME_BARRIER));
    objects_free(b->semaphores, trace_names(b->m->trace, NAME_SEMAPHORE));
    map_free(&b->post_of);
    map_free(&b->pre_of);
    map_free(&b->end_of);
    map_free(&b->woken_by);
    map_free(&b->forked_by);
    map_free(&b->entered);
    map_free(&b->closed);
    free(b);
}

/* Adds `before` to what `e` requires; `e` is the newest event of the pass. */
static void require(struct model *m, event_id e, event_id before)
{
    assert(before != EVENT_INIT && before < e);
    assert(m->requirements_count == 0 || m->requirements[m->requirements_count - 1].event <= e);
    if (m->requirements_count == 0 || m->requirements[m->requirements_count - 1].event != e)
        ARRAY_PUSH(m, requirements, (struct requirement){e, (uint32_t)m->required_events_count, 0});
    else if (m->required_events[m->required_events_count - 1] == before)
        return; /* a fork may be the last event of the thread that is joined */
    ARRAY_PUSH(m, required_events, before);
    m->requirements[m->requirements_count - 1].count++;
}

/* The notify `e` wakes waiter `i`. */
static void match(struct requirement_builder *b, struct required_object *condition, size_t i, event_id e)
{
    struct waiter woken = condition->waiters[i];

    assert(i < condition->waiters_count && woken.pre < e && e < woken.post);
    require(b->m, e, woken.pre);
    *map_at(&b->woken_by, woken.post) = e;
    condition->waiters[i] = condition->waiters[--condition->waiters_count];
}

static void on_notify(struct requirement_builder *b, event_id e, bool all)
{
    struct required_object *condition = &b->conditions[arg_of(b->m, e)];
    size_t first = SIZE_MAX;

    for (size_t i = condition->waiters_count; i-- > 0;) {
        if (map_get(&b->end_of, condition->waiters[i].post) < e)
            continue; /* it has its lock again: nothing wakes it any more */
        if (all)
            match(b, condition, i, e);
        else if (first == SIZE_MAX || condition->waiters[i].post < condition->waiters[first].post)
            first = i;
    }
    if (first != SIZE_MAX)
        match(b, condition, first, e);
}

/* A waiter that never comes back is never matched: it is not listed. */
static void on_wait_pre(struct requirement_builder *b, event_id e)
{
    event_id post = map_get(&b->post_of, e);

    if (post)
        ARRAY_PUSH(&b->conditions[arg_of(b->m, e)], waiters, (struct waiter){e, post});
}

static void on_wait_post(struct requirement_builder *b, event_id e)
{
    struct required_object *condition = &b->conditions[arg_of(b->m, e)];
    event_id notify = map_get(&b->woken_by, e);

    if (notify) {
        require(b->m, e, notify);
        ARRAY_PUSH(b->m, waits, (struct woken_wait){e, map_get(&b->pre_of, e), map_get(&b->end_of, e), notify});
        return;
    }
    for (size_t i = condition->waiters_count; i-- > 0;)
        if (condition->waiters[i].post == e)
            condition->waiters[i] = condition->waiters[--condition->waiters_count];
}

static void on_barrier_enter(struct requirement_builder *b, event_id e)
{
    struct required_object *barrier = &b->barriers[arg_of(b->m, e)];

    ARRAY_PUSH(barrier, queue, e);
    *map_at(&b->entered, map_pair(arg_of(b->m, e), thread_of(b->m, e))) = barrier->generation + 1;
}

/* The first to leave closes the generation; the others share its list. */
static void on_barrier_exit(struct requirement_builder *b, event_id e)
{
    struct required_object *barrier = &b->barriers[arg_of(b->m, e)];
    uint32_t generation = map_get(&b->entered, map_pair(arg_of(b->m, e), thread_of(b->m, e)));
    uint32_t *closing = map_at(&b->closed, map_pair(arg_of(b->m, e), generation));

    assert(generation > 0 && generation <= barrier->generation + 1); /* the validator: nobody leaves before */
    if (*closing) {
        struct requirement shared = b->m->requirements[*closing - 1];
        assert(b->m->requirements_count == 0 || b->m->requirements[b->m->requirements_count - 1].event !=
                                                    e); /* benter came before: not a first event */
        shared.event = e;
        ARRAY_PUSH(b->m, requirements, shared);
        return;
    }
    for (size_t i = 0; i < barrier->queue_count; i++)
        require(b->m, e, barrier->queue[i]);
    *closing = (uint32_t)b->m->requirements_count;
    barrier->queue_count = 0;
    barrier->generation++;
}

/* The oldest token is taken first: an initial one, if there is a seminit. */
static void on_sem_wait(struct requirement_builder *b, event_id e)
{
    struct required_object *semaphore = &b->semaphores[arg_of(b->m, e)];

    if (semaphore->init != EVENT_INIT)
        require(b->m, e, semaphore->init);
    if (semaphore->initial > 0)
        semaphore->initial--;
    else if (semaphore->taken < semaphore->queue_count)
        require(b->m, e, semaphore->queue[semaphore->taken++]);
}

static void on_post(struct requirement_builder *b, event_id e)
{
    struct required_object *semaphore = &b->semaphores[arg_of(b->m, e)];

    if (semaphore->init != EVENT_INIT)
        require(b->m, e, semaphore->init);
    ARRAY_PUSH(semaphore, queue, e);
}

static void on_join(struct requirement_builder *b, event_id e)
{
    thread_id child = arg_of(b->m, e);

    if (has_events(b->m, child))
        require(b->m, e, last_event(b->m, child));
}

void requirement_builder_event(struct requirement_builder *b, const struct section_builder *locks, event_id e)
{
    uint32_t arg = arg_of(b->m, e);

    if (is_thread_start(b->m, e) && map_get(&b->forked_by, b->m->trace->thread[e]))
        require(b->m, e, map_get(&b->forked_by, b->m->trace->thread[e]));

    switch (kind_of(b->m, e)) {
    case EVENT_FORK:
        *map_at(&b->forked_by, arg) = e;
        break;
    case EVENT_JOIN:
        on_join(b, e);
        break;
    case EVENT_WAIT_PRE:
        on_wait_pre(b, e);
        break;
    case EVENT_WAIT_POST:
        on_wait_post(b, e);
        break;
    case EVENT_NOTIFY:
        on_notify(b, e, false);
        break;
    case EVENT_NOTIFY_ALL:
        on_notify(b, e, true);
        break;
    case EVENT_BARRIER_ENTER:
        on_barrier_enter(b, e);
        break;
    case EVENT_BARRIER_EXIT:
        on_barrier_exit(b, e);
        break;
    case EVENT_SEM_INIT:
        b->semaphores[arg].init = e;
        b->semaphores[arg].initial = b->m->trace->value[e];
        break;
    case EVENT_POST:
        on_post(b, e);
        break;
    case EVENT_SEM_WAIT:
        on_sem_wait(b, e);
        break;
    case EVENT_TRY_FAIL:
        if (section_builder_holder(locks, arg) != EVENT_NONE)
            require(b->m, e, section_builder_holder(locks, arg));
        break;
    default:
        break;
    }
}

bool model_requires_always(const struct model *m, event_id e, event_id before)
{
    enum event_kind kind = kind_of(m, e), other = kind_of(m, before);

    if (kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL)
        return other != EVENT_WAIT_PRE;
    return !(kind == EVENT_SEM_WAIT && other == EVENT_POST) &&
           !(kind == EVENT_WAIT_POST && (other == EVENT_NOTIFY || other == EVENT_NOTIFY_ALL));
}

struct event_span model_required(const struct model *m, event_id e)
{
    size_t low = 0, high = m->requirements_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (m->requirements[middle].event < e)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->requirements_count || m->requirements[low].event != e)
        return (struct event_span){NULL, 0};
    return (struct event_span){m->required_events + m->requirements[low].first, m->requirements[low].count};
}
