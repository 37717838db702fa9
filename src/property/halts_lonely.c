/* Rules out halts that no state can have: a thread that would have helped must stand before that event, and
 * every other thread must have a halt that fits.
 *
 * What a halt waits for comes before it in the trace, so going through halts in that order rules out most
 * chains of them in one pass. */
#include "base/memory.h"
#include "property/halts_parts.h"

#include <stdlib.h>
#include <string.h>

/* Passes over the halts; sections looked at for a lock and events in a section for a lost signal. */
enum { PASSES_MOST = 16, HOLDERS_MOST = 64, SECTION_MOST = 64, NEIGHBOURS_MOST = 256, ORDERS_MOST = 8 };

enum lost { LOST_UNKNOWN, LOST_POSSIBLE, LOST_REFUTED };

struct lonely {
    struct halts *h;
    const struct model *m;
    uint32_t **next;      /* by thread and halt: itself if it is left, else one nearer to the next that is */
    struct map lost;      /* end of a wait → enum lost */
    uint32_t *low, *high; /* of the halt looked at */
    bool ask;             /* the solver, too */
    bool changed;
};

/* The first halt of the thread that is left, from this index on; list_count: none. */
static uint32_t next_left(struct lonely *l, thread_id t, uint32_t i)
{
    uint32_t *next = l->next[t], root = i;

    while (next[root] != root)
        root = next[root];
    while (next[i] != root) {
        uint32_t after = next[i];
        next[i] = root;
        i = after;
    }
    return root;
}

/* The first halt that is left in a range of positions, or NULL. */
static const struct halt *left_in(struct lonely *l, thread_id t, uint32_t least, uint32_t most)
{
    const struct thread_halts *halts = &l->h->threads[t];
    size_t low = 0, high = halts->list_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (halts->list[middle].position < least)
            low = middle + 1;
        else
            high = middle;
    }
    uint32_t at = next_left(l, t, (uint32_t)low);
    if (at == halts->list_count || halts->list[at].position > most)
        return NULL;
    return &halts->list[at];
}

/* The last halt that is left in a range, or NULL; `first` is the first. */
static const struct halt *last_left(struct lonely *l, thread_id t, const struct halt *first, uint32_t most)
{
    const struct thread_halts *halts = &l->h->threads[t];
    size_t low = (size_t)(first - halts->list), high = halts->list_count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (halts->list[middle].position <= most)
            low = middle + 1;
        else
            high = middle;
    }
    while (low > 0 && l->next[t][low - 1] != low - 1)
        low--;
    return low > 0 ? &halts->list[low - 1] : NULL;
}

/* Whether the thread of this event can stand somewhere before it. */
static bool can_stand_before(struct lonely *l, event_id e)
{
    thread_id u = thread_of(l->m, e);
    uint32_t most = l->m->position[e] < l->high[u] ? l->m->position[e] : l->high[u];

    return left_in(l, u, l->low[u], most) != NULL;
}

static bool holds(const struct model *m, thread_id t, uint32_t position, lock_id lock, bool shared)
{
    for (uint32_t i = model_hold_at(m, t, position); i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *s = &m->sections[m->holds[i].section];
        if (section_lock(s) == lock && !(s->shared && shared))
            return true;
    }
    return false;
}

/* Whether another thread can stand where it holds the lock. Looks at so many halts only. */
static bool can_be_held(struct lonely *l, thread_id t, event_id e)
{
    const struct model *m = l->m;
    bool shared = kind_of(m, e) == EVENT_SHARED_ACQUIRE;
    unsigned looked = 0;

    if (model_section_of(m, e) == SECTION_NONE)
        return false;
    for (thread_id u = 0; u < m->thread_count; u++) {
        const struct thread_halts *halts = &l->h->threads[u];
        const struct halt *halt = u == t ? NULL : left_in(l, u, l->low[u], l->high[u]);
        while (halt && halt->position <= l->high[u]) {
            if (++looked > HOLDERS_MOST || holds(m, u, halt->position, arg_of(m, e), shared))
                return true;
            uint32_t at = next_left(l, u, (uint32_t)(halt - halts->list) + 1);
            halt = at < halts->list_count ? &halts->list[at] : NULL;
        }
    }
    return false;
}

/* The most that the thread can have taken of a semaphore where it may stand. */
static int64_t most_taken(struct lonely *l, const struct balances *b)
{
    thread_id u = b->thread;
    const struct halt *first = left_in(l, u, l->low[u], l->high[u]);

    if (!first)
        return 0; /* ruled out elsewhere */
    if (b->gives && b->takes)
        return b->most;
    if (b->gives)
        return balance_at(b, first->position);
    return balance_at(b, last_left(l, u, first, l->high[u])->position);
}

/* Whether the semaphore can be without tokens. */
static bool can_be_empty(struct lonely *l, thread_id t, uint32_t position, uint32_t semaphore)
{
    const struct semaphore_use *s = &l->h->semaphores[semaphore];
    int64_t taken = 0;

    for (size_t i = 0; i < s->threads_count; i++)
        taken +=
            s->threads[i].thread == t ? balance_at(&s->threads[i], position) : most_taken(l, &s->threads[i]);
    return taken >= s->initial;
}

static bool lacks_partner(struct lonely *l, event_id exit)
{
    struct event_span required = model_required(l->m, exit);

    for (size_t i = 0; i < required.count; i++)
        if (thread_of(l->m, required.events[i]) != thread_of(l->m, exit) &&
            can_stand_before(l, required.events[i]))
            return true;
    return false;
}

/* The section of the lock that the waitpre gives back, around it, or NULL. */
static const struct section *section_of_wait(const struct model *m, const struct woken_wait *wait)
{
    event_id release = event_at(m, thread_of(m, wait->pre), m->position[wait->pre] + 1);

    if (kind_of(m, release) != EVENT_RELEASE || model_section_of(m, release) == SECTION_NONE)
        return NULL;
    return &m->sections[model_section_of(m, release)];
}

/* Whether a read of the waiter's section, before it waits, saw what the notifier's section overwrites: with
 * these sections the other way round it would have seen something else. */
static bool is_tested(const struct model *m, const struct woken_wait *wait, const struct section *waiting,
                      const struct section *notifying)
{
    uint32_t first = m->position[waiting->acquire], last = m->position[wait->pre];

    if (last - first > SECTION_MOST ||
        m->position[wait->notify] - m->position[notifying->acquire] > SECTION_MOST)
        return false;
    for (uint32_t i = first; i < last; i++) {
        event_id read = event_at(m, waiting->owner, i);
        if (m->source[read] == EVENT_NONE || is_soft(m, read) || !read_is_kept(m, read, wait->end))
            continue;
        for (uint32_t k = m->position[notifying->acquire]; k < m->position[wait->notify]; k++) {
            event_id write = event_at(m, notifying->owner, k);
            if (kind_writes(kind_of(m, write)) && arg_of(m, write) == arg_of(m, read) &&
                (m->source[read] == EVENT_INIT || must_before(m, m->source[read], write)))
                return true;
        }
    }
    return false;
}

/* The usual way to wait: what is waited for is tested and changed under one lock. */
static bool is_guarded(const struct model *m, const struct woken_wait *wait)
{
    const struct section *waiting = section_of_wait(m, wait);
    thread_id u = thread_of(m, wait->notify);

    for (uint32_t i = model_hold_at(m, u, m->position[wait->notify]); waiting && i != HOLD_NONE;
         i = m->holds[i].outer) {
        const struct section *notifying = &m->sections[m->holds[i].section];
        if (section_lock(notifying) == section_lock(waiting) && !notifying->shared &&
            is_tested(m, wait, waiting, notifying))
            return true;
    }
    return false;
}

/* The last notify of the thread that every state with this halt has, or EVENT_NONE: it is before all places
 * where the thread can stand. */
static event_id last_certain(struct lonely *l, const struct notifier *n)
{
    const struct halt *first = left_in(l, n->thread, l->low[n->thread], l->high[n->thread]);
    uint32_t count = first ? accesses_before(l->m, n->events, (uint32_t)n->events_count, first->position) : 0;

    return count > 0 ? n->events[count - 1] : EVENT_NONE;
}

/* Whether the notify serves the wait if it comes after it began. */
static bool serves(const struct model *m, const struct lonely_condition *c, event_id notify)
{
    return c->one_waiter || kind_of(m, notify) == EVENT_NOTIFY_ALL;
}

/* Whether a notify that serves the wait is in every state with this halt and must come after the wait began. */
static bool is_served(struct lonely *l, const struct woken_wait *wait)
{
    const struct lonely_condition *c = signals_condition(&l->h->signals, wait);

    for (size_t i = 0; i < c->notifiers_count; i++) {
        event_id notify = c->notifiers[i].thread == thread_of(l->m, wait->pre)
                              ? EVENT_NONE
                              : last_certain(l, &c->notifiers[i]);
        if (notify != EVENT_NONE && serves(l->m, c, notify) && must_before(l->m, wait->pre, notify))
            return true;
    }
    return false;
}

/* Whether a run has the notifies that have to be early before the wait begins: those that every state with
 * this halt has, and the one that woke it. */
static bool can_be_early(struct lonely *l, const struct woken_wait *wait)
{
    const struct model *m = l->m;
    const struct lonely_condition *c = signals_condition(&l->h->signals, wait);
    struct solver *solver = l->h->w->solver;
    event_id first = wait->pre < wait->notify ? wait->pre : wait->notify;

    if (must_before(m, wait->pre, wait->notify) || is_guarded(m, wait))
        return false;
    struct query *q = solver_query(solver);
    query_stop_before(m, q, wait->end);
    query_contain(m, q, wait->notify);
    query_order(q, wait->notify, wait->pre);
    for (size_t i = 0; i < c->notifiers_count && q->order_count < ORDERS_MOST; i++) {
        event_id notify =
            c->notifiers[i].thread == thread_of(m, wait->pre) ? EVENT_NONE : last_certain(l, &c->notifiers[i]);
        if (notify == EVENT_NONE || notify == wait->notify || !serves(m, c, notify))
            continue;
        query_contain(m, q, notify);
        query_order(q, notify, wait->pre);
        first = notify < first ? notify : first;
    }
    q->start = outermost_start(m, first);
    struct verdict v = solver_ask(solver);
    free(v.schedule.tail);
    return v.answer != ANSWER_INFEASIBLE;
}

/* Whether the other wait can be under way when this one's notify comes. */
static bool can_be_beside(const struct model *m, const struct woken_wait *wait, const struct woken_wait *other)
{
    return thread_of(m, other->pre) != thread_of(m, wait->pre) &&
           thread_of(m, other->pre) != thread_of(m, wait->notify) &&
           !must_before(m, wait->notify, other->pre) && !must_before(m, other->end, wait->notify);
}

/* Whether a notify may serve another wait than the one it woke in the trace. Looks at so many of its neighbours
 * only. */
static bool can_serve_another(struct lonely *l, const struct woken_wait *wait)
{
    const struct lonely_condition *c = signals_condition(&l->h->signals, wait);
    size_t self = (size_t)(wait - c->waits);

    if (c->one_waiter || kind_of(l->m, wait->notify) != EVENT_NOTIFY)
        return false;
    for (size_t away = 1; away <= self || self + away < c->waits_count; away++)
        if (away > NEIGHBOURS_MOST || (away <= self && can_be_beside(l->m, wait, wait - away)) ||
            (self + away < c->waits_count && can_be_beside(l->m, wait, wait + away)))
            return true;
    return false;
}

/* Whether the wait can be without a signal although the one that woke it is in the run. The solver is asked
 * last, once a wait. */
static bool can_be_lost(struct lonely *l, const struct woken_wait *wait)
{
    uint32_t known = map_get(&l->lost, wait->end);

    if (known == LOST_UNKNOWN && l->ask && !can_serve_another(l, wait)) {
        known = can_be_early(l, wait) ? LOST_POSSIBLE : LOST_REFUTED;
        *map_at(&l->lost, wait->end) = known;
    }
    return known != LOST_REFUTED;
}

/* Whether what the thread would wait for there can be missing. */
static bool can_lack(struct lonely *l, thread_id t, const struct halt *halt)
{
    const struct model *m = l->m;
    event_id e = halt_event(l->h, t, halt);
    const struct halt *child;
    const struct woken_wait *wait;
    thread_id u;

    switch (halt->kind) {
    case HALT_LOCK:
        return can_be_held(l, t, e);
    case HALT_SIGNAL:
        wait = signals_wait(&l->h->signals, e);
        if (can_be_held(l, t, e))
            return true;
        return !is_served(l, wait) && (can_stand_before(l, wait->notify) || can_be_lost(l, wait));
    case HALT_TOKEN:
        return can_be_empty(l, t, halt->position, arg_of(m, e));
    case HALT_BARRIER:
        return lacks_partner(l, e);
    default:
        u = m->lane_of[arg_of(m, e)];
        child = left_in(l, u, l->low[u], l->high[u]);
        return child && child->position < m->ends[arg_of(m, e)];
    }
}

static bool is_possible(struct lonely *l, thread_id t, const struct halt *halt)
{
    const struct model *m = l->m;

    memset(l->low, 0, m->thread_count * sizeof *l->low);
    memset(l->high, 0xff, m->thread_count * sizeof *l->high);
    halt_limit(l->h, t, halt, l->low, l->high);
    for (thread_id u = 0; u < m->thread_count; u++) {
        const struct halt *first = left_in(l, u, l->low[u], l->high[u]);
        if (u != t && !first)
            return false;
        if (u != t)
            l->low[u] = first->position;
    }
    return (!halt_waits(halt) || can_lack(l, t, halt)) && halts_sums_limit(l->h->sums, l->low, l->high);
}

/* Where a halt comes in a pass: who is unborn with its fork, who is over last. */
static event_id place_of_halt(const struct halts *h, thread_id t, const struct halt *halt)
{
    event_id fork = halts_fork_at(h, t, halt->position);

    return halt_waits(halt) ? halt_event(h, t, halt) : fork != EVENT_NONE ? fork : EVENT_NONE - 1;
}

/* One pass, in the order of the trace. */
static void pass(struct lonely *l)
{
    struct halts *h = l->h;
    const struct model *m = l->m;
    uint32_t *at = memory_new(m->thread_count, sizeof *at);

    for (;;) {
        thread_id best = NAME_NONE;
        event_id first = EVENT_NONE;
        for (thread_id t = 0; t < m->thread_count; t++) {
            at[t] = next_left(l, t, at[t]);
            const struct halt *halt = at[t] < h->threads[t].list_count ? &h->threads[t].list[at[t]] : NULL;
            event_id e = halt ? place_of_halt(h, t, halt) : EVENT_NONE;
            if (halt && (best == NAME_NONE || e < first)) {
                best = t;
                first = e;
            }
        }
        if (best == NAME_NONE || *h->w->stop)
            break;
        if (!is_possible(l, best, &h->threads[best].list[at[best]])) {
            l->next[best][at[best]] = at[best] + 1;
            l->changed = true;
        }
        at[best]++;
    }
    free(at);
}

static void keep_left(struct lonely *l, thread_id t)
{
    struct thread_halts *halts = &l->h->threads[t];
    size_t kept = 0;

    for (size_t i = 0; i < halts->list_count; i++)
        if (l->next[t][i] == i)
            halts->list[kept++] = halts->list[i];
    halts->list_count = kept;
    free(l->next[t]);
}

void halts_drop_lonely(struct halts *h)
{
    const struct model *m = h->m;
    struct lonely l = {.h = h, .m = m};

    l.low = memory_new(m->thread_count, sizeof *l.low);
    l.high = memory_new(m->thread_count, sizeof *l.high);
    l.next = memory_new(m->thread_count, sizeof *l.next);
    for (thread_id t = 0; t < m->thread_count; t++) {
        l.next[t] = memory_new(h->threads[t].list_count + 1, sizeof **l.next);
        for (uint32_t i = 0; i <= h->threads[t].list_count; i++)
            l.next[t][i] = i;
    }
    for (int i = 0; i < 2 * PASSES_MOST && !*h->w->stop; i++) {
        l.changed = false;
        pass(&l);
        if (l.ask && !l.changed)
            break;
        l.ask |= !l.changed || i >= PASSES_MOST;
    }
    for (thread_id t = 0; t < m->thread_count; t++)
        keep_left(&l, t);
    map_free(&l.lost);
    free(l.low);
    free(l.high);
    free(l.next);
}
