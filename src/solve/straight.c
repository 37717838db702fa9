/* Runs the events of a cut without a partial order: at each step the event that was observed first among those
 * that the rules of semantics §2 let happen. A run of all of them answers the query. */
#include "base/memory.h"
#include "solve/turns.h"

#include <string.h>

/* The lock has no section that takes it last, or more than one that might. */
#define LOCK_SHARED_OUT UINT32_MAX

/* The reader of a couple must see its source. */
static void bind(struct window *w, const struct couple *c)
{
    if (c->from == NODE_BEFORE) {
        w->variables[arg_of(w->m, c->read)].pending++;
        w->sees[c->reader] = 0;
    } else {
        w->pending[c->from]++;
        w->sees[c->reader] = c->from + 1;
    }
}

/* A section that the run ends in has its lock last. Where its own thread takes the lock once more in it, in
 * another mode, that is not made use of. */
static void count_take(struct window *w, thread_id t, event_id e)
{
    const struct model *m = w->m;
    const struct section *s = &m->sections[model_section_of(m, e)];
    lock_id lock = arg_of(m, e);
    event_id *last = &w->locks[lock].last;
    bool open = s->release == EVENT_NONE || m->position[s->release] >= w->high[t];

    w->locks[lock].takes++;
    if (*last != 0 && (open || (*last != LOCK_SHARED_OUT && thread_of(m, *last) == t)))
        *last = LOCK_SHARED_OUT;
    else if (open)
        *last = s->shared ? LOCK_SHARED_OUT : e;
}

/* What the thread holds before the window. */
static void start_holds(struct window *w, thread_id t)
{
    const struct model *m = w->m;

    for (uint32_t h = w->seen_hold[t]; h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (s->shared)
            w->locks[section_lock(s)].readers++;
        else
            w->locks[section_lock(s)].owner = t + 1;
    }
}

static void start_thread(struct window *w, thread_id t)
{
    const struct model *m = w->m;

    for (uint32_t position = w->low[t]; position < w->high[t]; position++) {
        event_id e = event_at(m, t, position);
        if (model_section_of(m, e) != SECTION_NONE && m->sections[model_section_of(m, e)].acquire == e)
            count_take(w, t, e);
    }
}

/* Whether what is to be seen is the last write before the window, or in it. */
static bool can_see(const struct window *w, const struct couple *c, event_id start)
{
    if (c->from == NODE_BEFORE && c->source != w->m->source[c->read])
        return model_last_write(w->m, arg_of(w->m, c->read), start) == c->source;
    return true;
}

/* Binds what must be; false if two couples bind one read, or if that is left to the window. */
static bool start_run(struct window *w, const struct query *q, event_id start)
{
    w->sees = memory_grow(w->sees, &w->sees_capacity, w->nodes, sizeof *w->sees);
    w->pending = memory_grow(w->pending, &w->pending_capacity, w->nodes, sizeof *w->pending);
    memset(w->sees, 0xff, w->nodes * sizeof *w->sees);
    memset(w->pending, 0, w->nodes * sizeof *w->pending);
    memcpy(w->done, w->low, w->m->thread_count * sizeof *w->done);
    for (thread_id t = 0; t < w->m->thread_count; t++)
        start_holds(w, t);
    for (size_t i = 0; i < w->active_count; i++)
        start_thread(w, w->active[i]);
    if (!window_bind(w, q))
        return false;
    for (size_t i = 0; i < w->couples_count; i++) {
        const struct couple *c = &w->couples[i];
        if (c->reader >= NODE_OUT || w->sees[c->reader] != UINT32_MAX || !can_see(w, c, start))
            return false;
        bind(w, c);
    }
    return true;
}

static void clean_lock(struct window *w, lock_id lock)
{
    w->locks[lock].owner = w->locks[lock].readers = w->locks[lock].takes = w->locks[lock].last = 0;
}

static void clean_up(struct window *w)
{
    const struct model *m = w->m;

    for (thread_id t = 0; t < m->thread_count; t++)
        for (uint32_t h = w->seen_hold[t]; h != HOLD_NONE; h = m->holds[h].outer)
            clean_lock(w, section_lock(&m->sections[m->holds[h].section]));
    for (size_t i = 0; i < w->active_count; i++) {
        thread_id t = w->active[i];
        for (uint32_t position = w->low[t]; position < w->high[t]; position++) {
            event_id e = event_at(m, t, position);
            if (kind_accesses(kind_of(m, e)))
                w->variables[arg_of(m, e)].pending = w->variables[arg_of(m, e)].current = 0;
            else if (model_section_of(m, e) != SECTION_NONE)
                clean_lock(w, arg_of(m, e));
        }
    }
}

static bool is_done(const struct window *w, event_id e)
{
    return w->done[thread_of(w->m, e)] > w->m->position[e];
}

/* Its required predecessors have happened; a failed try comes before the release by the holder that made it
 * fail. */
static bool requirements_allow(const struct window *w, const struct query *q, event_id e)
{
    const struct model *m = w->m;
    struct event_span required = model_required(m, e);

    for (size_t i = 0; i < required.count; i++) {
        event_id before = required.events[i];
        if (query_requires(m, q, e, before) && !is_done(w, before))
            return false;
        if (kind_of(m, e) != EVENT_TRY_FAIL || kind_of(m, before) != EVENT_ACQUIRE ||
            arg_of(m, before) != arg_of(m, e))
            continue;
        event_id release = m->sections[model_section_of(m, before)].release;
        if (release != EVENT_NONE && is_done(w, release))
            return false;
    }
    return true;
}

/* Whether the thread holds the lock in reader mode now. */
static bool reads_lock(const struct window *w, thread_id t, lock_id lock)
{
    const struct model *m = w->m;

    for (uint32_t h = model_hold_at(m, t, w->done[t]); h != HOLD_NONE; h = m->holds[h].outer) {
        const struct section *s = &m->sections[m->holds[h].section];
        if (s->shared && section_lock(s) == lock)
            return true;
    }
    return false;
}

static bool lock_allows(const struct window *w, thread_id t, event_id e)
{
    const struct section *s = &w->m->sections[model_section_of(w->m, e)];
    lock_id lock = arg_of(w->m, e);

    if (s->acquire != e)
        return true;
    if (w->locks[lock].owner != 0 && w->locks[lock].owner != t + 1)
        return false;
    if (w->locks[lock].last == e && w->locks[lock].takes > 1)
        return false;
    return s->shared || w->locks[lock].readers == 0 || (w->locks[lock].readers == 1 && reads_lock(w, t, lock));
}

/* The readers still to see what the variable holds now. */
static uint32_t *pending_now(struct window *w, variable_id x)
{
    return w->variables[x].current == 0 ? &w->variables[x].pending : &w->pending[w->variables[x].current - 1];
}

static bool may_run(struct window *w, const struct query *q, thread_id t, event_id e)
{
    const struct model *m = w->m;
    enum event_kind kind = kind_of(m, e);

    if ((is_thread_start(m, e) || kind_requires(kind)) && !requirements_allow(w, q, e))
        return false;
    for (unsigned i = 0; i < q->order_count; i++)
        if (q->order[i].after == e && !is_done(w, q->order[i].before))
            return false;
    if (!kind_accesses(kind))
        return model_section_of(m, e) == SECTION_NONE || lock_allows(w, t, e);

    uint32_t node = w->first[t] + (w->done[t] - w->low[t]), sees = w->sees[node];
    variable_id x = arg_of(m, e);
    if (sees != UINT32_MAX && w->variables[x].current != sees)
        return false;
    return !kind_writes(kind) || w->actions[node] == CAS_FAILED || *pending_now(w, x) == (sees != UINT32_MAX);
}

static void run_lock(struct window *w, thread_id t, event_id e)
{
    const struct section *s = &w->m->sections[model_section_of(w->m, e)];
    lock_id lock = arg_of(w->m, e);

    if (s->acquire == e)
        w->locks[lock].takes--;
    if (s->shared)
        w->locks[lock].readers += s->acquire == e ? 1 : UINT32_MAX;
    else
        w->locks[lock].owner = s->acquire == e ? t + 1 : 0;
}

static void straight_event(struct window *w, thread_id t, event_id e)
{
    const struct model *m = w->m;
    enum event_kind kind = kind_of(m, e);
    uint32_t node = w->first[t] + (w->done[t] - w->low[t]);

    if (kind_accesses(kind)) {
        if (w->sees[node] != UINT32_MAX)
            --*pending_now(w, arg_of(m, e));
        if (kind_writes(kind) && w->actions[node] != CAS_FAILED)
            w->variables[arg_of(m, e)].current = node + 1;
    } else if (model_section_of(m, e) != SECTION_NONE) {
        run_lock(w, t, e);
    }
    w->done[t]++;
}

/* The first turn whose event may happen, or turns_count. */
static size_t choose_turn(struct window *w, const struct query *q)
{
    size_t i = 0;

    while (i < w->turns_count && !may_run(w, q, w->turns[i].thread, w->turns[i].event))
        i++;
    return i;
}

bool window_run_straight(struct window *w, const struct query *q, event_id start, event_id *order)
{
    uint32_t count = 0;

    if (q->final != EVENT_NONE || !q->observed)
        return false;
    if (!window_afford(w, w->row / ROW_UNIT + WINDOW_NODE))
        return false;
    if (start_run(w, q, start)) {
        turns_begin(w);
        for (size_t i; (i = choose_turn(w, q)) < w->turns_count; turns_pass(w, i)) {
            order[count++] = w->turns[i].event;
            straight_event(w, w->turns[i].thread, w->turns[i].event);
        }
    }
    clean_up(w);
    return count == w->nodes;
}
