/* What the reads of a run see and its writes carry. */
#include "solve/carry.h"
#include "base/map.h"
#include "base/memory.h"
#include "solve/wake.h"

#include <stdlib.h>
#include <string.h>

/* What a write carries. */
struct carried {
    bool as_written; /* what it wrote in the trace */
    bool unknown;    /* it lies before a window without prefix */
    struct known_value value;
};

struct carry_step {
    event_id seen;    /* of a read: the write; EVENT_NONE: unknown */
    bool as_observed; /* of a read */
    bool taken;       /* it is in the run so far */
    bool asked;       /* it was asked which read is to blame: none is */
    struct carried carried;
};

struct carrier {
    const struct model *m;
    const struct window *w;
    const struct query *q;
    event_id start;
    struct carry_step *steps; /* by node */
    size_t steps_capacity;
    struct map current; /* variable → last write of the run after its start, plus 1 */
    uint32_t
        *changed;    /* by lane: how many reads so far of the thread of the trace there were not as observed */
    event_id *first; /* by lane: the first of these */
    struct waker *waker;
};

struct carrier *carrier_new(const struct model *m)
{
    struct carrier *c = memory_new(1, sizeof *c);

    c->m = m;
    c->changed = memory_new(m->thread_count, sizeof *c->changed);
    c->first = memory_new(m->thread_count, sizeof *c->first);
    c->waker = waker_new(m);
    return c;
}

void carrier_free(struct carrier *c)
{
    waker_free(c->waker);
    map_free(&c->current);
    free(c->changed);
    free(c->first);
    free(c->steps);
    free(c);
}

static struct carry_step *step_of(const struct carrier *c, event_id e)
{
    return &c->steps[window_node(c->w, e)];
}

static bool is_inside(const struct carrier *c, event_id e)
{
    return e != EVENT_INIT && window_node(c->w, e) < NODE_OUT;
}

/* The last write to the variable right now, or EVENT_NONE if that is not known. */
static event_id current_write(const struct carrier *c, variable_id x)
{
    uint32_t written = map_get(&c->current, x);

    if (written)
        return written - 1;
    return c->w->prefix ? model_last_write(c->m, x, c->start) : EVENT_NONE;
}

static struct carried carried_by(const struct carrier *c, event_id write, variable_id x)
{
    if (write == EVENT_NONE)
        return (struct carried){.unknown = true};
    if (is_inside(c, write))
        return step_of(c, write)->carried;
    return (struct carried){.as_written = true, .value = model_written(c->m, write, x)};
}

static bool is_as_observed(const struct carrier *c, event_id read)
{
    return !is_inside(c, read) || step_of(c, read)->as_observed;
}

/* What the read, which is in the run, sees, as far as it is known. */
static struct known_value value_seen(const struct carrier *c, event_id read)
{
    if (is_as_observed(c, read))
        return model_seen(c->m, read);
    return carried_by(c, step_of(c, read)->seen, arg_of(c->m, read)).value;
}

static bool sees_observed(const struct carrier *c, event_id read, event_id seen)
{
    struct carried carried = carried_by(c, seen, arg_of(c->m, read));

    if (carried.unknown || (seen == c->m->source[read] && carried.as_written))
        return true;
    return known_equal(carried.value, model_seen(c->m, read));
}

/* Whether everything that the write's value is made of is as observed. */
static bool is_made_as_observed(const struct carrier *c, event_id write, const struct made *made)
{
    if (made->form == MADE_OF_ALL)
        return c->changed[thread_of(c->m, write)] == 0;
    for (uint32_t i = 0; i < made->list.count; i++)
        if (!is_as_observed(c, ground_at(&made->list, i).read))
            return false;
    return true;
}

static struct carried carry(const struct carrier *c, event_id write)
{
    struct made made = model_made(c->m, write);
    struct known_value written = model_written(c->m, write, arg_of(c->m, write));

    if (made.form == MADE_OFFSET) {
        struct known_value seen = value_seen(c, made.read);
        if (known_is_number(seen)) {
            struct known_value sum = model_add(c->m, arg_of(c->m, write), seen.number, made.offset);
            bool same = written.tag == VALUE_NONE ? is_as_observed(c, made.read) : known_equal(sum, written);
            return (struct carried){.as_written = same, .value = sum};
        }
    }
    if (is_made_as_observed(c, write, &made))
        return (struct carried){.as_written = true, .value = written};
    return (struct carried){0};
}

static void take(struct carrier *c, event_id e)
{
    struct carry_step *s = step_of(c, e);
    enum event_kind kind = kind_of(c->m, e);
    variable_id x = arg_of(c->m, e);

    s->taken = true;
    if (is_thread_start(c->m, e))
        c->changed[thread_of(c->m, e)] = 0; /* those of the thread before it in the lane */
    if (!kind_accesses(kind))
        return;
    if (kind_reads(kind)) {
        s->seen = current_write(c, x);
        s->as_observed = sees_observed(c, e, s->seen);
        if (!s->as_observed && c->changed[thread_of(c->m, e)]++ == 0)
            c->first[thread_of(c->m, e)] = e;
    }
    if (kind == EVENT_CAS && !s->as_observed)
        return;
    if (kind_writes(kind)) {
        s->carried = carry(c, e);
        *map_at(&c->current, x) = e + 1;
    }
}

/* Which read is to blame: one that is free to see another write and that determines what another read sees. */
struct blame {
    const struct carrier *c;
    bool change; /* what is carried has to change; otherwise something that is not as observed has to be so */
    bool any;    /* what is found may have to see any write, not only one of its value */
};

static event_id blame_write(struct blame *b, event_id write);

static bool is_fixed(const struct carrier *c, event_id read)
{
    return c->w->demanded[window_node(c->w, read)] & NODE_COUPLED;
}

static event_id blame_read(struct blame *b, event_id read)
{
    const struct carrier *c = b->c;

    if (!is_inside(c, read) || !step_of(c, read)->taken || step_of(c, read)->asked)
        return EVENT_NONE;
    step_of(c, read)->asked = true;
    if (is_fixed(c, read))
        return blame_write(b, step_of(c, read)->seen);
    return b->change && c->w->demanded[window_node(c->w, read)] & NODE_DEMANDED ? EVENT_NONE : read;
}

/* One of several reads that a value is made of. */
static event_id blame_part(struct blame *b, event_id read)
{
    b->any = b->change;
    return b->change || !is_as_observed(b->c, read) ? blame_read(b, read) : EVENT_NONE;
}

static event_id blame_write(struct blame *b, event_id write)
{
    const struct carrier *c = b->c;
    event_id found = EVENT_NONE;

    if (write == EVENT_NONE || !is_inside(c, write))
        return EVENT_NONE;
    struct made made = model_made(c->m, write);
    if (made.form == MADE_OFFSET) {
        b->any = true;
        return blame_read(b, made.read);
    }
    if (!b->change && step_of(c, write)->carried.as_written)
        return EVENT_NONE; /* it is as it can be */
    for (uint32_t i = 0; made.form == MADE_OF && i < made.list.count && found == EVENT_NONE; i++)
        found = blame_part(b, ground_at(&made.list, i).read);
    if (made.form != MADE_OF_ALL)
        return found;
    if (kind_updates(kind_of(c->m, write)))
        found = blame_part(b, write);
    thread_id t = thread_of(c->m, write);
    uint32_t begin = c->m->begins[c->m->trace->thread[write]];
    for (uint32_t p = begin > c->w->low[t] ? begin : c->w->low[t];
         c->m->grounds && p < c->m->position[write] && found == EVENT_NONE; p++)
        if (c->m->source[event_at(c->m, t, p)] != EVENT_NONE)
            found = blame_part(b, event_at(c->m, t, p));
    return found;
}

/* The event depends on the read, which is not as it must be. */
static struct flaw read_flaw(const struct carrier *c, event_id event, event_id by, event_id read)
{
    struct flaw flaw = {FLAW_READ, event, by, read, EVENT_NONE, false};
    struct blame b = {.c = c};

    flaw.blamed = blame_read(&b, read);
    flaw.any = b.any;
    return flaw;
}

/* The end of a thread of the trace that has no exit stands on all its reads. */
static struct flaw check_end(const struct carrier *c, event_id event, thread_id of_trace)
{
    thread_id t = c->m->lane_of[of_trace];

    if (!has_events(c->m, of_trace) || kind_of(c->m, last_event(c->m, of_trace)) == EVENT_EXIT)
        return (struct flaw){FLAW_NONE};
    return c->changed[t] > 0 ? read_flaw(c, event, EVENT_NONE, c->first[t]) : (struct flaw){FLAW_NONE};
}

/* What the event `at` stands on; `event`: who needs that. */
static struct flaw check_list(const struct carrier *c, event_id event, event_id at)
{
    const struct model *m = c->m;
    thread_id t = thread_of(m, at);
    struct ground_list by = m->grounds ? trace_by(m->trace, at) : (struct ground_list){.given = false};

    if (is_thread_start(m, at))
        return (struct flaw){FLAW_NONE};
    if (!by.given)
        return c->changed[t] > 0 ? read_flaw(c, event, at, c->first[t]) : (struct flaw){FLAW_NONE};
    event_id before = event_at(m, t, m->position[at] - 1);
    if (before != EVENT_INIT && kind_of(m, before) == EVENT_CAS && !is_as_observed(c, before))
        return read_flaw(c, event, at, before);
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (is_as_observed(c, g.read))
            continue;
        if (g.form != GROUND_RANGES || !m->values ||
            !known_in_ranges(value_seen(c, g.read), g.ranges, g.range_count))
            return read_flaw(c, event, at, g.read);
    }
    return (struct flaw){FLAW_NONE};
}

/* Condition 4 for an event that is about to be taken. */
static struct flaw check_event(const struct carrier *c, event_id e)
{
    const struct model *m = c->m;
    struct flaw flaw = check_list(c, e, e);

    if (flaw.kind != FLAW_NONE || kind_of(m, e) != EVENT_JOIN)
        return flaw;
    return check_end(c, e, arg_of(m, e));
}

/* The threads that stop: condition 4 for what comes next. */
static struct flaw check_next(const struct carrier *c)
{
    const struct model *m = c->m;
    struct flaw flaw = {FLAW_NONE};

    for (thread_id t = 0; t < m->thread_count && flaw.kind == FLAW_NONE; t++) {
        uint32_t next = c->w->high[t];
        event_id last = next > 0 ? event_at(m, t, next - 1) : EVENT_INIT;
        if (!c->q->keep[t] || last == EVENT_INIT)
            continue;
        flaw = is_thread_end(m, last) ? check_end(c, EVENT_NONE, m->trace->thread[last])
                                      : check_list(c, EVENT_NONE, event_at(m, t, next));
    }
    return flaw;
}

/* A cas at the end of its thread was assumed not to be as observed but is, or the other way round. */
static struct flaw check_cas(const struct carrier *c, event_id e)
{
    struct flaw flaw = {FLAW_CAS, e, EVENT_NONE, e, EVENT_NONE, true};
    struct blame b = {.c = c, .change = true};

    if (kind_of(c->m, e) != EVENT_CAS || step_of(c, e)->seen == EVENT_NONE ||
        step_of(c, e)->as_observed != (c->w->actions[window_node(c->w, e)] == CAS_FAILED))
        return (struct flaw){FLAW_NONE};
    if (!step_of(c, e)->as_observed)
        return read_flaw(c, e, EVENT_NONE, e);
    flaw.blamed = blame_read(&b, e);
    return flaw;
}

static bool passes_test(const struct carrier *c)
{
    const struct query *q = c->q;
    const struct model *m = c->m;

    if (q->test == TEST_NONE)
        return true;
    if (q->test == TEST_READ_NEW)
        return !is_as_observed(c, q->test_read);

    struct carried carried = carried_by(c, q->test_write, arg_of(m, q->test_write));
    if (q->test == TEST_WRITE_NEW)
        return !known_equal(carried.value, model_written(m, q->test_read, arg_of(m, q->test_read)));
    return !known_equal(carried.value, value_seen(c, q->test_read)) &&
           !known_in_ranges(carried.value, q->test_ranges, q->test_range_count);
}

static struct flaw check_test(const struct carrier *c)
{
    struct flaw flaw = {FLAW_TEST, EVENT_NONE, EVENT_NONE, c->q->test_read, EVENT_NONE, true};
    struct blame b = {.c = c, .change = true};

    if (passes_test(c))
        return (struct flaw){FLAW_NONE};
    if (c->q->test != TEST_READ_NEW)
        flaw.blamed = blame_write(&b, c->q->test_write);
    if (flaw.blamed == EVENT_NONE && c->q->test != TEST_WRITE_NEW)
        flaw.blamed = blame_read(&b, c->q->test_read);
    return flaw;
}

struct flaw carrier_check(struct carrier *c, const struct window *w, const struct query *q, event_id start,
                          const event_id *order)
{
    struct flaw flaw = {FLAW_NONE};

    c->w = w;
    c->q = q;
    c->start = start;
    c->steps = memory_grow(c->steps, &c->steps_capacity, w->nodes, sizeof *c->steps);
    memset(c->steps, 0, w->nodes * sizeof *c->steps);
    memset(c->changed, 0, c->m->thread_count * sizeof *c->changed);
    for (uint32_t i = 0; i < w->nodes && flaw.kind == FLAW_NONE; i++) {
        if (!q->observed)
            flaw = check_event(c, order[i]);
        take(c, order[i]);
        if (flaw.kind == FLAW_NONE && !q->observed)
            flaw = check_cas(c, order[i]);
    }
    if (flaw.kind == FLAW_NONE && !q->observed)
        flaw = check_next(c);
    if (flaw.kind == FLAW_NONE) /* the notify of the trace may come after the acquire that ends its wait */
        flaw = waker_check(c->waker, w, q, start, order);
    if (flaw.kind == FLAW_NONE && w->prefix)
        flaw = check_test(c);
    map_free(&c->current);
    return flaw;
}
