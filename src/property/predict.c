/* Prediction for declared blocks: a feasible run in which another transaction interferes with a block that
 * nothing interfered with in the observed run.
 *
 * What is asked for are cycles of two: events a, c of the block and b, d of the other transaction, a before b
 * and d before c in the run, where a conflicts with b, and d with c, as accesses of one variable or operations
 * on one lock. Conflicts inside a block need no prediction: what they rest on is the same in every feasible
 * run. */
#include "base/memory.h"
#include "property/cycles.h"
#include "property/reentry.h"
#include "property/serial.h"
#include "property/worker.h"

#include <stdlib.h>
#include <string.h>

struct predictor {
    struct worker *w;
    const struct model *m;
    enum property property;
    enum event_kind begin;
    event_id *node;        /* by event: the first event of its transaction */
    uint32_t *start;       /* by object: where its operations begin in `operations`; one more at the end */
    event_id *operations;  /* accesses and effective lock operations, by object, thread and position */
    uint32_t *block_start; /* by block, and one more: where its operations begin in `inside` */
    event_id *inside;
    event_id *blocks;
    size_t blocks_count, blocks_capacity;
    bool *settled;    /* by block: it is interfered with, in the observed run or in one that was found */
    uint32_t *number; /* by first event of a block: which it is, from 1 */
    uint32_t
        *until; /* by thread: the last position of a first event that the block under way need not be before */
    struct map asked; /* (block, other transaction) → 1 */
};

struct event_list {
    event_id *events;
    size_t events_count, events_capacity;
};

/* A variable or lock, or UINT32_MAX. */
static uint32_t object_of(const struct model *m, event_id e)
{
    enum event_kind kind = kind_of(m, e);

    return kind_accesses(kind) ? arg_of(m, e)
           : kind_locks(kind)  ? m->variable_count + arg_of(m, e)
                               : UINT32_MAX;
}

static bool writes(const struct model *m, event_id e)
{
    return kind_writes(kind_of(m, e)) || kind_locks_exclusively(kind_of(m, e));
}

static bool conflict(const struct model *m, event_id a, event_id b)
{
    return object_of(m, a) == object_of(m, b) && (writes(m, a) || writes(m, b));
}

/* Says where every event belongs, and lists what is done to objects: by object, and by block. */
static void read_trace(struct predictor *p)
{
    const struct model *m = p->m;
    size_t objects = (size_t)m->variable_count + m->lock_count;
    uint8_t *counts = memory_new((size_t)m->event_count + 1, 1);
    struct transactions transactions;
    struct reentry reentry;

    transactions_init(&transactions, m, p->begin);
    reentry_init(&reentry, m);
    p->start = memory_new(objects + 2, sizeof *p->start);
    p->number = memory_new((size_t)m->event_count + 1, sizeof *p->number);
    for (event_id e = 1; e <= m->event_count; e++) {
        const struct transaction *in = transactions_at(&transactions, e);
        p->node[e] = in ? in->first : e;
        if (in && in->first == e) {
            ARRAY_PUSH(p, blocks, e);
            p->number[e] = (uint32_t)p->blocks_count;
        }
        counts[e] =
            object_of(m, e) != UINT32_MAX && (!kind_locks(kind_of(m, e)) || reentry_effective(&reentry, m, e));
        if (counts[e])
            p->start[object_of(m, e) + 2]++;
        transactions_after(&transactions, e);
    }
    for (size_t o = 2; o < objects + 2; o++)
        p->start[o] += p->start[o - 1];
    p->operations = memory_new(p->start[objects + 1], sizeof *p->operations);
    p->block_start = memory_new(p->blocks_count + 2, sizeof *p->block_start);
    for (uint32_t i = 0; i < m->event_count; i++) {
        event_id e = m->thread_events[i];
        if (!counts[e])
            continue;
        p->operations[p->start[object_of(m, e) + 1]++] = e;
        if (p->number[p->node[e]])
            p->block_start[p->number[p->node[e]] + 1]++;
    }
    for (size_t b = 2; b < p->blocks_count + 2; b++)
        p->block_start[b] += p->block_start[b - 1];
    p->inside = memory_new(p->block_start[p->blocks_count + 1], sizeof *p->inside);
    for (event_id e = 1; e <= m->event_count; e++)
        if (counts[e] && p->number[p->node[e]])
            p->inside[p->block_start[p->number[p->node[e]]]++] = e;
    memmove(p->block_start + 1, p->block_start, (p->blocks_count + 1) * sizeof *p->block_start);
    p->block_start[0] = 0;
    free(counts);
    reentry_free(&reentry);
    transactions_free(&transactions);
}

/* The operations of a transaction, given by its first event. */
static struct event_span inside(const struct predictor *p, const event_id *first)
{
    uint32_t number = p->number[*first];

    if (!number)
        return (struct event_span){first, 1};
    return (struct event_span){p->inside + p->block_start[number],
                               p->block_start[number + 1] - p->block_start[number]};
}

/* Whether `a` comes before `b` in every run, even if that ends its thread with b. */
static bool comes_first(const struct predictor *p, event_id a, event_id b)
{
    const struct model *m = p->m;

    if (thread_of(m, a) == thread_of(m, b))
        return m->position[a] < m->position[b];
    return m->position[a] < base_row(m, b)[thread_of(m, a)];
}

/* Of each thread, the first of the events that conflicts with `later` and may come before it: the others come
 * before it only where the first does. */
static void find_earliest(const struct predictor *p, struct event_span events, event_id later,
                          struct event_list *found)
{
    const struct model *m = p->m;

    found->events_count = 0;
    for (size_t i = 0; i < events.count; i++) {
        event_id e = events.events[i];
        bool known = false;
        if (!conflict(m, e, later))
            continue;
        for (size_t k = 0; k < found->events_count && !known; k++)
            known = thread_of(m, found->events[k]) == thread_of(m, e);
        if (!known && !comes_first(p, later, e))
            ARRAY_PUSH(found, events, e);
    }
}

/* The innermost section around `e`, one that begins or ends with it included. */
static uint32_t hold_around(const struct model *m, event_id e)
{
    bool begins = kind_of(m, e) == EVENT_ACQUIRE || kind_of(m, e) == EVENT_SHARED_ACQUIRE;

    return model_hold_at(m, thread_of(m, e), m->position[e] + begins);
}

static bool is_around(const struct model *m, const struct section *s, event_id e)
{
    return s->owner == thread_of(m, e) && s->acquire <= e && e <= s->release; /* EVENT_NONE is the largest */
}

/* Whether one section of a lock holds a and c, and another, which cannot overlap it, b and d: then one pair
 * comes before the other. */
static bool sections_forbid(const struct model *m, event_id a, event_id b, event_id d, event_id c)
{
    for (uint32_t i = hold_around(m, a); i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *ours = &m->sections[m->holds[i].section];
        for (uint32_t k = hold_around(m, b); is_around(m, ours, c) && k != HOLD_NONE; k = m->holds[k].outer) {
            const struct section *theirs = &m->sections[m->holds[k].section];
            if (section_lock(ours) == section_lock(theirs) && ours->owner != theirs->owner &&
                !(ours->shared && theirs->shared) && is_around(m, theirs, d))
                return true;
        }
    }
    return false;
}

/* Whether a run has a before b and d before c. */
static bool ask(struct predictor *p, event_id a, event_id b, event_id d, event_id c)
{
    const struct model *m = p->m;
    event_id block = p->node[a], other = p->node[b];
    bool swap = p->number[other] && other < block;
    uint64_t before = p->w->stats[p->property].feasible;

    if (sections_forbid(m, a, b, d, c)) {
        worker_refute(p->w, p->property, REFUTED_MUST_ORDER, 1);
        return false;
    }
    if (swap)
        worker_ask(p->w, p->property, (uint32_t[]){other, block, d, c, a, b}, 6);
    else
        worker_ask(p->w, p->property, (uint32_t[]){block, other, a, b, d, c}, 6);
    return p->w->stats[p->property].feasible > before;
}

static bool ask_lists(struct predictor *p, const struct event_list *a, event_id b, const struct event_list *d,
                      event_id c)
{
    for (size_t i = 0; i < a->events_count; i++)
        for (size_t k = 0; k < d->events_count && !*p->w->stop; k++)
            if (ask(p, a->events[i], b, d->events[k], c))
                return true;
    return false;
}

/* Whether a run is found for the pair of a block and another transaction. */
static bool check_pair(struct predictor *p, event_id block, event_id other)
{
    struct event_span ours = inside(p, &block), theirs = inside(p, &other);
    struct event_list a = {0}, d = {0};
    bool found = false;

    for (size_t i = 0; i < theirs.count && !found; i++) {
        find_earliest(p, ours, theirs.events[i], &a);
        for (size_t k = 0; k < ours.count && a.events_count > 0 && !found && !*p->w->stop; k++) {
            find_earliest(p, theirs, ours.events[k], &d);
            found = ask_lists(p, &a, theirs.events[i], &d, ours.events[k]);
        }
    }
    free(a.events);
    free(d.events);
    return found;
}

/* Says for each thread up to which position a transaction may begin that has an event which need not come after
 * the block. The very first that comes after may do so only because of what it reads, and end its thread. */
static void find_until(struct predictor *p, struct event_span ours)
{
    const struct model *m = p->m;

    memset(p->until, 0, m->thread_count * sizeof *p->until);
    for (size_t i = 0; i < ours.count; i++) {
        event_id e = ours.events[i];
        for (thread_id u = 0; u < m->thread_count; u++) {
            uint32_t position = u == thread_of(m, e) ? m->position[e] : must_after(m, e, u);
            p->until[u] = position > p->until[u] ? position : p->until[u];
        }
    }
}

/* Where in the object's operations those of a thread from a position on begin. */
static uint32_t find_operation(const struct predictor *p, uint32_t object, thread_id thread, uint32_t position)
{
    uint32_t low = p->start[object], high = p->start[object + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        event_id e = p->operations[middle];
        if (thread_of(p->m, e) < thread || (thread_of(p->m, e) == thread && p->m->position[e] < position))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The transactions that conflict with operation `e` of the block by one of thread `u`. What is found for two
 * blocks is about both. */
static bool check_thread(struct predictor *p, event_id block, event_id e, thread_id u, uint32_t from)
{
    const struct model *m = p->m;
    uint32_t object = object_of(m, e), end = p->start[object + 1];

    for (uint32_t k = find_operation(p, object, u, from); k < end && !*p->w->stop; k++) {
        event_id b = p->operations[k], other = p->node[b];
        if (thread_of(m, b) != u || (thread_of(m, other) == u && m->position[other] > p->until[u]))
            return false;
        if (other == block || !conflict(m, e, b) || m->position[other] > p->until[thread_of(m, other)])
            continue;
        uint32_t *asked = map_at(&p->asked, map_pair(block, other));
        if ((*asked)++ || !check_pair(p, block, other))
            continue;
        if (p->number[other])
            p->settled[p->number[other] - 1] = true;
        return true;
    }
    return false;
}

static bool check_operation(struct predictor *p, event_id block, event_id e)
{
    const struct model *m = p->m;
    uint32_t *row = memory_resize(NULL, m->thread_count, sizeof *row);
    bool found = false;

    memcpy(row, base_row(m, e), m->thread_count * sizeof *row);
    row[thread_of(m, e)] = m->position[e];
    for (thread_id u = 0; u < m->thread_count && !found; u++)
        found = check_thread(p, block, e, u, row[u]);
    free(row);
    return found;
}

/* One run is enough for a block; one that shows it by data says more than one that shows it by locks. */
static void check_block(struct predictor *p, event_id block)
{
    struct event_span ours = inside(p, &block);

    find_until(p, ours);
    for (size_t i = 0; i < ours.count; i++)
        if (kind_accesses(kind_of(p->m, ours.events[i])) && check_operation(p, block, ours.events[i]))
            return;
    for (size_t i = 0; i < ours.count; i++)
        if (kind_locks(kind_of(p->m, ours.events[i])) && check_operation(p, block, ours.events[i]))
            return;
}

static void find_settled(struct predictor *p)
{
    uint64_t count;

    p->settled = memory_new(p->blocks_count, sizeof *p->settled);
    if (serial_violation(p->m, p->begin, p->w->stop, &count) == EVENT_NONE)
        return;
    struct cycles *cycles = cycles_new(p->m, p->begin, p->w->stop);
    struct event_span blocks = cycles_blocks(cycles);
    for (size_t i = 0; i < blocks.count; i++)
        p->settled[p->number[blocks.events[i]] - 1] = true;
    cycles_free(cycles);
}

void predict_blocks(struct worker *w, enum property property, enum event_kind begin)
{
    struct predictor p = {.w = w, .m = w->m, .property = property, .begin = begin};

    if (transactions_begins(w->m, begin) == 0)
        return;
    p.node = memory_new((size_t)w->m->event_count + 1, sizeof *p.node);
    p.until = memory_new(w->m->thread_count, sizeof *p.until);
    read_trace(&p);
    find_settled(&p);
    for (size_t i = 0; i < p.blocks_count && !*w->stop; i++) {
        if (!p.settled[i])
            check_block(&p, p.blocks[i]);
        map_free(&p.asked);
    }
    free(p.node);
    free(p.until);
    free(p.start);
    free(p.operations);
    free(p.block_start);
    free(p.inside);
    free(p.blocks);
    free(p.settled);
    free(p.number);
}
