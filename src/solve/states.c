/* The search over states, depth first, the observed order first. A state is left for good once all that can follow
 * was tried. */
#include "base/memory.h"
#include "solve/states_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Longer traces have too many states; and so many numbers are kept by object and thread at most. */
enum { EVENTS_MOST = 4096, TABLE_MOST = 1 << 20 };

/* What a state costs, in vectors of clocks: at least, and how many numbers of its key are one more. */
enum { STATE_COST = 24, KEY_UNIT = 4 };

const enum name_class states_object[COMINGS] = {NAME_VARIABLE, NAME_VARIABLE,  NAME_LOCK,
                                                NAME_LOCK,     NAME_SEMAPHORE, NAME_CONDITION};

bool states_fit(const struct model *m)
{
    uint64_t names = 0;

    for (int i = 0; i < COMINGS; i++)
        names += trace_names(m->trace, states_object[i]);
    return m->event_count <= EVENTS_MOST && names * m->thread_count <= TABLE_MOST;
}

struct states *states_new(const struct model *m)
{
    struct states *s = memory_new(1, sizeof *s);
    size_t threads = m->thread_count, events = (size_t)m->event_count + 1;

    assert(states_fit(m));
    s->m = m;
    s->most = memory_new(threads, sizeof *s->most);
    s->position = memory_new(threads, sizeof *s->position);
    s->content = memory_new(m->variable_count, sizeof *s->content);
    s->sighting = memory_new(events, sizeof *s->sighting);
    s->changed = memory_new(threads, sizeof *s->changed);
    s->lock_owner = memory_new(m->lock_count, sizeof *s->lock_owner);
    s->lock_readers = memory_new(m->lock_count, sizeof *s->lock_readers);
    s->tokens = memory_new(trace_names(m->trace, NAME_SEMAPHORE), sizeof *s->tokens);
    s->served = memory_new(threads, sizeof *s->served);
    for (int i = 0; i < COMINGS; i++)
        s->last[i] = memory_new(trace_names(m->trace, states_object[i]) * threads, sizeof *s->last[i]);
    s->last_use = memory_new(events, sizeof *s->last_use);
    s->last_all = memory_new(trace_names(m->trace, NAME_THREAD), sizeof *s->last_all);
    s->by_write = memory_new(m->variable_count, sizeof *s->by_write);
    s->shared = memory_new(m->variable_count, sizeof *s->shared);
    return s;
}

void states_free(struct states *s)
{
    if (!s)
        return;
    for (thread_id t = 0; t < s->m->thread_count; t++)
        free(s->changed[t].reads);
    for (int i = 0; i < COMINGS; i++)
        free(s->last[i]);
    free(s->most);
    free(s->position);
    free(s->content);
    free(s->sighting);
    free(s->changed);
    free(s->lock_owner);
    free(s->lock_readers);
    free(s->tokens);
    free(s->served);
    free(s->steps);
    free(s->woken);
    free(s->run);
    free(s->last_use);
    free(s->last_all);
    free(s->by_write);
    free(s->shared);
    free(s->keys);
    free(s->slots);
    free(s->key);
    free(s);
}

static void go_back(struct states *s, size_t count)
{
    while (s->steps_count > count)
        states_step_back(s);
}

static event_id next_event(const struct states *s, thread_id t)
{
    return s->position[t] < s->most[t] ? event_at(s->m, t, s->position[t]) : EVENT_NONE;
}

/* Of the threads whose next event comes after `floor` in the trace and can happen, the one whose event comes first;
 * `free`: of those that may as well happen at once. NAME_NONE: there is none. */
static thread_id next_thread(const struct states *s, event_id floor, bool free)
{
    thread_id best = NAME_NONE;
    event_id first = EVENT_NONE;

    for (thread_id t = 0; t < s->m->thread_count; t++) {
        event_id e = next_event(s, t);
        if (e == EVENT_NONE || e <= floor || e >= first || !states_may_step(s, t) ||
            (free && !states_is_free(s, t)))
            continue;
        first = e;
        best = t;
    }
    return best;
}

/* Takes all steps that there is no choice about. False if the query has no answer after them. */
static bool take_free_steps(struct states *s)
{
    for (thread_id t; (t = next_thread(s, EVENT_INIT, true)) != NAME_NONE;)
        if (!states_step(s, t, NAME_NONE))
            return false;
    return true;
}

/* A thread that must go on cannot. */
static bool is_hopeless(const struct states *s)
{
    for (thread_id t = 0; t < s->m->thread_count; t++)
        if (s->position[t] < s->least[t] + s->q->keep[t] && states_is_over(s, t))
            return true;
    return false;
}

static bool pay(struct states *s)
{
    uint64_t cost = STATE_COST + s->key_count / KEY_UNIT;

    s->out |= s->work < cost || *s->stop;
    s->work -= s->work < cost ? s->work : cost;
    return !s->out;
}

static bool search(struct states *s);

static bool try_step(struct states *s, thread_id t, thread_id serve)
{
    size_t before = s->steps_count;

    if (states_step(s, t, serve) && search(s))
        return true;
    go_back(s, before);
    return false;
}

/* The next event of the thread, a notify, with each wait that it may serve. */
static bool try_notify(struct states *s, thread_id t, event_id e)
{
    bool served = false;

    for (thread_id u = 0; u < s->m->thread_count && !s->out; u++) {
        if (s->served[u] || !states_is_waiting(s, arg_of(s->m, e), u))
            continue;
        served = true;
        if (try_step(s, t, u))
            return true;
    }
    return !served && try_step(s, t, NAME_NONE);
}

/* Whether a run from here answers the query; then the steps are those of the run. */
static bool search(struct states *s)
{
    size_t before = s->steps_count;
    event_id floor = EVENT_INIT;

    if (!take_free_steps(s) || is_hopeless(s)) {
        go_back(s, before);
        return false;
    }
    if (states_is_answer(s))
        return true;
    bool known = states_know(s);
    if (!pay(s) || known) {
        go_back(s, before);
        return false;
    }
    for (thread_id t; !s->out && (t = next_thread(s, floor, false)) != NAME_NONE;) {
        floor = event_at(s->m, t, s->position[t]);
        if (kind_of(s->m, floor) == EVENT_NOTIFY ? try_notify(s, t, floor) : try_step(s, t, NAME_NONE))
            return true;
    }
    go_back(s, before);
    return false;
}

enum answer states_search(struct states *s, const struct query *q, const uint32_t *least, uint64_t *work,
                          const stop_flag *stop)
{
    s->q = q;
    s->least = least;
    s->stop = stop;
    s->work = *work;
    s->out = false;
    states_prepare(s);
    states_begin(s);
    bool found = search(s);
    *work = s->work;
    states_forget(s);
    if (found) {
        s->run = memory_grow(s->run, &s->run_capacity, s->steps_count, sizeof *s->run);
        for (size_t i = 0; i < s->steps_count; i++)
            s->run[i] = s->steps[i].event;
        return ANSWER_FEASIBLE;
    }
    return s->out ? ANSWER_UNDECIDED : ANSWER_INFEASIBLE;
}

struct event_span states_run(const struct states *s)
{
    return (struct event_span){s->run, s->steps_count};
}
