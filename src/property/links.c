/* Which event hands over to which. Conditions follow the model's matching, which looks ahead; barriers and
 * semaphores need no more than the past. */
#include "property/links.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct generation {
    void **loads; /* of all who entered; one if they can be merged */
    size_t loads_count, loads_capacity;
    uint32_t members; /* who have entered and not left, and the barrier while it is open */
    bool closed;
};

struct barrier {
    struct generation *open;     /* NULL: nobody is in it */
    struct generation **entered; /* by thread: the one it is in; NULL until the barrier is used */
};

struct semaphore {
    void **posts; /* not yet taken: from `taken` on */
    size_t posts_count, posts_capacity, taken;
};

struct wait {
    uint32_t condition;
    void *before; /* what the wait hands to its notify, until then */
    void *wake;   /* what the notify hands to the wait */
};

struct wait_list {
    struct wait *waits;
    size_t waits_count, waits_capacity;
};

struct links {
    const struct model *m;
    struct link_ops ops;
    void *context;
    struct barrier *barriers;
    struct semaphore *semaphores;
    struct wait_list *waiting; /* by thread */
    size_t next_requirement;
};

struct links *links_new(const struct model *m, const struct link_ops *ops, void *context)
{
    struct links *l = memory_new(1, sizeof *l);

    l->m = m;
    l->ops = *ops;
    l->context = context;
    l->barriers = memory_new(trace_names(m->trace, NAME_BARRIER), sizeof *l->barriers);
    l->semaphores = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *l->semaphores);
    l->waiting = memory_new(m->thread_count, sizeof *l->waiting);
    return l;
}

static void drop(struct links *l, void *load)
{
    if (load)
        l->ops.drop(l->context, load);
}

static void leave(struct links *l, struct generation *g)
{
    assert(g->members > 0);
    if (--g->members > 0)
        return;
    for (size_t i = 0; i < g->loads_count; i++)
        drop(l, g->loads[i]);
    free((void *)g->loads);
    free(g);
}

static void free_barrier(struct links *l, struct barrier *b)
{
    for (thread_id t = 0; b->entered && t < l->m->thread_count; t++)
        if (b->entered[t])
            leave(l, b->entered[t]);
    if (b->open)
        leave(l, b->open);
    free((void *)b->entered);
}

void links_free(struct links *l)
{
    for (size_t i = 0; i < trace_names(l->m->trace, NAME_BARRIER); i++)
        free_barrier(l, &l->barriers[i]);
    for (size_t i = 0; i < trace_names(l->m->trace, NAME_SEMAPHORE); i++) {
        for (size_t p = l->semaphores[i].taken; p < l->semaphores[i].posts_count; p++)
            drop(l, l->semaphores[i].posts[p]);
        free((void *)l->semaphores[i].posts);
    }
    for (thread_id t = 0; t < l->m->thread_count; t++) {
        for (size_t i = 0; i < l->waiting[t].waits_count; i++) {
            drop(l, l->waiting[t].waits[i].before);
            drop(l, l->waiting[t].waits[i].wake);
        }
        free(l->waiting[t].waits);
    }
    free(l->barriers);
    free(l->semaphores);
    free(l->waiting);
    free(l);
}

bool links_gives(enum event_kind kind)
{
    return kind == EVENT_WAIT_PRE || kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL ||
           kind == EVENT_BARRIER_ENTER || kind == EVENT_POST;
}

bool links_takes(enum event_kind kind)
{
    return kind == EVENT_WAIT_POST || kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL ||
           kind == EVENT_BARRIER_EXIT || kind == EVENT_SEM_WAIT;
}

/* The wait of this thread on this condition; made if there is none. */
static struct wait *wait_on(struct links *l, thread_id t, uint32_t condition)
{
    struct wait_list *list = &l->waiting[t];

    for (size_t i = 0; i < list->waits_count; i++)
        if (list->waits[i].condition == condition)
            return &list->waits[i];
    ARRAY_PUSH(list, waits, (struct wait){.condition = condition});
    return &list->waits[list->waits_count - 1];
}

/* The waits that a notify wakes. */
static struct event_span woken_by(struct links *l, event_id notify)
{
    const struct model *m = l->m;

    /* Events come in the order of the trace. */
    assert(l->next_requirement == 0 || m->requirements[l->next_requirement - 1].event < notify);
    while (l->next_requirement < m->requirements_count && m->requirements[l->next_requirement].event < notify)
        l->next_requirement++;
    if (l->next_requirement == m->requirements_count)
        return (struct event_span){NULL, 0};
    const struct requirement *r = &m->requirements[l->next_requirement];
    return (struct event_span){m->required_events + r->first, r->event == notify ? r->count : 0};
}

static bool is_wait_on(const struct model *m, event_id e, uint32_t condition)
{
    return kind_of(m, e) == EVENT_WAIT_PRE && arg_of(m, e) == condition;
}

static void take_waits(struct links *l, event_id notify)
{
    struct event_span woken = woken_by(l, notify);

    for (size_t i = 0; i < woken.count; i++) {
        if (!is_wait_on(l->m, woken.events[i], arg_of(l->m, notify)))
            continue; /* the fork of its thread */
        struct wait *w = wait_on(l, thread_of(l->m, woken.events[i]), arg_of(l->m, notify));
        l->ops.take(l->context, w->before);
        drop(l, w->before);
        w->before = NULL;
    }
}

static void wake(struct links *l, event_id notify, void *load)
{
    struct event_span woken = woken_by(l, notify);

    for (size_t i = 0; i < woken.count; i++)
        if (is_wait_on(l->m, woken.events[i], arg_of(l->m, notify)))
            wait_on(l, thread_of(l->m, woken.events[i]), arg_of(l->m, notify))->wake =
                l->ops.share(l->context, load);
    drop(l, load);
}

static void end_wait(struct links *l, thread_id t, uint32_t condition)
{
    struct wait_list *list = &l->waiting[t];
    struct wait *w = wait_on(l, t, condition);

    if (w->wake)
        l->ops.take(l->context, w->wake);
    drop(l, w->wake);
    drop(l, w->before);
    *w = list->waits[--list->waits_count];
}

static void enter_barrier(struct links *l, struct barrier *b, thread_id t, void *load)
{
    if (!b->entered)
        b->entered = memory_new(l->m->thread_count, sizeof *b->entered);
    if (!b->open) {
        b->open = memory_new(1, sizeof *b->open);
        b->open->members = 1;
    }
    if (l->ops.merge && b->open->loads_count > 0)
        b->open->loads[0] = l->ops.merge(l->context, b->open->loads[0], load);
    else
        ARRAY_PUSH(b->open, loads, load);
    if (b->entered[t])
        leave(l, b->entered[t]);
    b->entered[t] = b->open;
    b->open->members++;
}

static void leave_barrier(struct links *l, struct barrier *b, thread_id t)
{
    struct generation *g = b->entered[t];

    assert(g && (g->closed || b->open == g)); /* who leaves has entered, and only one generation is open */
    if (!g->closed) {
        g->closed = true;
        b->open = NULL;
        g->members--;
    }
    for (size_t i = 0; i < g->loads_count; i++)
        l->ops.take(l->context, g->loads[i]);
    b->entered[t] = NULL;
    leave(l, g);
}

static void take_post(struct links *l, struct semaphore *s)
{
    assert(s->taken <= s->posts_count);
    if (s->taken == s->posts_count)
        return; /* an initial token */
    l->ops.take(l->context, s->posts[s->taken]);
    drop(l, s->posts[s->taken++]);
    if (s->taken >= 16 && 2 * s->taken >= s->posts_count) {
        s->posts_count -= s->taken;
        memmove((void *)s->posts, (void *)(s->posts + s->taken), s->posts_count * sizeof *s->posts);
        s->taken = 0;
    }
}

void links_take(struct links *l, event_id e)
{
    switch (kind_of(l->m, e)) {
    case EVENT_NOTIFY:
    case EVENT_NOTIFY_ALL:
        take_waits(l, e);
        break;
    case EVENT_WAIT_POST:
        end_wait(l, thread_of(l->m, e), arg_of(l->m, e));
        break;
    case EVENT_BARRIER_EXIT:
        leave_barrier(l, &l->barriers[arg_of(l->m, e)], thread_of(l->m, e));
        break;
    case EVENT_SEM_WAIT:
        take_post(l, &l->semaphores[arg_of(l->m, e)]);
        break;
    default:
        break;
    }
}

void links_give(struct links *l, event_id e, void *load)
{
    struct wait *w;

    switch (kind_of(l->m, e)) {
    case EVENT_WAIT_PRE:
        w = wait_on(l, thread_of(l->m, e), arg_of(l->m, e));
        drop(l, w->before);
        drop(l, w->wake);
        *w = (struct wait){.condition = arg_of(l->m, e), .before = load};
        break;
    case EVENT_NOTIFY:
    case EVENT_NOTIFY_ALL:
        wake(l, e, load);
        break;
    case EVENT_BARRIER_ENTER:
        enter_barrier(l, &l->barriers[arg_of(l->m, e)], thread_of(l->m, e), load);
        break;
    case EVENT_POST:
        ARRAY_PUSH(&l->semaphores[arg_of(l->m, e)], posts, load);
        break;
    default:
        drop(l, load);
    }
}
