/* Answers queries: the least cut, then windows of growing size, at last the whole. */
#include "solve/solver.h"
#include "base/memory.h"
#include "solve/ask.h"
#include "solve/overtaken.h"
#include "solve/states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* One query may take such a part of the work that is left, but at least such a part of what was allowed: a hard one leaves
 * something for those after it. */
enum { QUERY_SHARE = 2, QUERY_LEAST = 16 };

/* On a short trace windows may cost so much before the states of runs are searched; and these may cost such a part of what is
 * left then, and no more than this for each choice of the budget. */
enum { STATES_AFTER = 1000000, STATES_SHARE = 2, STATES_CHOICE = 160 };

struct solver *solver_new(const struct model *m, uint64_t budget, bool windows, const stop_flag *stop)
{
    struct solver *s = memory_new(1, sizeof *s);

    s->m = m;
    s->budget = budget;
    s->work = s->brief = UINT64_MAX;
    s->stop = stop;
    s->windows = windows;
    s->window = window_new(m);
    s->window->plain = !windows;
    s->carrier = carrier_new(m);
    s->cone = memory_new(m->thread_count, sizeof *s->cone);
    s->closed = memory_new(m->thread_count, sizeof *s->closed);
    s->query.least = memory_new(m->thread_count, sizeof *s->query.least);
    s->query.most = memory_new(m->thread_count, sizeof *s->query.most);
    s->query.keep = memory_new(m->thread_count, sizeof *s->query.keep);
    return s;
}

void solver_allow(struct solver *s, uint64_t work)
{
    search_charge(s);
    s->work = s->brief = s->allowed = work;
    s->ran_out = s->may_gain = false;
    s->window->nodes = 0;
    s->refuted = 0; /* what queries cost does not depend on those before the call */
    if (s->vain)
        stride_vain_forget(s->vain);
}

uint64_t solver_spent(const struct solver *s)
{
    return s->allowed - s->work + s->allowed - s->brief;
}

uint64_t solver_cost(const struct solver *s)
{
    return s->window->effort;
}

bool solver_ran_out(const struct solver *s)
{
    return s->ran_out;
}

bool solver_may_gain(const struct solver *s)
{
    return s->may_gain;
}

void solver_be_plain(struct solver *s)
{
    s->window->plain = true;
}

void solver_search_states(struct solver *s)
{
    s->only_states = states_fit(s->m);
}

void solver_free(struct solver *s)
{
    window_free(s->window);
    free(s->cone);
    free(s->closed);
    free(s->query.least);
    free(s->query.most);
    free(s->query.keep);
    rivals_free(&s->rivals);
    rivals_free(&s->others);
    free(s->pinned);
    free(s->pins);
    free(s->pin_of);
    for (size_t i = 0; i < s->proof_capacity; i++)
        free(s->proof[i].items);
    free(s->proof);
    free(s->freed);
    free(s->is_free);
    carrier_free(s->carrier);
    strider_free(s->strider);
    stride_vain_free(s->vain);
    climb_free(s->climb);
    states_free(s->states);
    free(s->order);
    free(s);
}

struct query *solver_query(struct solver *s)
{
    struct query *q = &s->query;
    uint32_t threads = s->m->thread_count;

    memset(q->least, 0, threads * sizeof *q->least);
    memset(q->most, 0xff, threads * sizeof *q->most);
    memset(q->keep, 0, threads * sizeof *q->keep);
    q->read = q->final = q->end = q->written = EVENT_NONE;
    q->end_next = false;
    q->order_count = 0;
    q->sight_count = 0;
    q->test = TEST_NONE;
    q->test_range_count = 0;
    q->pin_count = 0;
    q->free = NULL;
    q->assume = false;
    q->observed = true;
    q->start = 1;
    return q;
}

/* What windows may cost, in vectors of clocks, where strides have failed on a long trace with grounds: at least so much, and more for
 * each choice of a larger budget; and such a part of it where they had failed for what asks for less. */
enum { WINDOWS_WORK = 1 << 18, WINDOWS_CHOICE = 2, WINDOWS_VAIN = 64 };

/* The least cut of the query, as far as it is forced. */
static enum closure find_cone(struct solver *s)
{
    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (s->query.least[t] > s->query.most[t]) /* a read that is to see a later write of its own thread */
            return CUT_IMPOSSIBLE;
    memcpy(s->cone, s->query.least, s->m->thread_count * sizeof *s->cone);
    return cut_close(s->m, &s->query, s->cone, NULL, &s->rivals);
}

struct verdict solver_refute(struct solver *s)
{
    s->query.observed = !s->m->relaxed;
    switch (find_cone(s)) {
    case CUT_IMPOSSIBLE:
        return ask_refuted(REFUTED_MUST_ORDER);
    case CUT_CLOSED:
        return ask_refuted(REFUTED_CYCLE);
    default:
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    }
}

/* Looks for a run of the query as it stands, of the observed order alone or not. */
static struct verdict ask_once(struct solver *s)
{
    struct verdict v = ask_refuted(REFUTED_MUST_ORDER);

    if (find_cone(s) != CUT_IMPOSSIBLE && !(s->windows && (s->query.observed ? ask_windows : ask_relaxed)(
                                                              s, ask_start(s, s->query.start - 1), &v))) {
        v.answer = ask_prefix(s, 0, s->budget);
        v.why = s->chosen ? REFUTED_CHOICES : REFUTED_CYCLE;
        if (v.answer == ANSWER_FEASIBLE)
            v = ask_found_in_window(s, 0);
    }
    return v;
}

/* The work that reads in doubt may cost is used up: a run that is near the observed one is still found. */
static struct verdict ask_briefly(struct solver *s)
{
    event_id start = ask_start(s, s->query.start - 1);
    bool found = false;

    s->query.observed = true;
    if (s->brief == 0)
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    search_charge(s);
    s->work = s->brief;
    if (find_cone(s) != CUT_IMPOSSIBLE && s->windows && start > 0)
        found = ask_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE;
    search_charge(s);
    s->brief = s->work;
    s->work = 0;
    return found ? ask_found_in_window(s, start) : (struct verdict){.answer = ANSWER_UNDECIDED};
}

/* Most runs that there are keep to the observed order, and they are found with less. If none does, that refutes the
 * query only where every run keeps to it. */
static struct verdict ask_in_windows(struct solver *s)
{
    s->query.observed = true;
    struct verdict v = ask_once(s);
    if (v.answer == ANSWER_FEASIBLE || (!s->m->relaxed && s->query.test == TEST_NONE))
        return v;
    s->query.observed = false;
    return s->work > 0 ? ask_once(s) : (struct verdict){.answer = ANSWER_UNDECIDED};
}

/* How much of the work that is left is not for windows. Who allows no certain work wants an answer, whatever it takes. */
static uint64_t beyond_windows(const struct solver *s)
{
    uint64_t most = s->budget > WINDOWS_WORK / WINDOWS_CHOICE ? s->budget * WINDOWS_CHOICE : WINDOWS_WORK;

    most /= s->is_vain ? WINDOWS_VAIN : 1;
    return s->allowed > 0 && s->budget < UINT64_MAX / WINDOWS_CHOICE && s->work > most ? s->work - most : 0;
}

/* Runs in strides are looked for first, and windows do little for a query that has none. */
static struct verdict ask_with_grounds(struct solver *s)
{
    struct verdict v;

    s->is_vain = false;
    if (ask_in_strides(s, STRIDES_ALL, &v))
        return v; /* most reads are free to see another write */
    uint64_t kept = states_fit(s->m) ? 0 : beyond_windows(s);
    s->work -= kept;
    s->is_capped = kept > 0;
    v = ask_in_windows(s);
    search_charge(s);
    s->work += kept;
    return v;
}

static struct verdict ask(struct solver *s)
{
    struct query *q = &s->query;

    assert(q->start >= 1 && q->pin_count == 0 && !q->assume);
    assert(s->pinned_count == 0 && s->pins_count == 0);
    if (s->m->relaxed || q->test != TEST_NONE) {
        q->observed = false;
        if (find_cone(s) == CUT_IMPOSSIBLE)
            return ask_refuted(REFUTED_MUST_ORDER);
        if (s->windows && overtaken_refutes(s->m, q, s->cone, &s->rivals))
            return ask_refuted(REFUTED_CYCLE);
    }
    s->curbed = s->is_capped = false;
    if (s->work == 0)
        return ask_briefly(s);
    return s->m->relaxed && s->m->grounds && s->windows ? ask_with_grounds(s) : ask_in_windows(s);
}

/* Whether the events that the query cannot do without, where reads are in doubt, are too many for a window of the work that is left. */
static bool is_too_large(struct solver *s)
{
    uint64_t cost = s->window->row / ROW_UNIT + WINDOW_NODE;

    s->query.observed = false;
    return find_cone(s) != CUT_IMPOSSIBLE && ask_inside(s, ask_start(s, s->query.start - 1)) * cost > s->work;
}

/* The same, by going through the states of runs, for such a part of the work that is left. */
static struct verdict ask_states(struct solver *s)
{
    uint64_t most = s->work / STATES_SHARE,
             cap = s->budget < UINT64_MAX / STATES_CHOICE ? s->budget * STATES_CHOICE : UINT64_MAX;
    uint64_t given = most < cap ? most : cap, left = given;

    s->query.observed = false;
    if (find_cone(s) == CUT_IMPOSSIBLE)
        return ask_refuted(REFUTED_MUST_ORDER);
    if (!s->states)
        s->states = states_new(s->m);
    enum answer answer = states_search(s->states, &s->query, s->cone, &left, s->stop);
    if (s->m->relaxed)
        s->work -= given - left;
    if (answer == ANSWER_FEASIBLE)
        return ask_found(s, 0, states_run(s->states));
    return answer == ANSWER_INFEASIBLE ? ask_refuted(REFUTED_CHOICES) : (struct verdict){.answer = answer};
}

/* On a short trace: windows for a while, then states, then windows as long as it takes. */
static struct verdict ask_in_turn(struct solver *s)
{
    uint64_t kept = s->work > STATES_AFTER ? s->work - STATES_AFTER : 0;
    struct verdict v;

    s->work -= kept;
    v = ask(s);
    search_charge(s);
    s->work += kept;
    if (v.answer == ANSWER_UNDECIDED && s->work > 0)
        v = ask_states(s);
    if (v.answer == ANSWER_UNDECIDED && kept > 0) {
        s->query.pin_count = 0;
        v = ask(s);
    }
    return v;
}

struct verdict solver_stride(struct solver *s, uint32_t *reach)
{
    struct verdict v = {.answer = ANSWER_UNDECIDED};
    uint64_t effort = s->window->effort;

    memset(reach, 0xff, s->m->thread_count * sizeof *reach);
    s->query.observed = false;
    if (find_cone(s) == CUT_IMPOSSIBLE)
        return ask_refuted(REFUTED_MUST_ORDER);
    if (s->windows && !s->only_states && !ask_in_strides(s, STRIDES_ONCE, &v) && s->window->effort > effort)
        stride_reach(s->strider, reach);
    return v;
}

/* As the solver was told to. */
static struct verdict ask_somehow(struct solver *s)
{
    if (s->only_states)
        return ask_states(s);
    return s->windows && !s->window->plain && states_fit(s->m) ? ask_in_turn(s) : ask(s);
}

struct verdict solver_ask(struct solver *s)
{
    return solver_ask_within(s, UINT64_MAX);
}

/* … where reads are in doubt. */
static struct verdict ask_for_share(struct solver *s, uint64_t most)
{
    uint64_t least = s->allowed / QUERY_LEAST, share = s->work / QUERY_SHARE, kept;

    share = share > least ? share : least;
    bool limited = most < share && s->work > 0;
    share = limited ? most : share;
    kept = s->work > share ? s->work - share : 0;
    s->work -= kept;
    struct verdict v = {.answer = ANSWER_UNDECIDED};
    if (!limited || s->m->grounds || !s->windows || !is_too_large(s)) /* strides may do with less */
        v = ask_somehow(s);
    search_charge(s);
    bool open = v.answer == ANSWER_UNDECIDED && !limited, spent = window_is_spent(s->window);
    s->ran_out |= open && (s->work == 0 || spent);
    s->may_gain |= open && (s->work == 0 || s->curbed || (spent && !s->is_capped));
    s->work += kept;
    return v;
}

struct verdict solver_ask_within(struct solver *s, uint64_t most)
{
    uint64_t work = s->work;

    if (s->m->relaxed || most == UINT64_MAX)
        return ask_for_share(s, most);
    search_charge(s);
    s->bounded = true;
    s->work = most;
    struct verdict v = ask_somehow(s);
    search_charge(s);
    s->bounded = false;
    s->work = work; /* of that nothing is used up */
    return v;
}

const struct query *solver_last_query(const struct solver *s)
{
    return &s->query;
}

const struct model *solver_model(const struct solver *s)
{
    return s->m;
}
