/* The steps of a run in strides: what its reads see and its writes carry, and whether an event can come next. */
#include "base/memory.h"
#include "solve/stride_parts.h"

#include <assert.h>

static struct stride_cell cell_of(const struct strider *r, variable_id x)
{
    if (r->ages[x] > 0)
        return r->cells[x];
    event_id write = model_last_write(r->m, x, r->start);
    return (struct stride_cell){write, true, model_written(r->m, write, x)};
}

static const struct stride_look *look_of(const struct strider *r, event_id read)
{
    uint32_t at = read > r->start || r->looks_count > 0 ? map_get(&r->look_of, read) : 0;

    assert(at <= r->looks_count);
    return at ? &r->looks[at - 1] : NULL;
}

static bool is_as_observed(const struct strider *r, event_id read)
{
    const struct stride_look *look = look_of(r, read);

    return !look || look->as_observed;
}

static struct known_value value_seen(const struct strider *r, event_id read)
{
    const struct stride_look *look = look_of(r, read);

    return !look || look->as_observed ? model_seen(r->m, read) : look->cell.value;
}

/* How many events of the thread its reads must let it have; one more where the one it stops before, or its end, counts. */
static uint32_t thread_goal(const struct strider *r, thread_id t)
{
    uint32_t goal = r->done[t] < r->least[t] ? r->least[t] : r->most[t];

    return goal + (r->q->keep[t] && goal == r->q->most[t]);
}

/* Whether the thread can go on as far as it should after the read sees this. */
static bool lets_go_on(const struct strider *r, event_id read, struct known_value value, uint32_t goal)
{
    const struct model *m = r->m;

    if (read_plain_at(m, read) < goal)
        return false;
    for (uint32_t i = rising_at(&r->range_from, read);
         i < m->range_demands_count && m->range_demands[r->ranges_of[i]].read == read; i++) {
        const struct range_demand *d = &m->range_demands[r->ranges_of[i]];
        if (m->position[d->event] < goal && !known_in_ranges(value, d->ranges, d->range_count))
            return false;
    }
    return true;
}

/* Condition 4 for an event. */
static bool stands(const struct strider *r, event_id e)
{
    const struct model *m = r->m;
    thread_id t = thread_of(m, e);
    struct ground_list by = m->grounds ? trace_by(m->trace, e) : (struct ground_list){.given = false};

    if (!by.given)
        return r->changed[t] == 0;
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (!is_as_observed(r, g.read) && (g.form != GROUND_RANGES || !m->values ||
                                           !known_in_ranges(value_seen(r, g.read), g.ranges, g.range_count)))
            return false;
    }
    return true;
}

static bool is_made_as_observed(const struct strider *r, event_id write, const struct made *made)
{
    if (made->form == MADE_OF_ALL)
        return r->changed[thread_of(r->m, write)] == 0;
    for (uint32_t i = 0; i < made->list.count; i++)
        if (!is_as_observed(r, ground_at(&made->list, i).read))
            return false;
    return true;
}

/* What the write carries (semantics §1). */
static struct stride_cell carry(const struct strider *r, event_id write)
{
    struct made made = model_made(r->m, write);
    variable_id x = arg_of(r->m, write);
    struct known_value written = model_written(r->m, write, x);

    if (made.form == MADE_OFFSET) {
        struct known_value seen = value_seen(r, made.read);
        if (known_is_number(seen)) {
            struct known_value sum = model_add(r->m, x, seen.number, made.offset);
            bool same = written.tag == VALUE_NONE ? is_as_observed(r, made.read) : known_equal(sum, written);
            return (struct stride_cell){write, same, sum};
        }
    }
    if (is_made_as_observed(r, write, &made))
        return (struct stride_cell){write, true, written};
    return (struct stride_cell){.write = write};
}

static void set_cell(struct strider *r, variable_id x, struct stride_cell cell)
{
    ARRAY_PUSH(r, changes, (struct stride_change){x, r->cells[x], r->ages[x]});
    if (r->ages[x]++ == 0)
        ARRAY_PUSH(r, touched, x);
    r->cells[x] = cell;
}

/* The read that the run ends with must see its write; the thread of that write waits until the read comes next. */
static bool is_sight_right(const struct strider *r, event_id read, const struct stride_cell *cell)
{
    return read != r->q->read || cell->write == r->q->from;
}

/* Whether the cell was written in the stride under way. */
static bool is_own_stride(const struct strider *r, const struct stride_cell *cell)
{
    for (size_t i = r->marks[r->marks_count - 1].changes; i < r->changes_count; i++)
        if (r->changes[i].variable == arg_of(r->m, cell->write))
            return cell->write != EVENT_INIT;
    return false;
}

static bool stride_read(struct strider *r, event_id e, uint32_t goal)
{
    const struct model *m = r->m;
    variable_id x = arg_of(m, e);
    struct stride_cell cell = cell_of(r, x);
    bool same = (cell.write == m->source[e] && cell.as_written) || known_equal(cell.value, model_seen(m, e));

    if (!is_sight_right(r, e, &cell) || (!same && !lets_go_on(r, e, cell.value, goal)) ||
        (!same && kind_of(m, e) == EVENT_CAS) ||
        (same && r->q->test == TEST_READ_NEW && e == r->q->test_read)) {
        r->blocked = is_own_stride(r, &cell) ? NAME_NONE : x;
        return false;
    }
    ARRAY_PUSH(r, looks, (struct stride_look){e, same, cell});
    *map_at(&r->look_of, e) = (uint32_t)r->looks_count;
    r->changed[thread_of(m, e)] += !same;
    return true;
}

/* The thread takes the section's lock, or gives it back. */
static void pass_lock(struct strider *r, thread_id t, event_id e, bool take)
{
    const struct section *s = &r->m->sections[model_section_of(r->m, e)];
    lock_id lock = section_lock(s);

    assert(take || (s->shared ? r->readers[lock] > 0 : r->owner[lock] == t + 1));
    if (s->shared)
        r->readers[lock] += take ? 1 : UINT32_MAX;
    else
        r->owner[lock] = take ? t + 1 : 0;
}

static bool is_lock_free(const struct strider *r, thread_id t, event_id e)
{
    const struct section *s = &r->m->sections[model_section_of(r->m, e)];
    lock_id lock = section_lock(s);

    return s->acquire != e ||
           ((r->owner[lock] == 0 || r->owner[lock] == t + 1) && (s->shared || r->readers[lock] == 0));
}

/* Required predecessors, notifies and tokens. Where tries matter, other ways of search are better. */
static bool has_required(const struct strider *r, event_id e)
{
    const struct model *m = r->m;
    enum event_kind kind = kind_of(m, e);

    if (kind == EVENT_TRY_FAIL || !stride_wakes_allow(r->wakes, e, r->done))
        return false;
    struct event_span required = model_required(m, e);
    for (size_t i = 0; i < required.count; i++)
        if (r->done[thread_of(m, required.events[i])] <= m->position[required.events[i]] &&
            model_requires_always(m, e, required.events[i]))
            return false;
    if (kind != EVENT_JOIN || !has_events(m, arg_of(m, e)))
        return true;
    return kind_of(m, last_event(m, arg_of(m, e))) == EVENT_EXIT || r->changed[m->lane_of[arg_of(m, e)]] == 0;
}

/* Orders that the query has. */
static bool is_in_order(const struct strider *r, event_id e)
{
    for (unsigned i = 0; r->m->position[e] >= r->held_up[thread_of(r->m, e)] && i < r->q->order_count; i++) {
        event_id before = r->q->order[i].before;
        if (r->q->order[i].after == e && r->done[thread_of(r->m, before)] <= r->m->position[before])
            return false;
    }
    return true;
}

/* Whether the write would hide the one that the last read is to see. */
static bool hides_last(const struct strider *r, event_id e)
{
    const struct model *m = r->m;
    event_id from = r->q->from;

    return r->q->read != EVENT_NONE && arg_of(m, e) == arg_of(m, r->q->read) && e != r->q->read && e != from &&
           (from == EVENT_INIT || r->done[thread_of(m, from)] > m->position[from]);
}

static bool do_event(struct strider *r, thread_id t, event_id e, uint32_t goal)
{
    const struct model *m = r->m;
    enum event_kind kind = kind_of(m, e);

    if (!is_in_order(r, e) || (!is_thread_start(m, e) && !stands(r, e)) ||
        ((is_thread_start(m, e) || kind_requires(kind)) && !has_required(r, e)))
        return false;
    if (kind_accesses(kind)) {
        if (kind_reads(kind) && !stride_read(r, e, goal))
            return false;
        if (kind_writes(kind) && hides_last(r, e))
            return false;
        if (kind_writes(kind))
            set_cell(r, arg_of(m, e), carry(r, e));
    } else if (model_section_of(m, e) != SECTION_NONE) {
        if (!is_lock_free(r, t, e))
            return false;
        pass_lock(r, t, e, m->sections[model_section_of(m, e)].acquire == e);
    }
    r->done[t]++;
    ARRAY_PUSH(r, order, e);
    if (kind_wakes(kind))
        stride_wakes_do(r->wakes, e, r->order_count);
    return true;
}

/* Whether the write that the last read is to see may come: right before that read. */
static bool is_time(const struct strider *r, event_id e)
{
    const struct model *m = r->m;
    event_id read = r->q->read;

    if (read == EVENT_NONE || e != r->q->from)
        return true;
    uint32_t next = r->done[thread_of(m, read)];
    return m->position[read] == next || m->position[outermost_start(m, read)] == next;
}

void stride_take_back(struct strider *r)
{
    const struct model *m = r->m;
    const struct stride_mark *mark = &r->marks[--r->marks_count];
    thread_id t = mark->thread;

    assert(r->order_count >= mark->events && r->looks_count >= mark->looks && r->changed[t] >= mark->changed);
    for (; r->order_count > mark->events; r->order_count--, r->done[t]--) {
        event_id e = r->order[r->order_count - 1];
        if (model_section_of(m, e) != SECTION_NONE)
            pass_lock(r, t, e, m->sections[model_section_of(m, e)].acquire != e);
        if (kind_wakes(kind_of(m, e)))
            stride_wakes_undo(r->wakes, e);
    }
    for (; r->looks_count > mark->looks; r->looks_count--)
        *map_at(&r->look_of, r->looks[r->looks_count - 1].read) = 0;
    for (; r->changes_count > mark->changes; r->changes_count--) {
        const struct stride_change *c = &r->changes[r->changes_count - 1];
        r->cells[c->variable] = c->before;
        r->ages[c->variable] = c->age;
    }
    r->changed[t] = mark->changed;
}

bool stride_take(struct strider *r, thread_id t, uint64_t *steps)
{
    uint32_t goal = thread_goal(r, t), most = r->most[t];

    assert(r->done[t] < most);
    ARRAY_PUSH(r, marks,
               (struct stride_mark){t, r->changed[t], r->order_count, r->looks_count, r->changes_count});
    r->blocked = NAME_NONE;
    do {
        event_id e = event_at(r->m, t, r->done[t]);
        ++*steps;
        if (!is_time(r, e) || !do_event(r, t, e, goal)) {
            stride_take_back(r);
            r->waits[t] = (struct stride_wait){r->blocked, r->blocked == NAME_NONE ? 0 : r->ages[r->blocked]};
            return false;
        }
    } while (r->done[t] < most && model_hold_at(r->m, t, r->done[t]) != HOLD_NONE);
    return true;
}

/* Where the thread stops: not in a section that others would wait for, unless it must be there. */
static uint32_t find_most(const struct strider *r, thread_id t)
{
    const struct model *m = r->m;
    uint32_t length = thread_length(m, t), most = r->q->most[t];

    if (most >= length)
        return length;
    uint32_t begin = m->position[outermost_start(m, event_at(m, t, most))];
    return r->least[t] <= begin ? begin : most;
}

void stride_begin(struct strider *r, const struct query *q, const uint32_t *least, event_id start)
{
    const struct model *m = r->m;

    r->q = q;
    r->least = least;
    r->looks_count = r->order_count = r->changes_count = r->marks_count = 0;
    r->draw = 0;
    for (thread_id t = 0; t < m->thread_count; t++) {
        r->most[t] = find_most(r, t);
        if (r->most[t] < thread_length(m, t) && event_at(m, t, r->most[t]) <= start)
            start = event_at(m, t, r->most[t]) - 1;
    }
    r->start = start;
    for (thread_id t = 0; t < m->thread_count; t++) {
        r->done[t] = thread_count_up_to(m, t, start);
        assert(r->done[t] <= r->most[t]);
        r->changed[t] = 0;
        r->waits[t] = (struct stride_wait){NAME_NONE, 0};
        r->tried[t] = 0;
        r->held_up[t] = POSITION_END;
        for (uint32_t h = model_hold_at(m, t, r->done[t]); h != HOLD_NONE; h = m->holds[h].outer)
            pass_lock(r, t, m->sections[m->holds[h].section].acquire, true);
    }
    for (unsigned i = 0; i < q->order_count; i++) {
        uint32_t *held_up = &r->held_up[thread_of(m, q->order[i].after)], at = m->position[q->order[i].after];
        *held_up = at < *held_up ? at : *held_up;
    }
    stride_wakes_begin(r->wakes, start);
}

void stride_end(struct strider *r)
{
    const struct model *m = r->m;

    map_free(&r->look_of);
    for (; r->touched_count > 0; r->touched_count--)
        r->ages[r->touched[r->touched_count - 1]] = 0;
    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t h = model_hold_at(m, t, r->done[t]); h != HOLD_NONE; h = m->holds[h].outer) {
            lock_id lock = section_lock(&m->sections[m->holds[h].section]);
            r->owner[lock] = r->readers[lock] = 0;
        }
}
