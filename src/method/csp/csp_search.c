/* The search itself: steps along rests as long as that works, depth first where it does not. */
#include "base/memory.h"
#include "method/csp/csp_search_parts.h"

#include <stdlib.h>

enum entry { ENTRY_NEW, ENTRY_KNOWN, ENTRY_GOAL, ENTRY_REST, ENTRY_BUDGET };

struct csp_search *csp_search_new(struct csp_processes *pr, uint64_t budget, const stop_flag *stop)
{
    struct csp_search *s = memory_new(1, sizeof *s);
    const struct model *m = pr->p->m;
    size_t leaves = (size_t)pr->p->stage_count + m->lock_count;

    *s = (struct csp_search){.pr = pr, .p = pr->p, .m = m, .budget = budget, .stop = stop};
    s->position = memory_new(m->thread_count, sizeof *s->position);
    s->limit = memory_new(m->thread_count, sizeof *s->limit);
    s->scanned = memory_new(m->thread_count, sizeof *s->scanned);
    s->thread = memory_new(m->thread_count, sizeof *s->thread);
    s->movers = memory_new(m->thread_count, sizeof *s->movers);
    s->blocked = memory_new(m->thread_count, sizeof *s->blocked);
    s->leaf = memory_new(leaves, sizeof *s->leaf);
    s->leaf_epoch = memory_new(leaves, sizeof *s->leaf_epoch);
    return s;
}

void csp_search_free(struct csp_search *s)
{
    free(s->position);
    free(s->limit);
    free(s->scanned);
    free(s->thread);
    free(s->movers);
    free(s->blocked);
    free(s->leaf);
    free(s->leaf_epoch);
    free(s->path);
    free(s->frames);
    free(s->states);
    free(s->slots);
    free(s->steps.steps);
    free(s);
}

const struct csp_search_stats *csp_search_counts(const struct csp_search *s)
{
    return &s->stats;
}

static bool at_goal(const struct csp_search *s)
{
    thread_id one = thread_of(s->m, s->goal[0]), other = thread_of(s->m, s->goal[1]);

    return s->position[one] == s->limit[one] && s->position[other] == s->limit[other];
}

/* Moves one thread alone to its next rest; all or nothing. */
static bool move_to_rest(struct csp_search *s, thread_id t)
{
    size_t mark = s->path_count;

    while (next_link(s, t) && state_take(s, t)) {
        if (is_rest(s)) {
            s->committed = s->path_count;
            s->stats.states++;
            return true;
        }
    }
    state_take_back(s, mark);
    return false;
}

/* The mover whose next event comes first in the trace. */
static thread_id first_mover(const struct csp_search *s)
{
    thread_id first = THREAD_NONE;

    for (uint32_t i = 0; i < s->mover_count; i++) {
        thread_id t = s->movers[i];
        if (!s->blocked[t] && next_link(s, t) &&
            (first == THREAD_NONE || next_link(s, t)->event < next_link(s, first)->event))
            first = t;
    }
    return first;
}

static void move_along_rests(struct csp_search *s)
{
    thread_id t;

    for (uint32_t i = 0; i < s->mover_count; i++)
        s->blocked[s->movers[i]] = false;
    while (!at_goal(s) && !*s->stop && (t = first_mover(s)) != THREAD_NONE) {
        if (!move_to_rest(s, t)) {
            s->blocked[t] = true;
            continue;
        }
        for (uint32_t i = 0; i < s->mover_count; i++)
            s->blocked[s->movers[i]] = false;
    }
}

static void take_eager(struct csp_search *s)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < s->mover_count; i++) {
            thread_id t = s->movers[i];
            while (next_link(s, t) && !state_is_choice(s, t, next_link(s, t)) && state_take(s, t))
                changed = true;
        }
    }
}

/* What the state is that was just reached. */
static enum entry enter(struct csp_search *s)
{
    take_eager(s);
    if (at_goal(s))
        return ENTRY_GOAL;
    if (is_rest(s) && s->path_count > s->committed)
        return ENTRY_REST;
    if (s->visited >= s->budget || *s->stop)
        return ENTRY_BUDGET;
    return state_add(s) ? ENTRY_NEW : ENTRY_KNOWN;
}

/* The mover with the choice that comes next in the trace after `tried`. */
static thread_id next_choice(const struct csp_search *s, event_id tried)
{
    thread_id next = THREAD_NONE;

    for (uint32_t i = 0; i < s->mover_count; i++) {
        thread_id t = s->movers[i];
        const struct csp_link *link = next_link(s, t);
        if (link && link->event > tried && state_is_choice(s, t, link) &&
            (next == THREAD_NONE || link->event < next_link(s, next)->event))
            next = t;
    }
    return next;
}

/* Everything that can be reached from the last rest, until the goal or another rest is. ENTRY_KNOWN: neither
 * is. */
static enum entry search_depth_first(struct csp_search *s)
{
    size_t mark = s->path_count;
    enum entry entry = enter(s);

    s->frames_count = 0;
    if (entry != ENTRY_NEW)
        return entry;
    ARRAY_PUSH(s, frames, (struct csp_frame){.mark = mark});
    while (s->frames_count > 0) {
        struct csp_frame *top = &s->frames[s->frames_count - 1];
        thread_id t = next_choice(s, top->tried);
        if (t == THREAD_NONE) {
            state_take_back(s, top->mark);
            s->frames_count--;
            continue;
        }
        top->tried = next_link(s, t)->event;
        mark = s->path_count;
        if (!state_take(s, t))
            continue;
        entry = enter(s);
        if (entry == ENTRY_NEW)
            ARRAY_PUSH(s, frames, (struct csp_frame){.mark = mark});
        else if (entry == ENTRY_KNOWN)
            state_take_back(s, mark);
        else
            return entry;
    }
    return ENTRY_KNOWN;
}

/* Both accesses come next. Whether PROGRAM does one, then the other, and PATTERN does `race` then. */
static bool can_race(struct csp_search *s)
{
    struct csp_pattern who = {thread_of(s->m, s->goal[0]), thread_of(s->m, s->goal[1]),
                              arg_of(s->m, s->goal[0])};
    csp_event events[3] = {csp_label_of(s->pr, s->goal[0]), csp_label_of(s->pr, s->goal[1]), s->p->race};
    struct csp_steps now = {0}, next = {0};
    bool found;

    ARRAY_PUSH(&now, steps, (struct csp_step){CSP_TAU, csp_pattern(s->pr, who)});
    for (int i = 0; i < 3; i++) {
        next.steps_count = 0;
        for (size_t k = 0; k < now.steps_count; k++)
            csp_after(s->pr->c, now.steps[k].then, events[i], &next);
        struct csp_steps swap = now;
        now = next;
        next = swap;
    }
    found = now.steps_count > 0;
    s->stats.transitions += 3;
    free(now.steps);
    free(next.steps);
    return found;
}

struct tail {
    uint32_t *events;
    size_t events_count, events_capacity;
};

/* Appends the thread's synchronization events up to a position, re-entrant ones included. */
static void tell_until(const struct csp_search *s, struct tail *tail, thread_id t, uint32_t *told, uint32_t end)
{
    for (; *told < end; ++*told)
        if (kind_synchronizes(kind_of(s->m, event_at(s->m, t, *told))))
            ARRAY_PUSH(tail, events, event_at(s->m, t, *told));
}

static struct schedule tell_schedule(const struct csp_search *s)
{
    const struct model *m = s->m;
    uint32_t *told = memory_new(m->thread_count, sizeof *told),
             *next = memory_new(m->thread_count, sizeof *next);
    struct tail tail = {0};

    for (thread_id t = 0; t < m->thread_count; t++) {
        told[t] = thread_count_up_to(m, t, s->prefix);
        next[t] = chain_count_up_to(s->p, t, s->prefix);
    }
    for (size_t i = 0; i < s->path_count; i++) {
        thread_id t = s->path[i].thread;
        const struct csp_link *link = chain_link(s->p, t, next[t]++);
        if (link->kind != LINK_START)
            tell_until(s, &tail, t, &told[t], m->position[link->event] + 1);
    }
    for (int i = 0; i < 2; i++) {
        thread_id t = thread_of(m, s->goal[i]);
        tell_until(s, &tail, t, &told[t], m->position[s->goal[i]]);
    }
    free(told);
    free(next);
    return (struct schedule){s->prefix, (uint32_t)tail.events_count, tail.events};
}

enum csp_verdict csp_search_race(struct csp_search *s, event_id a, event_id b, struct schedule *schedule)
{
    enum entry entry = ENTRY_REST;

    state_start(s, a, b);
    s->stats.states++;
    while (entry == ENTRY_REST) {
        s->committed = s->path_count;
        move_along_rests(s);
        entry = at_goal(s) ? ENTRY_GOAL : search_depth_first(s);
    }
    if (entry == ENTRY_BUDGET)
        return CSP_OUT_OF_BUDGET;
    if (entry != ENTRY_GOAL || !can_race(s))
        return CSP_REFINES;
    if (schedule)
        *schedule = tell_schedule(s);
    return CSP_VIOLATES;
}
