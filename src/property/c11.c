/* C11 happens-before in one pass. */
#include "property/c11.h"
#include "base/memory.h"
#include "base/row.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* A release by way of writes to a variable, still readable: who did it and what it releases. */
struct c11_head {
    thread_id thread; /* of the trace */
    uint32_t *row;
};

struct atomic_variable {
    struct c11_head *heads; /* at most one a thread */
    size_t heads_count, heads_capacity;
};

struct c11 {
    const struct model *m;
    uint32_t *now;      /* by thread, a row: what happens before its next event */
    uint32_t *fence;    /* by thread, a row: what its last release fence releases; zeros: none */
    uint32_t *arriving; /* by thread, a row: what relaxed reads have seen, for the next acquire fence */
    uint32_t **released, **reader_released; /* by lock; NULL: not yet */
    struct atomic_variable *variables;
    size_t next_requirement;
    struct required_row {
        event_id event;
        uint32_t *row;
    } * rows; /* of events that may be required, in trace order */
    size_t rows_count, rows_capacity;
};

static uint32_t *row_of(const struct c11 *c, uint32_t *rows, thread_id t)
{
    return rows + (size_t)t * c->m->thread_count;
}

static uint32_t *row_copy(const struct c11 *c, const uint32_t *row)
{
    uint32_t *copy = memory_resize(NULL, c->m->thread_count, sizeof *copy);

    memcpy(copy, row, c->m->thread_count * sizeof *copy);
    return copy;
}

static void row_join(const struct c11 *c, uint32_t *to, const uint32_t *from)
{
    row_raise(to, from, c->m->thread_count);
}

struct c11 *c11_new(const struct model *m)
{
    struct c11 *c = memory_new(1, sizeof *c);
    size_t square = (size_t)m->thread_count * m->thread_count;

    c->m = m;
    c->now = memory_new(square, sizeof *c->now);
    c->fence = memory_new(square, sizeof *c->fence);
    c->arriving = memory_new(square, sizeof *c->arriving);
    memory_expect(c->now, square * sizeof *c->now); /* every thread has events */
    c->released = memory_new(m->lock_count, sizeof *c->released);
    c->reader_released = memory_new(m->lock_count, sizeof *c->reader_released);
    c->variables = memory_new(m->variable_count, sizeof *c->variables);
    return c;
}

void c11_free(struct c11 *c)
{
    for (lock_id l = 0; l < c->m->lock_count; l++) {
        free(c->released[l]);
        free(c->reader_released[l]);
    }
    for (variable_id x = 0; x < c->m->variable_count; x++) {
        for (size_t i = 0; i < c->variables[x].heads_count; i++)
            free(c->variables[x].heads[i].row);
        free(c->variables[x].heads);
    }
    for (size_t i = 0; i < c->rows_count; i++)
        free(c->rows[i].row);
    free(c->rows);
    free(c->now);
    free(c->fence);
    free(c->arriving);
    free((void *)c->released);
    free((void *)c->reader_released);
    free(c->variables);
    free(c);
}

static const uint32_t *row_at(const struct c11 *c, event_id e)
{
    size_t low = 0, high = c->rows_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (c->rows[middle].event < e)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low < c->rows_count && c->rows[low].event == e);
    return c->rows[low].row;
}

/* Threads, conditions, barriers, semaphores; not the holder that made a try fail. What a fork requires is there already. */
static void take_requirements(struct c11 *c, event_id e, uint32_t *now)
{
    const struct model *m = c->m;

    while (c->next_requirement < m->requirements_count && m->requirements[c->next_requirement].event < e)
        c->next_requirement++;
    if (c->next_requirement == m->requirements_count || m->requirements[c->next_requirement].event != e)
        return;
    const struct requirement *r = &m->requirements[c->next_requirement];
    for (uint32_t i = 0; i < r->count; i++) {
        event_id before = m->required_events[r->first + i];
        thread_id u = thread_of(m, before);
        if (kind_of(m, e) == EVENT_JOIN && has_events(m, arg_of(m, e)) && u == m->lane_of[arg_of(m, e)])
            row_join(c, now, row_of(c, c->now, u)); /* it has ended: its row stands */
        else if (kind_of(m, before) != EVENT_ACQUIRE && kind_of(m, before) != EVENT_FORK)
            row_join(c, now, row_at(c, before));
    }
}

static bool may_be_required(enum event_kind kind)
{
    return kind == EVENT_WAIT_PRE || kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL ||
           kind == EVENT_BARRIER_ENTER || kind == EVENT_POST || kind == EVENT_SEM_INIT;
}

/* The thread has not begun, and who was in its lane is over: its row is free. */
static void start_child(struct c11 *c, event_id fork, const uint32_t *after)
{
    if (has_events(c->m, arg_of(c->m, fork)))
        row_join(c, row_of(c, c->now, c->m->lane_of[arg_of(c->m, fork)]), after);
}

static void take_lock(struct c11 *c, event_id e, uint32_t *now)
{
    lock_id l = arg_of(c->m, e);

    if (c->released[l])
        row_join(c, now, c->released[l]);
    if (kind_of(c->m, e) == EVENT_ACQUIRE && c->reader_released[l])
        row_join(c, now, c->reader_released[l]);
}

static void give_lock(struct c11 *c, event_id e, const uint32_t *after)
{
    uint32_t **row = kind_of(c->m, e) == EVENT_RELEASE ? &c->released[arg_of(c->m, e)]
                                                       : &c->reader_released[arg_of(c->m, e)];

    if (*row && kind_of(c->m, e) == EVENT_RELEASE) /* who took the lock knows all that was released before */
        memcpy(*row, after, c->m->thread_count * sizeof **row);
    else if (*row)
        row_join(c, *row, after);
    else
        *row = row_copy(c, after);
}

static bool releases(event_op op)
{
    return op_order(op) != ORDER_RELAXED && op_order(op) != ORDER_ACQUIRE;
}

static bool acquires(event_op op)
{
    return op_order(op) != ORDER_RELAXED && op_order(op) != ORDER_RELEASE;
}

/* An atomic read sees the release sequences that its source is part of: all that are not yet broken. */
static void atomic_read(struct c11 *c, event_id e, uint32_t *now)
{
    const struct atomic_variable *x = &c->variables[arg_of(c->m, e)];
    uint32_t *to = acquires(c->m->trace->op[e]) ? now : row_of(c, c->arriving, thread_of(c->m, e));

    for (size_t i = 0; i < x->heads_count; i++)
        row_join(c, to, x->heads[i].row);
}

/* A write that is no rmw breaks the release sequences that other threads head. */
static void break_sequences(struct atomic_variable *x, thread_id t)
{
    size_t kept = 0;

    for (size_t i = 0; i < x->heads_count; i++) {
        if (x->heads[i].thread == t)
            x->heads[kept++] = x->heads[i];
        else
            free(x->heads[i].row);
    }
    x->heads_count = kept;
}

static void add_head(struct c11 *c, struct atomic_variable *x, thread_id t, const uint32_t *row)
{
    for (size_t i = 0; i < x->heads_count; i++) {
        if (x->heads[i].thread == t) {
            row_join(c, x->heads[i].row, row);
            return;
        }
    }
    ARRAY_PUSH(x, heads, (struct c11_head){t, row_copy(c, row)});
}

static void do_write(struct c11 *c, event_id e, const uint32_t *after)
{
    thread_id t = thread_of(c->m, e);
    struct atomic_variable *x = &c->variables[arg_of(c->m, e)];
    const uint32_t *fence = row_of(c, c->fence, t);

    if (!kind_updates(kind_of(c->m, e)))
        break_sequences(x, c->m->trace->thread[e]);
    if (!kind_atomic(kind_of(c->m, e)))
        return;
    if (releases(c->m->trace->op[e]))
        add_head(c, x, c->m->trace->thread[e], after);
    else if (fence[t] > 0)
        add_head(c, x, c->m->trace->thread[e], fence);
}

static void do_fence(struct c11 *c, event_id e, uint32_t *now)
{
    thread_id t = thread_of(c->m, e);

    if (acquires(c->m->trace->op[e]))
        row_join(c, now, row_of(c, c->arriving, t));
    if (releases(c->m->trace->op[e])) {
        uint32_t *fence = row_of(c, c->fence, t);
        memcpy(fence, now, c->m->thread_count * sizeof *fence);
        fence[t] = c->m->position[e] + 1;
    }
}

/* A thread of the trace has the fences that it did itself, not those of the one before it in the lane. */
static void start_thread(struct c11 *c, thread_id t)
{
    size_t bytes = c->m->thread_count * sizeof *c->fence;

    memset(row_of(c, c->fence, t), 0, bytes);
    memset(row_of(c, c->arriving, t), 0, bytes);
}

const uint32_t *c11_event(struct c11 *c, event_id e)
{
    const struct model *m = c->m;
    thread_id t = thread_of(m, e);
    enum event_kind kind = kind_of(m, e);
    uint32_t *now = row_of(c, c->now, t);
    bool counts = model_section_of(m, e) != SECTION_NONE; /* not re-entrant */

    assert(now[t] <= m->position[e]); /* rows only grow, and nobody knows more of a thread than it has done */
    now[t] = m->position[e];
    if (is_thread_start(m, e) && m->position[e] > 0)
        start_thread(c, t);
    if (!kind_accesses(kind) || is_thread_start(m, e))
        take_requirements(c, e, now);
    if (counts && (kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE))
        take_lock(c, e, now);
    if (kind == EVENT_ATOMIC_READ || kind_updates(kind))
        atomic_read(c, e, now);
    if (kind == EVENT_FENCE)
        do_fence(c, e, now);

    now[t] = m->position[e] + 1; /* from here on, as those after it will see it */
    if (kind_writes(kind) && (kind_atomic(kind) || c->variables[arg_of(m, e)].heads_count > 0))
        do_write(c, e, now);
    if (counts && (kind == EVENT_RELEASE || kind == EVENT_SHARED_RELEASE))
        give_lock(c, e, now);
    if (kind == EVENT_FORK)
        start_child(c, e, now);
    if (may_be_required(kind))
        ARRAY_PUSH(c, rows, (struct required_row){e, row_copy(c, now)});
    return now;
}
