/* One step of a run: whether it can be made (semantics §2), what it does, how it is taken back. */
#include "base/memory.h"
#include "solve/states_parts.h"

#include <assert.h>
#include <string.h>

void states_begin(struct states *s)
{
    const struct model *m = s->m;
    size_t semaphores = trace_names(m->trace, NAME_SEMAPHORE);

    s->steps_count = s->woken_count = 0;
    memset(s->position, 0, m->thread_count * sizeof *s->position);
    memset(s->served, 0, m->thread_count * sizeof *s->served);
    memset(s->lock_owner, 0, m->lock_count * sizeof *s->lock_owner);
    memset(s->lock_readers, 0, m->lock_count * sizeof *s->lock_readers);
    for (thread_id t = 0; t < m->thread_count; t++) {
        s->changed[t].reads_count = 0;
        s->changed[t].from = 0;
    }
    for (variable_id x = 0; x < m->variable_count; x++)
        s->content[x] = (struct state_content){EVENT_INIT, true, model_written(m, EVENT_INIT, x)};
    for (size_t i = 0; i < semaphores; i++)
        s->tokens[i] = m->initial_tokens[i];
}

static bool is_done(const struct states *s, event_id e)
{
    return s->position[thread_of(s->m, e)] > s->m->position[e];
}

static bool has_changed(const struct states *s, thread_id t)
{
    return s->changed[t].reads_count > s->changed[t].from;
}

/* What the read, which is in the run, saw. */
static struct known_value value_seen(const struct states *s, event_id read)
{
    return s->sighting[read].changed ? s->sighting[read].value : model_seen(s->m, read);
}

static bool ground_holds(const struct states *s, const struct ground *g)
{
    return !s->sighting[g->read].changed ||
           (g->form == GROUND_RANGES && s->m->values &&
            known_in_ranges(s->sighting[g->read].value, g->ranges, g->range_count));
}

/* Condition 4 for an event that comes next in its thread. */
static bool is_grounded(const struct states *s, event_id e)
{
    const struct model *m = s->m;
    thread_id t = thread_of(m, e);
    struct ground_list by = m->grounds ? trace_by(m->trace, e) : (struct ground_list){.given = false};

    if (is_thread_start(m, e))
        return true;
    if (!by.given)
        return !has_changed(s, t);
    event_id before = event_at(m, t, m->position[e] - 1);
    if (kind_of(m, before) == EVENT_CAS && s->sighting[before].changed)
        return false;
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (!ground_holds(s, &g))
            return false;
    }
    return true;
}

/* … for the end of a thread of the trace, all of which is in the run. */
static bool end_is_grounded(const struct states *s, thread_id of_trace)
{
    const struct model *m = s->m;

    return !has_events(m, of_trace) || kind_of(m, last_event(m, of_trace)) == EVENT_EXIT ||
           !has_changed(s, m->lane_of[of_trace]);
}

bool states_is_over(const struct states *s, thread_id t)
{
    const struct model *m = s->m;
    uint32_t position = s->position[t];
    event_id last = position > 0 ? event_at(m, t, position - 1) : EVENT_INIT;

    if (last != EVENT_INIT && is_thread_end(m, last) && position == s->most[t])
        return !end_is_grounded(s, m->trace->thread[last]);
    return position < thread_length(m, t) && !is_grounded(s, event_at(m, t, position));
}

static bool requirements_hold(const struct states *s, event_id e)
{
    const struct model *m = s->m;
    struct event_span required = model_required(m, e);

    for (size_t i = 0; i < required.count; i++) {
        event_id before = required.events[i];
        if (model_requires_always(m, e, before) && !is_done(s, before))
            return false;
        if (kind_of(m, e) != EVENT_TRY_FAIL || kind_of(m, before) != EVENT_ACQUIRE ||
            arg_of(m, before) != arg_of(m, e))
            continue;
        event_id release = m->sections[model_section_of(m, before)].release;
        if (release != EVENT_NONE && is_done(s, release))
            return false;
    }
    return true;
}

static bool reads_lock(const struct states *s, thread_id t, lock_id lock)
{
    const struct model *m = s->m;

    for (uint32_t h = model_hold_at(m, t, s->position[t]); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *p = &m->sections[m->holds[h].section];
        if (p->shared && section_lock(p) == lock)
            return true;
    }
    return false;
}

static bool lock_allows(const struct states *s, thread_id t, event_id e)
{
    const struct section *p = &s->m->sections[model_section_of(s->m, e)];
    lock_id lock = arg_of(s->m, e);

    if (p->acquire != e)
        return true;
    if (s->lock_owner[lock] != 0 && s->lock_owner[lock] != t + 1)
        return false;
    return p->shared || s->lock_readers[lock] == 0 || (s->lock_readers[lock] == 1 && reads_lock(s, t, lock));
}

/* The order and the sights of the query. */
static bool query_allows(const struct states *s, event_id e)
{
    const struct query *q = s->q;

    for (unsigned i = 0; i < q->order_count; i++)
        if (q->order[i].after == e && !is_done(s, q->order[i].before))
            return false;
    for (unsigned i = 0; i < q->sight_count; i++)
        if (q->sights[i].event == e && s->content[arg_of(s->m, e)].write != q->sights[i].from)
            return false;
    return q->read != e || s->content[arg_of(s->m, e)].write == q->from;
}

/* Whether the event is the one that ends a woken wait: it needs a notify for it. */
static bool ends_wait(const struct model *m, event_id e)
{
    thread_id t = thread_of(m, e);
    uint32_t next = m->position[e] + 1;
    event_id post = e;

    if (m->waits_count > 0 && kind_of(m, e) != EVENT_WAIT_POST && next < thread_length(m, t))
        post = event_at(m, t, next);
    const struct woken_wait *wait = kind_of(m, post) == EVENT_WAIT_POST ? model_wait(m, post) : NULL;
    return wait && wait->end == e;
}

bool states_may_step(const struct states *s, thread_id t)
{
    const struct model *m = s->m;
    event_id e = event_at(m, t, s->position[t]);
    enum event_kind kind = kind_of(m, e);

    assert(s->position[t] < s->most[t]);
    if ((is_thread_start(m, e) || kind_requires(kind)) && !requirements_hold(s, e))
        return false;
    if (!query_allows(s, e) || !is_grounded(s, e) || (!s->served[t] && ends_wait(m, e)))
        return false;
    if (model_section_of(m, e) != SECTION_NONE && !kind_accesses(kind))
        return lock_allows(s, t, e);
    switch (kind) {
    case EVENT_JOIN:
        return end_is_grounded(s, arg_of(m, e));
    case EVENT_SEM_WAIT:
        return s->tokens[arg_of(m, e)] > 0;
    default:
        return true;
    }
}

bool states_is_waiting(const struct states *s, uint32_t condition, thread_id t)
{
    const struct model *m = s->m;

    for (size_t i = 0; i < m->waits_count; i++) {
        const struct woken_wait *wait = &m->waits[i];
        if (thread_of(m, wait->post) == t && arg_of(m, wait->post) == condition && is_done(s, wait->pre) &&
            !is_done(s, wait->end))
            return true;
    }
    return false;
}

static bool sees_observed(const struct states *s, event_id read, const struct state_content *c)
{
    return (c->write == s->m->source[read] && c->as_written) || known_equal(c->value, model_seen(s->m, read));
}

static struct state_content carried_by(const struct states *s, event_id write)
{
    const struct model *m = s->m;
    struct made made = model_made(m, write);
    struct state_content c = {.write = write, .value = model_written(m, write, arg_of(m, write))};

    if (made.form == MADE_OFFSET && known_is_number(value_seen(s, made.read))) {
        struct known_value sum = model_add(m, arg_of(m, write), value_seen(s, made.read).number, made.offset);
        c.as_written = c.value.tag == VALUE_NONE ? !s->sighting[made.read].changed : known_equal(sum, c.value);
        c.value = sum;
        return c;
    }
    c.as_written = made.form != MADE_OF_ALL || !has_changed(s, thread_of(m, write));
    for (uint32_t i = 0; made.form != MADE_OF_ALL && i < made.list.count; i++)
        c.as_written &= !s->sighting[ground_at(&made.list, i).read].changed;
    if (!c.as_written)
        c.value = (struct known_value){VALUE_NONE, 0};
    return c;
}

/* Whether events that the run must have can stand on the read, which is not as observed. */
static bool is_bearable(const struct states *s, event_id read)
{
    const struct model *m = s->m;
    thread_id t = thread_of(m, read);
    uint32_t end = s->least[t] + s->q->keep[t], length = thread_length(m, t);

    if (read_plain_at(m, read) < end || (kind_of(m, read) == EVENT_CAS && m->position[read] + 1 < end))
        return false;
    for (uint32_t p = read_first_at(m, read); m->grounds && p < end && p < length; p++) {
        struct ground_list by = trace_by(m->trace, event_at(m, t, p));
        for (uint32_t i = 0; by.given && i < by.count; i++) {
            struct ground g = ground_at(&by, i);
            if (g.read == read && !ground_holds(s, &g))
                return false;
        }
    }
    return true;
}

/* Whether the query can have what the write carries. */
static bool passes_test(const struct states *s, event_id write)
{
    const struct query *q = s->q;
    struct known_value value = s->content[arg_of(s->m, write)].value;

    if (q->test == TEST_WRITE_NEW)
        return !known_equal(value, model_written(s->m, q->test_read, arg_of(s->m, q->test_read)));
    return q->test != TEST_UNLIKE || (!known_equal(value, value_seen(s, q->test_read)) &&
                                      !known_in_ranges(value, q->test_ranges, q->test_range_count));
}

static bool do_access(struct states *s, thread_id t, event_id e)
{
    const struct model *m = s->m;
    enum event_kind kind = kind_of(m, e);
    struct state_content *c = &s->content[arg_of(m, e)];
    bool good = true, changed = false;

    if (kind_reads(kind)) {
        changed = !sees_observed(s, e, c);
        s->sighting[e] = (struct sighting){changed, c->value};
        if (changed) {
            ARRAY_PUSH(&s->changed[t], reads, e);
            good = is_bearable(s, e) && e != s->q->written;
        } else {
            good = !(s->q->test == TEST_READ_NEW && e == s->q->test_read);
        }
    }
    if (!kind_writes(kind) || (kind == EVENT_CAS && changed))
        return good;
    *c = carried_by(s, e);
    return good && (e != s->q->test_write || passes_test(s, e));
}

static void move_lock(struct states *s, thread_id t, event_id e, bool forward)
{
    const struct section *p = &s->m->sections[model_section_of(s->m, e)];
    lock_id lock = arg_of(s->m, e);
    bool takes = (p->acquire == e) == forward;

    if (p->shared)
        s->lock_readers[lock] += takes ? 1 : UINT32_MAX;
    else
        s->lock_owner[lock] = takes ? t + 1 : 0;
}

static void serve_wait(struct states *s, thread_id t)
{
    if (s->served[t])
        return;
    s->served[t] = 1;
    ARRAY_PUSH(s, woken, t);
}

static void do_other(struct states *s, thread_id t, event_id e, thread_id serve)
{
    const struct model *m = s->m;

    if (model_section_of(m, e) != SECTION_NONE)
        move_lock(s, t, e, true);
    if (s->served[t] && ends_wait(m, e))
        s->served[t] = 0;
    switch (kind_of(m, e)) {
    case EVENT_POST:
        s->tokens[arg_of(m, e)]++;
        break;
    case EVENT_SEM_WAIT:
        s->tokens[arg_of(m, e)]--;
        break;
    case EVENT_NOTIFY:
        if (serve != NAME_NONE)
            serve_wait(s, serve);
        break;
    case EVENT_NOTIFY_ALL:
        for (thread_id u = 0; u < m->thread_count; u++)
            if (states_is_waiting(s, arg_of(m, e), u))
                serve_wait(s, u);
        break;
    default:
        break;
    }
}

bool states_step(struct states *s, thread_id t, thread_id serve)
{
    const struct model *m = s->m;
    event_id e = event_at(m, t, s->position[t]);
    bool accesses = kind_accesses(kind_of(m, e)), good = true;
    struct state_step step = {.event = e,
                              .changed = s->changed[t].reads_count,
                              .changed_from = s->changed[t].from,
                              .woken = s->woken_count,
                              .was_served = s->served[t]};

    assert(s->position[t] < s->most[t] && (serve == NAME_NONE || kind_of(m, e) == EVENT_NOTIFY));
    if (accesses)
        step.before = s->content[arg_of(m, e)];
    ARRAY_PUSH(s, steps, step);
    if (is_thread_start(m, e))
        s->changed[t].from = (uint32_t)s->changed[t].reads_count;
    if (accesses)
        good = do_access(s, t, e);
    else
        do_other(s, t, e, serve);
    s->position[t]++;
    return good;
}

void states_step_back(struct states *s)
{
    assert(s->steps_count > 0);
    const struct model *m = s->m;
    const struct state_step *step = &s->steps[--s->steps_count];
    event_id e = step->event;
    thread_id t = thread_of(m, e);
    enum event_kind kind = kind_of(m, e);

    s->position[t]--;
    assert(s->position[t] == m->position[e] && s->woken_count >= step->woken);
    while (s->woken_count > step->woken)
        s->served[s->woken[--s->woken_count]] = 0;
    s->served[t] = step->was_served;
    s->changed[t].reads_count = step->changed;
    s->changed[t].from = step->changed_from;
    if (kind_accesses(kind))
        s->content[arg_of(m, e)] = step->before;
    else if (model_section_of(m, e) != SECTION_NONE)
        move_lock(s, t, e, false);
    if (kind == EVENT_POST)
        s->tokens[arg_of(m, e)]--;
    else if (kind == EVENT_SEM_WAIT)
        s->tokens[arg_of(m, e)]++;
}

bool states_is_answer(const struct states *s)
{
    const struct query *q = s->q;

    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (s->position[t] < s->least[t])
            return false;
    return q->final == EVENT_NONE || s->content[arg_of(s->m, q->final)].write == q->final;
}
