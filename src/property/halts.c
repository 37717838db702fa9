/* Halts: what is known of threads, locks and semaphores, and the events at which threads can wait. */
#include "property/halts.h"
#include "base/invariant.h"
#include "base/memory.h"
#include "property/halts_parts.h"

#include <stdlib.h>
#include <string.h>

static void find_threads(struct halts *h)
{
    const struct model *m = h->m;

    size_t threads = trace_names(m->trace, NAME_THREAD);

    h->fork = memory_resize(NULL, threads, sizeof *h->fork);
    h->ends = memory_new(threads, sizeof *h->ends);
    h->first_in = memory_new(m->thread_count, sizeof *h->first_in);
    memset(h->fork, 0xff, threads * sizeof *h->fork);
    for (thread_id t = 0; t < threads; t++)
        if (m->begins[t] == 0 && (has_events(m, t) || thread_length(m, m->lane_of[t]) == 0))
            h->first_in[m->lane_of[t]] = t;
    for (event_id e = 1; e <= m->event_count; e++) {
        if (kind_of(m, e) == EVENT_FORK)
            h->fork[arg_of(m, e)] = e;
        else if (kind_of(m, e) == EVENT_JOIN)
            h->ends[arg_of(m, e)] = true;
        else if (kind_of(m, e) == EVENT_EXIT)
            h->ends[m->trace->thread[e]] = true;
    }
}

event_id halts_fork_at(const struct halts *h, thread_id t, uint32_t position)
{
    const struct model *m = h->m;

    if (position == 0)
        return h->fork[h->first_in[t]];
    if (position == thread_length(m, t) || !is_thread_start(m, event_at(m, t, position)))
        return EVENT_NONE;
    return h->fork[m->trace->thread[event_at(m, t, position)]];
}

static struct balances *balances_of(struct semaphore_use *s, thread_id thread)
{
    for (size_t i = 0; i < s->threads_count; i++)
        if (s->threads[i].thread == thread)
            return &s->threads[i];
    ARRAY_PUSH(s, threads, (struct balances){.thread = thread});
    return &s->threads[s->threads_count - 1];
}

/* One more token taken, or given back (-1). */
static void add_balance(struct semaphore_use *s, const struct model *m, event_id e, int change)
{
    struct balances *b = balances_of(s, thread_of(m, e));
    int64_t now = (b->list_count > 0 ? b->list[b->list_count - 1].taken : 0) + change;

    assert(b->list_count == 0 || b->list[b->list_count - 1].position < m->position[e]);
    ARRAY_PUSH(b, list, (struct balance){m->position[e], now});
    b->most = now > b->most ? now : b->most;
    b->gives |= change < 0;
    b->takes |= change > 0;
}

/* Where no seminit says it, the initial count is the least that makes the trace possible. */
static void find_semaphores(struct halts *h)
{
    const struct model *m = h->m;
    size_t count = trace_names(m->trace, NAME_SEMAPHORE);
    int64_t *taken = memory_new(count, sizeof *taken);

    h->semaphores = memory_new(count, sizeof *h->semaphores);
    for (size_t s = 0; s < count; s++)
        h->semaphores[s].init = EVENT_NONE;
    for (event_id e = 1; e <= m->event_count && count > 0; e++) {
        enum event_kind kind = kind_of(m, e);
        if (kind_argument(kind) != NAME_SEMAPHORE)
            continue;
        struct semaphore_use *s = &h->semaphores[arg_of(m, e)];
        if (kind == EVENT_SEM_INIT) {
            s->init = e;
            s->initial = (int64_t)m->trace->value[e];
            continue;
        }
        add_balance(s, m, e, kind == EVENT_SEM_WAIT ? 1 : -1);
        taken[arg_of(m, e)] += kind == EVENT_SEM_WAIT ? 1 : -1;
        if (s->init == EVENT_NONE && taken[arg_of(m, e)] > s->initial)
            s->initial = taken[arg_of(m, e)];
    }
    free(taken);
}

/* Recorders write an order that they saw between threads as a post and a semwait of a semaphore with one of these
 * names: once, through a channel, or "OBJECT from THREAD to THREAD". Whether a thread would wait there is not known. */
static bool is_order_only(const struct model *m, uint32_t semaphore)
{
    const char *name = trace_name(m->trace, NAME_SEMAPHORE, semaphore);
    const char *from = strstr(name, " from ");

    return strncmp(name, "once ", 5) == 0 || strncmp(name, "channel used at ", 16) == 0 ||
           (from && strstr(from, " to "));
}

/* Whether a thread can wait before `e`, and how. */
static bool can_wait(const struct halts *h, event_id e, enum halt_kind *kind)
{
    const struct model *m = h->m;

    switch (kind_of(m, e)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        if (op_order(m->trace->op[e]) == ORDER_TRY)
            return false;
        *kind = signals_wait(&h->signals, e) ? HALT_SIGNAL : HALT_LOCK;
        return *kind == HALT_SIGNAL || model_section_of(m, e) != SECTION_NONE;
    case EVENT_WAIT_POST:
        *kind = HALT_SIGNAL;
        return signals_wait(&h->signals, e) != NULL;
    case EVENT_SEM_WAIT:
        *kind = HALT_TOKEN;
        return !is_order_only(m, arg_of(m, e));
    case EVENT_BARRIER_EXIT:
        *kind = HALT_BARRIER;
        return true;
    case EVENT_JOIN:
        *kind = HALT_JOIN;
        return has_events(m, arg_of(m, e));
    default:
        return false;
    }
}

/* The last thread of the trace in a lane, of which this is the first. */
static thread_id last_in(const struct model *m, thread_id t, thread_id first)
{
    return thread_length(m, t) > 0 ? m->trace->thread[event_at(m, t, thread_length(m, t) - 1)] : first;
}

/* The halts of a thread ascend; only two kinds can share a position. */
static bool halts_ascend(const struct thread_halts *halts)
{
    for (size_t i = 1; i < halts->list_count; i++)
        if (halts->list[i - 1].position > halts->list[i].position)
            return false;
    return true;
}

static void list_halts(struct halts *h)
{
    const struct model *m = h->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        struct thread_halts *to = &h->threads[t];
        enum halt_kind kind;

        if (h->fork[h->first_in[t]] != EVENT_NONE)
            ARRAY_PUSH(to, list, (struct halt){0, HALT_UNBORN});
        for (uint32_t position = 0; position < thread_length(m, t); position++) {
            event_id e = event_at(m, t, position);
            if (position > 0 && is_thread_start(m, e)) /* who shares a lane is joined */
                ARRAY_PUSH(to, list, (struct halt){position, HALT_OVER});
            if (can_wait(h, e, &kind)) {
                ARRAY_PUSH(to, list, (struct halt){position, kind});
                h->places++;
            }
        }
        if (h->ends[last_in(m, t, h->first_in[t])])
            ARRAY_PUSH(to, list, (struct halt){thread_length(m, t), HALT_OVER});
        assert_costly(halts_ascend(to));
    }
}

bool halt_is_root(const struct halts *h, thread_id t, const struct halt *halt)
{
    const struct model *m = h->m;

    switch (halt->kind) {
    case HALT_LOCK:
        return h->shared[arg_of(m, halt_event(h, t, halt))];
    case HALT_JOIN:
    case HALT_OVER:
        return model_hold_at(m, t, halt->position) != HOLD_NONE;
    case HALT_UNBORN:
        return false;
    default:
        return true;
    }
}

static bool are_possible(const struct halts *h)
{
    bool root = false;

    for (thread_id t = 0; t < h->m->thread_count; t++) {
        if (h->threads[t].list_count == 0)
            return false;
        for (size_t i = 0; i < h->threads[t].list_count && !root; i++)
            root = halt_is_root(h, t, &h->threads[t].list[i]);
    }
    return root;
}

static void forget_all(struct halts *h)
{
    for (thread_id t = 0; t < h->m->thread_count; t++)
        h->threads[t].list_count = 0;
}

void halts_find(struct halts *h, struct worker *w)
{
    const struct model *m = w->m;

    *h = (struct halts){.w = w, .m = m};
    signals_init(&h->signals, m);
    find_threads(h);
    find_semaphores(h);
    h->shared = memory_new(m->lock_count, sizeof *h->shared);
    for (size_t i = 0; i < m->section_start[m->lock_count]; i++)
        h->shared[section_lock(&m->sections[i])] |= m->sections[i].shared;
    h->threads = memory_new(m->thread_count, sizeof *h->threads);
    list_halts(h);
    halts_drop_locks(h);
    if (are_possible(h)) {
        h->sums = halts_sums_new(m);
        halts_drop_lonely(h);
    }
    if (!are_possible(h))
        forget_all(h);
}

void halts_free(struct halts *h)
{
    for (size_t s = 0; s < trace_names(h->m->trace, NAME_SEMAPHORE); s++) {
        for (size_t i = 0; i < h->semaphores[s].threads_count; i++)
            free(h->semaphores[s].threads[i].list);
        free(h->semaphores[s].threads);
    }
    for (thread_id t = 0; t < h->m->thread_count; t++)
        free(h->threads[t].list);
    free(h->semaphores);
    free(h->threads);
    free(h->shared);
    free(h->fork);
    free(h->ends);
    free(h->first_in);
    halts_sums_free(h->sums);
    signals_free(&h->signals);
}

static void limit(uint32_t *low, uint32_t *high, thread_id u, uint32_t least, uint32_t most)
{
    low[u] = least > low[u] ? least : low[u];
    high[u] = most < high[u] ? most : high[u];
}

void halt_limit(const struct halts *h, thread_id t, const struct halt *halt, uint32_t *low, uint32_t *high)
{
    const struct model *m = h->m;
    const uint32_t *row = halt->position > 0 ? clocks_forward_row(m, t, halt->position - 1) : NULL;
    event_id next = halt->position < thread_length(m, t) ? event_at(m, t, halt->position) : EVENT_NONE;
    event_id fork = halts_fork_at(h, t, halt->position);

    for (thread_id u = 0; u < m->thread_count; u++)
        if (u != t)
            limit(low, high, u, row ? row[u] : 0, next != EVENT_NONE ? must_after(m, next, u) : POSITION_END);
    bool unborn = halt->kind == HALT_UNBORN || (halt->kind == HALT_OVER && halt->position > 0);
    if (fork != EVENT_NONE && unborn)
        limit(low, high, thread_of(m, fork), 0, m->position[fork]);
    else if (fork != EVENT_NONE)
        limit(low, high, thread_of(m, fork), m->position[fork] + 1, POSITION_END);
    assert(halt->position <= thread_length(m, t));
    low[t] = high[t] = halt->position;
}

event_id halts_holder(const struct model *m, const uint32_t *cut, event_id e, bool exclusive)
{
    bool shared = exclusive || kind_of(m, e) == EVENT_SHARED_ACQUIRE;

    if (model_section_of(m, e) == SECTION_NONE)
        return EVENT_NONE;
    for (thread_id t = 0; t < m->thread_count; t++) {
        for (uint32_t i = t == thread_of(m, e) ? HOLD_NONE : model_hold_at(m, t, cut[t]); i != HOLD_NONE;
             i = m->holds[i].outer) {
            const struct section *s = &m->sections[m->holds[i].section];
            if (section_lock(s) == arg_of(m, e) && !(s->shared && shared))
                return s->acquire;
        }
    }
    return EVENT_NONE;
}

int64_t balance_at(const struct balances *b, uint32_t position)
{
    size_t low = 0, high = b->list_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->list[middle].position < position)
            low = middle + 1;
        else
            high = middle;
    }
    assert(low == 0 || b->list[low - 1].position < position);
    assert(low == b->list_count || b->list[low].position >= position);
    return low > 0 ? b->list[low - 1].taken : 0;
}

int64_t halts_tokens(const struct halts *h, uint32_t semaphore, const uint32_t *cut)
{
    const struct semaphore_use *s = &h->semaphores[semaphore];
    int64_t tokens = s->initial;

    for (size_t i = 0; i < s->threads_count; i++)
        tokens -= balance_at(&s->threads[i], cut[s->threads[i].thread]);
    return tokens;
}
