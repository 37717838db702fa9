/* Whether a run leads to a cut in which every thread waits, is over or was not forked: whether its notifies come too early or serve
 * other waits is asked for with more and more orders. */
#include "base/memory.h"
#include "property/candidate.h"
#include "property/stuck_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Orders that a query takes. */
enum { ORDERS_MOST = 8 };

static struct verdict ask_orders(struct stuck_question *s);

/* Asks once more, with one more order. */
static struct verdict ask_with(struct stuck_question *s, event_id before, event_id after)
{
    ARRAY_PUSH(s, orders, (struct order){before, after});
    struct verdict v = ask_orders(s);
    assert(s->orders_count > 0 && s->orders[s->orders_count - 1].before == before);
    s->orders_count--;
    return v;
}

/* Keeps what was answered best: a run, else that it is open. */
static bool is_answered(struct verdict *best, struct verdict v)
{
    if (v.answer == ANSWER_FEASIBLE || (v.answer == ANSWER_UNDECIDED && best->answer == ANSWER_INFEASIBLE))
        *best = v;
    return best->answer == ANSWER_FEASIBLE;
}

/* The wait would be served. In every run where it is not, one of these services cannot be: its notify comes
 * before the wait begins or after it ends. */
static struct verdict ask_without(struct stuck_question *s, const struct woken_wait *wait,
                                  const struct services *services)
{
    struct verdict best = {.answer = ANSWER_INFEASIBLE, .why = REFUTED_CHOICES};

    for (size_t i = services->list_count; i-- > 0;) {
        const struct service *v = &services->list[i];
        if (v->wait == wait && is_answered(&best, ask_with(s, v->notify, wait->pre)))
            return best;
    }
    for (size_t i = services->list_count; i-- > 0;) {
        const struct service *v = &services->list[i];
        if (v->wait == wait)
            continue;
        if (is_answered(&best, ask_with(s, v->notify, v->wait->pre)) ||
            is_answered(&best, ask_with(s, v->wait->end, v->notify)))
            return best;
    }
    return best;
}

/* The cut and the orders so far, as the solver is asked. */
static struct query *fill_orders(struct stuck_question *s)
{
    struct query *q = solver_query(s->w->solver);

    for (thread_id t = 0; t < s->m->thread_count; t++)
        s->asked_about += s->cut[t];
    candidate_fill(s->m, q, PROPERTY_STUCK, s->events, s->event_count);
    for (size_t i = 0; i < s->orders_count; i++) {
        event_id first = s->orders[i].before < s->orders[i].after ? s->orders[i].before : s->orders[i].after;
        assert(s->orders[i].before != s->orders[i].after);
        query_order(q, s->orders[i].before, s->orders[i].after);
        q->start = outermost_start(s->m, first) < q->start ? outermost_start(s->m, first) : q->start;
    }
    return q;
}

/* Whether a run of the cut, with the orders so far, leaves every waiting thread without a signal. */
static struct verdict ask_orders(struct stuck_question *s)
{
    struct services services = {0};

    if (++s->asks > s->w->options->budget || s->asked_about > s->to_ask_about ||
        s->orders_count > ORDERS_MOST || *s->w->stop)
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    fill_orders(s);
    struct verdict v = solver_ask(s->w->solver);
    for (uint32_t i = 0; i < s->event_count && v.answer == ANSWER_FEASIBLE; i++) {
        const struct woken_wait *wait = signals_wait(s->signals, s->events[i]);
        if (!wait || halts_holder(s->m, s->cut, s->events[i], false) != EVENT_NONE ||
            !signals_serve(s->signals, &v.schedule, wait, &services))
            continue;
        free(v.schedule.tail);
        v = ask_without(s, wait, &services);
        break; /* what it found was looked at already */
    }
    free(services.list);
    return v;
}

/* Orders each thread's last notify of the cut before the wait begins; false where it cannot be. A thread may notify while it waits
 * itself, between the two ends of a wait. */
static bool order_early(struct stuck_question *s, const struct woken_wait *wait)
{
    const struct model *m = s->m;
    const struct lonely_condition *c = signals_condition(s->signals, wait);

    for (size_t i = 0; i < c->notifiers_count; i++) {
        const struct notifier *n = &c->notifiers[i];
        uint32_t count = accesses_before(m, n->events, (uint32_t)n->events_count, s->cut[n->thread]);
        event_id notify = count > 0 ? n->events[count - 1] : EVENT_NONE;
        if (notify == EVENT_NONE || must_before(m, notify, wait->pre))
            continue;
        if (s->orders_count == QUERY_PAIRS || must_before(m, wait->pre, notify))
            return false;
        ARRAY_PUSH(s, orders, (struct order){notify, wait->pre});
    }
    return true;
}

/* Orders the notifies before all waits that are to be without a signal. */
static bool order_all_early(struct stuck_question *s)
{
    bool fits = true;

    for (uint32_t i = 0; i < s->event_count && fits; i++) {
        const struct woken_wait *wait = signals_wait(s->signals, s->events[i]);
        if (wait && halts_holder(s->m, s->cut, s->events[i], false) == EVENT_NONE)
            fits = order_early(s, wait);
    }
    return fits;
}

/* Looks for such a run. */
static struct verdict ask_early(struct stuck_question *s)
{
    struct verdict v = {.answer = ANSWER_UNDECIDED};
    bool fits = order_all_early(s);

    if (fits && s->orders_count > 0) {
        fill_orders(s);
        v = solver_ask(s->w->solver);
    }
    s->orders_count = 0;
    return v;
}

struct verdict stuck_ask(struct stuck_question *s)
{
    struct verdict v = {.answer = ANSWER_UNDECIDED};

    assert(s->orders_count == 0); /* every question takes back its own */
    s->asks = 0;
    if (s->m->grounds)
        v = ask_early(s);
    return v.answer == ANSWER_FEASIBLE ? v : ask_orders(s);
}

struct verdict stuck_ask_quickly(struct stuck_question *s, uint32_t *reach)
{
    struct verdict v = {.answer = ANSWER_UNDECIDED};

    assert(s->orders_count == 0);
    memset(reach, 0xff, s->m->thread_count * sizeof *reach);
    if (order_all_early(s)) {
        fill_orders(s);
        v = solver_stride(s->w->solver, reach);
    }
    s->orders_count = 0;
    return v;
}

struct verdict stuck_decide(struct worker *w, const uint32_t *events, uint32_t count, bool *served)
{
    const struct model *m = w->m;
    struct signals signals;
    struct stuck_question s = {
        .w = w, .m = m, .signals = &signals, .event_count = count, .to_ask_about = UINT64_MAX};
    struct query *q = solver_query(w->solver);

    signals_init(&signals, m);
    s.cut = memory_new(m->thread_count, sizeof *s.cut);
    s.events = memory_new(count, sizeof *s.events);
    memcpy(s.events, events, count * sizeof *s.events);
    candidate_fill(m, q, PROPERTY_STUCK, events, count);
    memcpy(s.cut, q->most, m->thread_count * sizeof *s.cut);
    struct verdict v = ask_orders(&s);
    *served = v.answer == ANSWER_INFEASIBLE && s.asks > 1;
    signals_free(&signals);
    free(s.cut);
    free(s.events);
    free(s.orders);
    return v;
}
