/* From a model to chains, stages and locks. */
#include "method/csp/csp_plan.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

struct planner {
    struct csp_plan *p;
    const struct model *m;
    uint32_t *process_of;       /* by event: its process of stages, plus 1 */
    uint32_t *forks, *joins;    /* by thread: its process, plus 1 */
    uint32_t *section_of_try;   /* by event: the section a failed try ran into, plus 1 */
    uint32_t *tries_of_section; /* how many there are */
};

static event_id required_of_kind(const struct model *m, event_id e, enum event_kind kind, uint32_t arg)
{
    struct event_span required = model_required(m, e);

    for (size_t i = 0; i < required.count; i++)
        if (kind_of(m, required.events[i]) == kind && arg_of(m, required.events[i]) == arg)
            return required.events[i];
    return EVENT_NONE;
}

static void add_member(struct planner *b, uint32_t process, uint32_t stage, event_id e)
{
    b->process_of[e] = process + 1;
    ARRAY_PUSH(
        b->p, members,
        (struct csp_member){.process = process, .stage = stage, .event = e, .thread = thread_of(b->m, e)});
}

/* A start or end of a thread: named apart from the event it comes with. */
static void add_boundary(struct planner *b, uint32_t process, uint32_t stage, thread_id t, bool end)
{
    const struct model *m = b->m;
    csp_event first = m->event_count + CSP_FIRST;

    ARRAY_PUSH(b->p, members,
               (struct csp_member){.process = process,
                                   .stage = stage,
                                   .label = first + (end ? m->thread_count : 0) + t,
                                   .event = event_at(m, t, end ? thread_length(m, t) - 1 : 0),
                                   .thread = t});
}

static void plan_fork(struct planner *b, thread_id t)
{
    event_id fork =
        thread_length(b->m, t) > 0 ? required_of_kind(b->m, event_at(b->m, t, 0), EVENT_FORK, t) : EVENT_NONE;

    if (fork == EVENT_NONE)
        return;
    add_member(b, b->p->stage_count, 0, fork);
    add_boundary(b, b->p->stage_count, 1, t, false);
    b->forks[t] = ++b->p->stage_count;
}

static void plan_join(struct planner *b, event_id e)
{
    thread_id t = arg_of(b->m, e);

    if (thread_length(b->m, t) == 0)
        return;
    if (b->joins[t] == 0) {
        add_boundary(b, b->p->stage_count, 0, t, true);
        b->joins[t] = ++b->p->stage_count;
    }
    add_member(b, b->joins[t] - 1, 1, e);
}

static void plan_notify(struct planner *b, event_id e)
{
    struct event_span required = model_required(b->m, e);
    uint32_t process = b->p->stage_count;

    for (size_t i = 0; i < required.count; i++) {
        if (kind_of(b->m, required.events[i]) != EVENT_WAIT_PRE)
            continue; /* a fork */
        add_member(b, process, 0, required.events[i]);
        b->p->stage_count = process + 1;
    }
    if (b->p->stage_count > process)
        add_member(b, process, 1, e);
}

static void plan_wake_up(struct planner *b, event_id e)
{
    event_id notify = required_of_kind(b->m, e, EVENT_NOTIFY, arg_of(b->m, e));

    if (notify == EVENT_NONE)
        notify = required_of_kind(b->m, e, EVENT_NOTIFY_ALL, arg_of(b->m, e));
    if (notify != EVENT_NONE)
        add_member(b, b->process_of[notify] - 1, 2, e);
}

static void plan_departure(struct planner *b, event_id e)
{
    struct event_span required = model_required(b->m, e);
    uint32_t known;

    assert(required.count > 0);
    if (b->process_of[required.events[0]] == 0) {
        for (size_t i = 0; i < required.count; i++)
            add_member(b, b->p->stage_count, 0, required.events[i]);
        b->p->stage_count++;
    }
    known = b->process_of[required.events[0]];
    add_member(b, known - 1, 1, e);
}

static void plan_semaphore_wait(struct planner *b, event_id e)
{
    event_id post = required_of_kind(b->m, e, EVENT_POST, arg_of(b->m, e));

    if (post == EVENT_NONE)
        return;
    add_member(b, b->p->stage_count, 0, post);
    add_member(b, b->p->stage_count++, 1, e);
}

static void plan_try(struct planner *b, event_id e)
{
    event_id acquire = required_of_kind(b->m, e, EVENT_ACQUIRE, arg_of(b->m, e));

    if (acquire == EVENT_NONE)
        return;
    b->section_of_try[e] = model_section_of(b->m, acquire) + 1;
    b->tries_of_section[model_section_of(b->m, acquire)]++;
}

static void plan_processes(struct planner *b)
{
    const struct model *m = b->m;

    for (thread_id t = 0; t < m->thread_count; t++)
        plan_fork(b, t);
    for (event_id e = 1; e <= m->event_count; e++) {
        switch (kind_of(m, e)) {
        case EVENT_JOIN:
            plan_join(b, e);
            break;
        case EVENT_NOTIFY:
        case EVENT_NOTIFY_ALL:
            plan_notify(b, e);
            break;
        case EVENT_WAIT_POST:
            plan_wake_up(b, e);
            break;
        case EVENT_BARRIER_EXIT:
            plan_departure(b, e);
            break;
        case EVENT_SEM_WAIT:
            plan_semaphore_wait(b, e);
            break;
        case EVENT_TRY_FAIL:
            plan_try(b, e);
            break;
        default:
            break;
        }
    }
}

/* The label of (class, object, thread), given a new one if it is new. */
static csp_event label_for(struct csp_plan *p, uint64_t class, uint32_t object, thread_id t, bool *is_new)
{
    uint32_t *label = map_at(&p->labels, class << 58 | (uint64_t)object << 29 | t);

    *is_new = *label == 0;
    if (*is_new)
        *label = p->next_label++;
    return *label;
}

static void add_lock_label(struct csp_plan *p, lock_id lock, enum lock_operation operation, thread_id t,
                           csp_event label, uint32_t section)
{
    ARRAY_PUSH(p, lock_labels, (struct csp_lock_label){lock, operation, t, label, section});
}

/* Whether the thread of the exclusive acquire holds the lock in shared mode already. */
static bool is_upgrade(const struct model *m, event_id e)
{
    for (uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]); h != HOLD_NONE;
         h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (s->shared && section_lock(s) == arg_of(m, e))
            return true;
    }
    return false;
}

static enum lock_operation lock_operation(const struct model *m, event_id e)
{
    switch (kind_of(m, e)) {
    case EVENT_ACQUIRE:
        return is_upgrade(m, e) ? LOCK_UPGRADE : LOCK_TAKE;
    case EVENT_RELEASE:
        return LOCK_GIVE;
    case EVENT_SHARED_ACQUIRE:
        return LOCK_SHARE;
    default:
        return LOCK_UNSHARE;
    }
}

/* A lock operation with effect. Acquires whose sections made tries fail have labels of their own, as the tries
 * have: the process has to know which section is open. */
static struct csp_link lock_link(struct planner *b, event_id e)
{
    const struct model *m = b->m;
    enum lock_operation operation = lock_operation(m, e);
    uint32_t section = model_section_of(m, e), tries = b->tries_of_section[section];
    struct csp_link link = {.event = e, .leaf = b->p->stage_count + arg_of(m, e)};
    bool is_new;

    link.takes = operation == LOCK_TAKE || operation == LOCK_UPGRADE || operation == LOCK_SHARE;
    link.gives = !link.takes;
    link.tries = operation == LOCK_GIVE ? tries : 0;
    if (tries > 0 && operation != LOCK_GIVE) {
        link.label = e + 1;
        add_lock_label(b->p, arg_of(m, e), operation, thread_of(m, e), link.label, section);
        return link;
    }
    link.label = label_for(b->p, (uint64_t)operation, arg_of(m, e), thread_of(m, e), &is_new);
    if (is_new)
        add_lock_label(b->p, arg_of(m, e), operation, thread_of(m, e), link.label, SECTION_NONE);
    return link;
}

static void add_event_link(struct planner *b, event_id e)
{
    const struct model *m = b->m;
    enum event_kind kind = kind_of(m, e);
    struct csp_link link = {.event = e, .label = e + 1, .leaf = LEAF_NONE};

    if (kind == EVENT_TRY_FAIL) {
        if (b->section_of_try[e]) {
            link.leaf = b->p->stage_count + arg_of(m, e);
            add_lock_label(b->p, arg_of(m, e), LOCK_TRY, thread_of(m, e), link.label, b->section_of_try[e] - 1);
        }
    } else if (kind >= EVENT_ACQUIRE && kind <= EVENT_SHARED_RELEASE) {
        if (model_section_of(m, e) == SECTION_NONE)
            return; /* re-entrant: without effect */
        link = lock_link(b, e);
    } else if (b->process_of[e]) {
        link.leaf = b->process_of[e] - 1;
    }
    ARRAY_PUSH(b->p, links, link);
}

static void add_boundary_link(struct planner *b, thread_id t, bool end)
{
    const struct model *m = b->m;
    uint32_t process = end ? b->joins[t] : b->forks[t];
    struct csp_link link = {.leaf = process - 1,
                            .label = m->event_count + CSP_FIRST + (end ? m->thread_count : 0) + t,
                            .kind = end ? LINK_END : LINK_START};

    if (process == 0)
        return;
    link.event = event_at(m, t, end ? thread_length(m, t) - 1 : 0);
    ARRAY_PUSH(b->p, links, link);
}

static void build_chain(struct planner *b, thread_id t)
{
    const struct model *m = b->m;
    struct csp_plan *p = b->p;

    p->chain_start[t] = (uint32_t)p->links_count;
    add_boundary_link(b, t, false);
    for (uint32_t i = 0; i < thread_length(m, t); i++) {
        event_id e = event_at(m, t, i);
        p->chain_position[e] = (uint32_t)p->links_count - p->chain_start[t];
        if (kind_synchronizes(kind_of(m, e)))
            add_event_link(b, e);
    }
    add_boundary_link(b, t, true);
    p->chain_start[t + 1] = (uint32_t)p->links_count;
}

static int by_process(const void *a, const void *b)
{
    const struct csp_member *p = a, *q = b;

    if (p->process != q->process)
        return p->process < q->process ? -1 : 1;
    if (p->stage != q->stage)
        return p->stage < q->stage ? -1 : 1;
    return p->event < q->event ? -1 : p->event > q->event;
}

static int by_lock(const void *a, const void *b)
{
    const struct csp_lock_label *p = a, *q = b;

    if (p->lock != q->lock)
        return p->lock < q->lock ? -1 : 1;
    return p->label < q->label ? -1 : p->label > q->label;
}

/* Members learn their labels and positions from the chains; both lists are sorted. */
static void finish_lists(struct csp_plan *p)
{
    const struct model *m = p->m;

    for (size_t i = 0; i < p->members_count; i++) {
        struct csp_member *member = &p->members[i];
        bool boundary = member->label != 0;
        bool end = member->label >= m->event_count + CSP_FIRST + m->thread_count;
        member->position = end        ? chain_length(p, member->thread) - 1
                           : boundary ? 0
                                      : p->chain_position[member->event];
        member->label = chain_link(p, member->thread, member->position)->label;
    }
    if (p->members_count > 1)
        qsort(p->members, p->members_count, sizeof *p->members, by_process);
    p->member_start = memory_new((size_t)p->stage_count + 1, sizeof *p->member_start);
    for (size_t i = p->members_count; i-- > 0;)
        p->member_start[p->members[i].process] = (uint32_t)i;
    p->member_start[p->stage_count] = (uint32_t)p->members_count;

    if (p->lock_labels_count > 1)
        qsort(p->lock_labels, p->lock_labels_count, sizeof *p->lock_labels, by_lock);
    p->lock_start = memory_new((size_t)m->lock_count + 1, sizeof *p->lock_start);
    for (size_t i = 0, lock = 0; lock <= m->lock_count; lock++) {
        while (i < p->lock_labels_count && p->lock_labels[i].lock < lock)
            i++;
        p->lock_start[lock] = (uint32_t)i;
    }
}

void csp_plan_build(struct csp_plan *p, const struct model *m)
{
    struct planner b = {.p = p, .m = m};
    size_t events = (size_t)m->event_count + 1;

    *p = (struct csp_plan){.m = m, .next_label = m->event_count + CSP_FIRST + 2 * m->thread_count};
    p->race = p->next_label++;
    p->chain_start = memory_new((size_t)m->thread_count + 1, sizeof *p->chain_start);
    p->chain_position = memory_new(events, sizeof *p->chain_position);
    b.process_of = memory_new(events, sizeof *b.process_of);
    b.section_of_try = memory_new(events, sizeof *b.section_of_try);
    b.tries_of_section = memory_new((size_t)m->section_start[m->lock_count] + 1, sizeof *b.tries_of_section);
    b.forks = memory_new(m->thread_count, sizeof *b.forks);
    b.joins = memory_new(m->thread_count, sizeof *b.joins);
    plan_processes(&b);
    for (thread_id t = 0; t < m->thread_count; t++)
        build_chain(&b, t);
    finish_lists(p);
    csp_plan_rests(p);
    free(b.process_of);
    free(b.section_of_try);
    free(b.tries_of_section);
    free(b.forks);
    free(b.joins);
}

void csp_plan_free(struct csp_plan *p)
{
    free(p->chain_start);
    free(p->links);
    free(p->chain_position);
    free(p->rest_up);
    free(p->members);
    free(p->member_start);
    free(p->lock_labels);
    free(p->lock_start);
    free(p->rest);
    free(p->last_takes);
    map_free(&p->labels);
}

csp_event csp_access_label(struct csp_plan *p, thread_id t, variable_id v, bool writes, bool atomic)
{
    bool is_new;

    return label_for(p, 8u + 2u * writes + atomic, v, t, &is_new);
}
