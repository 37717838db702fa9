/* Asks for a run in windows of growing size that end where the query does. */
#include "base/memory.h"
#include "solve/ask.h"

#include <assert.h>
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
    WINDOW_BUDGET = 16,
    CHOICE_BUDGET = 512,
    CONTRADICTION_TIMES = 4
};

bool ask_settle(struct solver *s, struct verdict *v, struct verdict settled)
{
    s->refuted = settled.answer == ANSWER_FEASIBLE ? 0 : s->refuted + 1;
    *v = settled;
    return true;
}

event_id ask_start(const struct solver *s, event_id start)
{
    const struct model *m = s->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t most = s->query.most[t];
        if (most < thread_length(m, t) && event_at(m, t, most) <= start)
            start = event_at(m, t, most) - 1;
    }
    return start;
}

struct verdict ask_found(const struct solver *s, event_id start, struct event_span run)
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

struct verdict ask_found_in_window(const struct solver *s, event_id start)
{
    return ask_found(s, start, (struct event_span){s->order, s->window->nodes});
}

enum answer ask_prefix(struct solver *s, event_id start, uint64_t choices)
{
    assert(start <= s->m->event_count);
    s->prefix = true;
    s->chosen = false;
    s->left = choices;
    return search_run(s, s->cone, start);
}

/* Whether the events of the cone after the first `start` contradict each other, whatever else the run holds:
 * then all longer runs do. */
static bool is_contradictory(struct solver *s, event_id start, uint64_t choices)
{
    s->prefix = s->chosen = false;
    s->left = choices;
    return search_run(s, s->cone, start) == ANSWER_INFEASIBLE;
}

/* How much further back the window after this one reaches. */
static event_id next_step(const struct solver *s, event_id step)
{
    event_id part = s->window->nodes / WINDOW_PART;

    return step * WINDOW_GROWTH > part ? step * WINDOW_GROWTH : part;
}

bool ask_windows(struct solver *s, event_id start, struct verdict *v)
{
    bool doubtful = s->refuted > 1 && start > WINDOW_STEP, deep = false;

    if (doubtful && is_contradictory(s, start - WINDOW_STEP, 0))
        return ask_settle(s, v, ask_refuted(REFUTED_CYCLE));
    if (start > 0 && ask_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE)
        return ask_settle(s, v, ask_found_in_window(s, start));
    for (event_id step = WINDOW_STEP; start > step; step = next_step(s, step)) {
        uint64_t choices = step >= CHOICE_STEP && !deep ? CHOICE_BUDGET : WINDOW_BUDGET;

        start -= step;
        deep |= step >= CHOICE_STEP;
        if (!(doubtful && step == WINDOW_STEP) && is_contradictory(s, start, 0))
            return ask_settle(s, v, ask_refuted(REFUTED_CYCLE));
        enum answer near = ask_prefix(s, start, choices);
        if (near == ANSWER_FEASIBLE)
            return ask_settle(s, v, ask_found_in_window(s, start));
        choices = near == ANSWER_INFEASIBLE && step >= CHOICE_STEP ? choices - s->left : 0;
        if (choices > 0 && is_contradictory(s, start, choices * CONTRADICTION_TIMES))
            return ask_settle(s, v, ask_refuted(REFUTED_CHOICES));
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

event_id ask_inside(const struct solver *s, event_id start)
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
    event_id inside = ask_inside(s, start);

    return inside / FIRST_PART > WINDOW_STEP ? inside / FIRST_PART : WINDOW_STEP;
}

bool ask_relaxed(struct solver *s, event_id start, struct verdict *v)
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
            return ask_settle(s, v, ask_refuted(REFUTED_CYCLE));
        if (s->found)
            return ask_settle(s, v, ask_found_in_window(s, start - step));
        if (windows++ == 0 && ask_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE)
            return ask_settle(s, v, ask_found_in_window(s, start));
        start -= step;
        if (ask_prefix(s, start, WINDOW_BUDGET) == ANSWER_FEASIBLE)
            return ask_settle(s, v, ask_found_in_window(s, start));
    }
    if (!strides && ask_in_strides(s, STRIDES_ONCE, v))
        return true;
    if (!again && ask_in_strides(s, STRIDES_AGAIN, v))
        return true;
    if (is_refuted(s, 0, s->budget < WINDOW_BUDGET * 4 ? s->budget : WINDOW_BUDGET * 4))
        return ask_settle(s, v, ask_refuted(REFUTED_CYCLE));
    return s->found && ask_settle(s, v, ask_found_in_window(s, 0));
}
