/* Vector clocks along a run. */
#include "export/run_order.h"
#include "base/memory.h"
#include "report/text/interleaving.h"

#include <stdlib.h>
#include <string.h>

enum { NUMBERS_MOST = 64 << 20 }; /* of all rows together */

struct order_walk {
    struct run_order *c;
    uint32_t *thread_last;   /* by thread: position of its last event, 0: none yet */
    uint32_t *variable_last; /* by variable: position of its last write */
    uint32_t *lock_last;     /* by lock: position of the last release */
};

static void join_row(struct run_order *c, uint32_t *row, uint32_t position)
{
    const uint32_t *other = run_order_row(c, position);

    for (uint32_t t = 0; t < c->thread_count; t++)
        if (other[t] > row[t])
            row[t] = other[t];
}

static bool is_acquire(enum event_kind kind)
{
    return kind == EVENT_ACQUIRE || kind == EVENT_SHARED_ACQUIRE;
}

static bool is_release(enum event_kind kind)
{
    return kind == EVENT_RELEASE || kind == EVENT_SHARED_RELEASE;
}

static void follow(struct order_walk *w, uint32_t position)
{
    struct run_order *c = w->c;
    const struct model *m = c->x->model;
    event_id e = exported_event(c->x, position);
    enum event_kind kind = kind_of(m, e);
    thread_id thread = thread_of(m, e);
    uint32_t *row = c->rows + (size_t)(position - 1) * c->thread_count;
    struct event_span required = model_required(m, e);

    if (w->thread_last[thread])
        join_row(c, row, w->thread_last[thread]);
    for (size_t i = 0; i < required.count; i++)
        if (c->position[required.events[i]])
            join_row(c, row, c->position[required.events[i]]);
    c->source[position - 1] = EVENT_NONE;
    if (kind_reads(kind)) {
        uint32_t from = w->variable_last[arg_of(m, e)];
        c->source[position - 1] = from ? exported_event(c->x, from) : EVENT_INIT;
        if (from)
            join_row(c, row, from);
    }
    if (is_acquire(kind) && w->lock_last[arg_of(m, e)])
        join_row(c, row, w->lock_last[arg_of(m, e)]);
    row[thread]++;
    c->position[e] = position;
    w->thread_last[thread] = position;
    if (kind_writes(kind))
        w->variable_last[arg_of(m, e)] = position;
    if (is_release(kind))
        w->lock_last[arg_of(m, e)] = position;
}

enum status run_order_build(struct run_order *c, const struct exported *x, struct error *err)
{
    const struct model *m = x->model;
    struct order_walk w = {.c = c};

    memset(c, 0, sizeof *c);
    if ((uint64_t)x->length * m->thread_count > NUMBERS_MOST)
        return fail(
            err, HEDDLE_UNSUPPORTED,
            "a run of %u events of %u threads is too large: export the run of one finding, with --finding",
            x->length, m->thread_count);
    c->x = x;
    c->thread_count = m->thread_count;
    c->rows = memory_new((size_t)x->length * m->thread_count, sizeof *c->rows);
    c->position = memory_new((size_t)m->event_count + 1, sizeof *c->position);
    c->source = memory_new(x->length, sizeof *c->source);
    w.thread_last = memory_new(m->thread_count, sizeof *w.thread_last);
    w.variable_last = memory_new(m->variable_count, sizeof *w.variable_last);
    w.lock_last = memory_new(m->lock_count, sizeof *w.lock_last);
    for (uint32_t position = 1; position <= x->length; position++)
        follow(&w, position);
    free(w.thread_last);
    free(w.variable_last);
    free(w.lock_last);
    return HEDDLE_OK;
}

void run_order_free(struct run_order *c)
{
    free(c->rows);
    free(c->position);
    free(c->source);
}

bool run_order_before(const struct run_order *c, uint32_t a, uint32_t b)
{
    thread_id thread = thread_of(c->x->model, exported_event(c->x, a));

    return a < b && run_order_row(c, b)[thread] >= run_order_row(c, a)[thread];
}

uint32_t *run_order_shown(const struct run_order *c, size_t *count)
{
    const struct exported *x = c->x;
    uint32_t *shown = memory_new(x->length, sizeof *shown);
    struct steps steps = {0};

    *count = 0;
    if (!x->finding) {
        while (*count < x->length) {
            shown[*count] = (uint32_t)*count + 1;
            ++*count;
        }
        return shown;
    }
    steps_choose(&steps, x->model, x->finding);
    for (size_t i = 0; i < steps.steps_count; i++) {
        uint32_t position = c->position[steps.steps[i].event];
        if (position) /* a thread that waits for a lock does not hold it */
            shown[(*count)++] = position;
    }
    steps_free(&steps);
    return shown;
}
