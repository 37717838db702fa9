/* Answers queries: the least cut, then windows of growing size, at last the whole. */
#include "solve/solver.h"
#include "base/memory.h"
#include "solve/overtaken.h"
#include "solve/search.h"
#include "solve/states.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How much further back the second window reaches (the next ones four times more each, and at least such a part of what the one
 * before has; where reads are in doubt already the first, and at least such a part of what it has to hold); the choices tried in the
 * first one and in the others, but the whole; and how many times more a contradiction may take than it took to see that no run is
 * near the observed one: that rules out less. */
enum {
    WINDOW_STEP = 32,
    WINDOW_GROWTH = 4,
    WINDOW_PART = 2,
    FIRST_PART = 16,
    CHOICE_STEP = 512,
    QUICK_BUDGET = 2,
    WINDOW_BUDGET = 16,
    CHOICE_BUDGET = 512,
    CONTRADICTION_TIMES = 4
};

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

/* The largest prefix that stops no later than the query's threads do. */
static event_id limit_start(const struct solver *s, event_id start)
{
    const struct model *m = s->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t most = s->query.most[t];
        if (most < thread_length(m, t) && event_at(m, t, most) <= start)
            start = event_at(m, t, most) - 1;
    }
    return start;
}

/* What was found, up to the event the run ends with: the start of a feasible run is one, too. */
static struct verdict feasible_run(const struct solver *s, event_id start, struct event_span run)
{
    struct verdict v = {.answer = ANSWER_FEASIBLE, .schedule = {.prefix = start}};
    uint32_t count = 0;

    while (count < run.count && (count == 0 || run.events[count - 1] != s->query.end))
        count++;
    assert(count > 0 || !s->query.end_next);
    count -= s->query.end_next;
    v.schedule.tail_count = count;
    v.schedule.tail = memory_resize(NULL, count, sizeof *v.schedule.tail);
    if (count > 0) /* a run without events has no array */
        memcpy(v.schedule.tail, run.events, count * sizeof *v.schedule.tail);
    return v;
}

/* … in the window. */
static struct verdict feasible(const struct solver *s, event_id start)
{
    return feasible_run(s, start, (struct event_span){s->order, s->window->nodes});
}

static struct verdict refuted(enum refutation why)
{
    return (struct verdict){.answer = ANSWER_INFEASIBLE, .why = why};
}

/* Whether the events of the cone after the first `start` contradict each other, whatever else the run holds:
 * then all longer runs do. */
static bool is_contradictory(struct solver *s, event_id start, uint64_t choices)
{
    s->prefix = s->chosen = false;
    s->left = choices;
    return search_run(s, s->cone, start) == ANSWER_INFEASIBLE;
}

/* Whether there is a run that takes the first `start` events as observed. */
static enum answer try_prefix(struct solver *s, event_id start, uint64_t choices)
{
    assert(start <= s->m->event_count);
    s->prefix = true;
    s->chosen = false;
    s->left = choices;
    return search_run(s, s->cone, start);
}

static bool settle(struct solver *s, struct verdict *v, struct verdict settled)
{
    s->refuted = settled.answer == ANSWER_FEASIBLE ? 0 : s->refuted + 1;
    *v = settled;
    return true;
}

/* How much further back the window after this one reaches. */
static event_id next_step(const struct solver *s, event_id step)
{
    event_id part = s->window->nodes / WINDOW_PART;

    return step * WINDOW_GROWTH > part ? step * WINDOW_GROWTH : part;
}

/* Tries for a run in the smallest window, where most are found; then windows of growing size, each for a plain
 * contradiction and for a run, the larger ones also for a contradiction that takes choices to see. One window,
 * large enough for most and small enough for many choices, gets more of them. True when that settles the query.
 *
 * After queries that were refuted the first contradiction is looked for first; what is found is the same. */
static bool ask_windows(struct solver *s, event_id start, struct verdict *v)
{
    bool doubtful = s->refuted > 1 && start > WINDOW_STEP, deep = false;

    if (doubtful && is_contradictory(s, start - WINDOW_STEP, 0))
        return settle(s, v, refuted(REFUTED_CYCLE));
    if (start > 0 && try_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE)
        return settle(s, v, feasible(s, start));
    for (event_id step = WINDOW_STEP; start > step; step = next_step(s, step)) {
        uint64_t choices = step >= CHOICE_STEP && !deep ? CHOICE_BUDGET : WINDOW_BUDGET;

        start -= step;
        deep |= step >= CHOICE_STEP;
        if (!(doubtful && step == WINDOW_STEP) && is_contradictory(s, start, 0))
            return settle(s, v, refuted(REFUTED_CYCLE));
        enum answer near = try_prefix(s, start, choices);
        if (near == ANSWER_FEASIBLE)
            return settle(s, v, feasible(s, start));
        choices = near == ANSWER_INFEASIBLE && step >= CHOICE_STEP ? choices - s->left : 0;
        if (choices > 0 && is_contradictory(s, start, choices * CONTRADICTION_TIMES))
            return settle(s, v, refuted(REFUTED_CHOICES));
    }
    return false;
}

/* Whether all runs contradict themselves as the events after the first `start` show. */
static bool is_refuted(struct solver *s, event_id start, uint64_t choices)
{
    s->left = choices;
    search_close_again(s, 0);
    s->found = false;
    s->query.assume = true;
    bool refuted = search_refutes(s, start);
    s->query.assume = false;
    return refuted;
}

/* How many steps a search in strides takes at most: for each event from the start of its run to the last that it needs, and
 * besides; and what a step costs, in vectors of clocks. */
enum { STRIDE_EVENT = 4, STRIDE_STEPS = 1000, STRIDE_COST = 8, STRIDE_WORK = 10000 };

/* What it costs to look how far threads can come, for each event; it is not charged, as it depends on what was looked at before. */
enum { CLIMB_COST = 4 };

/* Where nobody could go on, other ways may take so many steps for each event, and such a part of the work that is left. */
enum { AGAIN_EVENT = 16, AGAIN_SHARE = 16 };

/* What windows may cost, in vectors of clocks, where strides have failed on a long trace with grounds: at least so much, and more for
 * each choice of a larger budget; and such a part of it where they had failed for what asks for less. */
enum { WINDOWS_WORK = 1 << 18, WINDOWS_CHOICE = 2, WINDOWS_VAIN = 64 };

/* In the order of the trace; if that was in vain in other ways; or both. */
enum strides { STRIDES_ONCE, STRIDES_AGAIN, STRIDES_ALL };

/* Looks at how far threads can come, and for a run in strides. True when that settles the query. */
static bool ask_in_strides(struct solver *s, enum strides how, struct verdict *v)
{
    const struct model *m = s->m;
    bool again = how != STRIDES_ONCE;
    event_id start = limit_start(s, s->query.start - 1), last = start;
    struct event_span run;
    uint64_t steps;

    for (thread_id t = 0; t < m->thread_count; t++)
        if (s->cone[t] > 0 && event_at(m, t, s->cone[t] - 1) > last)
            last = event_at(m, t, s->cone[t] - 1);
    uint64_t most = (uint64_t)(last - start) * STRIDE_EVENT + STRIDE_STEPS;
    if (s->m->grounds ? s->work <= STRIDE_WORK : most > s->work / (s->window->row / ROW_UNIT)) {
        s->curbed = true;
        return false; /* that is for when it may cost more */
    }
    if (!s->climb) {
        s->climb = climb_new(m);
        s->strider = strider_new(m);
        s->vain = stride_vain_new(m);
    }
    uint64_t allowed = s->work / STRIDE_COST > STRIDE_STEPS ? s->work / STRIDE_COST : STRIDE_STEPS,
             more = again ? (uint64_t)(last - start) * AGAIN_EVENT : 0,
             share = s->work / STRIDE_COST / AGAIN_SHARE;
    more = more < share ? more : share;
    s->is_vain = again && stride_vain_knows(s->vain, &s->query, s->cone, more);
    bool climbs = how != STRIDES_AGAIN && !(s->is_vain && last - start > s->work / CLIMB_COST);
    if (climbs && climb_refutes(s->climb, &s->query, s->cone))
        return settle(s, v, refuted(REFUTED_CYCLE));
    if (s->is_vain) {
        s->curbed |= more == share || !climbs;
        return false;
    }
    bool found = stride_run(s->strider, &s->query, s->cone, &start, most < allowed ? most : allowed, more,
                            &steps, &run),
         curbed = steps >= (again ? share : allowed);
    s->window->effort += steps * STRIDE_COST;
    s->curbed |= curbed;
    if (again && !found)
        stride_vain_note(s->vain, &s->query, s->cone, curbed ? more : UINT64_MAX);
    search_charge(s);
    return found && settle(s, v, feasible_run(s, start, run));
}

/* How many events of the cone come after the first `start`. */
static event_id count_inside(const struct solver *s, event_id start)
{
    const uint32_t *before = window_seen(s->window, start);
    event_id inside = 0;

    for (thread_id t = 0; t < s->m->thread_count; t++)
        inside += s->cone[t] > before[t] ? s->cone[t] - before[t] : 0;
    return inside;
}

/* How far back the first window reaches: one that holds much anyway costs little more for it. */
static event_id first_step(const struct solver *s, event_id start)
{
    event_id inside = count_inside(s, start);

    return inside / FIRST_PART > WINDOW_STEP ? inside / FIRST_PART : WINDOW_STEP;
}

/* The same where what reads see and who wakes whom is in doubt. Who comes here has no run of the observed order, so
 * most have none. */
static bool ask_relaxed(struct solver *s, event_id start, struct verdict *v)
{
    bool strides = s->m->grounds, again = strides; /* then they were looked for */
    unsigned windows = 0;

    s->proof_count = 0;
    for (event_id step = first_step(s, start); start > step; step = next_step(s, step)) {
        bool large = windows > 0 || step > WINDOW_STEP, huge = windows > 0 && step >= CHOICE_STEP;

        if (large && !strides && ask_in_strides(s, STRIDES_ONCE, v))
            return true;
        strides |= large;
        if (huge && !again && ask_in_strides(s, STRIDES_AGAIN, v))
            return true;
        again |= huge;
        if (is_refuted(s, start - step, windows == 0 ? QUICK_BUDGET * 4 : WINDOW_BUDGET))
            return settle(s, v, refuted(REFUTED_CYCLE));
        if (s->found)
            return settle(s, v, feasible(s, start - step));
        if (windows++ == 0 && try_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE)
            return settle(s, v, feasible(s, start));
        start -= step;
        if (try_prefix(s, start, WINDOW_BUDGET) == ANSWER_FEASIBLE)
            return settle(s, v, feasible(s, start));
    }
    if (!strides && ask_in_strides(s, STRIDES_ONCE, v))
        return true;
    if (!again && ask_in_strides(s, STRIDES_AGAIN, v))
        return true;
    if (is_refuted(s, 0, s->budget < WINDOW_BUDGET * 4 ? s->budget : WINDOW_BUDGET * 4))
        return settle(s, v, refuted(REFUTED_CYCLE));
    return s->found && settle(s, v, feasible(s, 0));
}

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
        return refuted(REFUTED_MUST_ORDER);
    case CUT_CLOSED:
        return refuted(REFUTED_CYCLE);
    default:
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    }
}

/* Looks for a run of the query as it stands, of the observed order alone or not. */
static struct verdict ask_once(struct solver *s)
{
    struct verdict v = refuted(REFUTED_MUST_ORDER);

    if (find_cone(s) != CUT_IMPOSSIBLE && !(s->windows && (s->query.observed ? ask_windows : ask_relaxed)(
                                                              s, limit_start(s, s->query.start - 1), &v))) {
        v.answer = try_prefix(s, 0, s->budget);
        v.why = s->chosen ? REFUTED_CHOICES : REFUTED_CYCLE;
        if (v.answer == ANSWER_FEASIBLE)
            v = feasible(s, 0);
    }
    return v;
}

/* The work that reads in doubt may cost is used up: a run that is near the observed one is still found. */
static struct verdict ask_briefly(struct solver *s)
{
    event_id start = limit_start(s, s->query.start - 1);
    bool found = false;

    s->query.observed = true;
    if (s->brief == 0)
        return (struct verdict){.answer = ANSWER_UNDECIDED};
    search_charge(s);
    s->work = s->brief;
    if (find_cone(s) != CUT_IMPOSSIBLE && s->windows && start > 0)
        found = try_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE;
    search_charge(s);
    s->brief = s->work;
    s->work = 0;
    return found ? feasible(s, start) : (struct verdict){.answer = ANSWER_UNDECIDED};
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
            return refuted(REFUTED_MUST_ORDER);
        if (s->windows && overtaken_refutes(s->m, q, s->cone, &s->rivals))
            return refuted(REFUTED_CYCLE);
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
    return find_cone(s) != CUT_IMPOSSIBLE &&
           count_inside(s, limit_start(s, s->query.start - 1)) * cost > s->work;
}

/* The same, by going through the states of runs, for such a part of the work that is left. */
static struct verdict ask_states(struct solver *s)
{
    uint64_t most = s->work / STATES_SHARE,
             cap = s->budget < UINT64_MAX / STATES_CHOICE ? s->budget * STATES_CHOICE : UINT64_MAX;
    uint64_t given = most < cap ? most : cap, left = given;

    s->query.observed = false;
    if (find_cone(s) == CUT_IMPOSSIBLE)
        return refuted(REFUTED_MUST_ORDER);
    if (!s->states)
        s->states = states_new(s->m);
    enum answer answer = states_search(s->states, &s->query, s->cone, &left, s->stop);
    if (s->m->relaxed)
        s->work -= given - left;
    if (answer == ANSWER_FEASIBLE)
        return feasible_run(s, 0, states_run(s->states));
    return answer == ANSWER_INFEASIBLE ? refuted(REFUTED_CHOICES) : (struct verdict){.answer = answer};
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
        return refuted(REFUTED_MUST_ORDER);
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
