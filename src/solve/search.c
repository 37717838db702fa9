/* The search for a run: choices of order inside a window, which rivals stay open, which sections are released.
 */
#include "solve/search.h"
#include "base/invariant.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* What a search costs besides, in rows: cuts and what is kept by thread. */
enum { SEARCH_COST = 16 };

static bool is_charged(const struct solver *s)
{
    return s->m->relaxed || !s->query.observed || s->bounded;
}

bool search_charge(struct solver *s)
{
    uint64_t effort = s->window->effort - s->charged;

    s->charged = s->window->effort;
    if (is_charged(s))
        s->work -= s->work > effort ? effort : s->work;
    return s->work > 0;
}

/* From here on windows may cost what is left. */
static void limit_effort(struct solver *s)
{
    struct window *w = s->window;

    search_charge(s);
    bool limited = is_charged(s) && s->work < UINT64_MAX - w->effort;
    w->effort_limit = limited ? w->effort + s->work : UINT64_MAX;
}

/* What a failure means: no run, unless it came from the limit. */
static enum answer failure(const struct solver *s)
{
    return window_is_spent(s->window) ? ANSWER_UNDECIDED : ANSWER_INFEASIBLE;
}

/* Decides the choices that saturation leaves open, depth first, the observed order first. */
static enum answer try_orders(struct solver *s)
{
    struct window *w = s->window;
    struct choice choice;
    enum answer answer = ANSWER_INFEASIBLE;

    if (!window_saturate(w))
        return failure(s);
    if (window_linearize(w, s->order))
        return ANSWER_FEASIBLE;
    if (window_is_spent(w))
        return ANSWER_UNDECIDED;
    if (!window_choice(w, &choice)) {
        assert(!s->prefix || s->query.assume || w->soft_nodes_count > 0);
        return ANSWER_UNDECIDED;
    }
    s->chosen = true;

    struct window_mark mark = window_mark(w);
    for (int side = 0; side < 2 && answer != ANSWER_FEASIBLE; side++) {
        if (s->left == 0 || *s->stop || !search_charge(s)) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        if (window_add(w, choice.side[side].from, choice.side[side].to, choice.reason)) {
            enum answer sub = try_orders(s);
            if (sub != ANSWER_INFEASIBLE)
                answer = sub;
        } else if (window_is_spent(w)) {
            answer = ANSWER_UNDECIDED;
        }
        if (answer != ANSWER_FEASIBLE)
            window_return(w, &mark);
    }
    return answer;
}

static void cut_release(const struct model *m, uint32_t *cut, uint32_t section)
{
    const struct section *p = &m->sections[section];

    assert(p->release != EVENT_NONE);
    if (cut[p->owner] <= m->position[p->release])
        cut[p->owner] = m->position[p->release] + 1;
}

static bool is_pinned(const struct solver *s, uint32_t section)
{
    for (size_t i = 0; i < s->pinned_count; i++)
        if (s->pinned[i] == section)
            return true;
    return false;
}

/* Releases what the window's last saturation says every such run releases; false if that was tried before. */
static bool release_forced(const struct solver *s, uint32_t *cut)
{
    const struct window *w = s->window;

    for (size_t i = 0; i < w->sections_count; i++) {
        if (!w->sections[i].must_close)
            continue;
        if (is_pinned(s, w->sections[i].section))
            return false;
        cut_release(s->m, cut, w->sections[i].section);
    }
    return true;
}

/* Whether the event gives a lock back, whatever else the run holds. */
static bool is_plain_release(const struct model *m, event_id e)
{
    return kind_of(m, e) == EVENT_RELEASE && model_required(m, e).count == 0;
}

/* A thread that gives a lock back next may do so at the very end of the run: there is a run with that if there is one without. Not
 * where the thread may have come there in another way; and only for queries that name no last event. Whether it added such releases
 * to the cut. */
static bool release_next(const struct solver *s, uint32_t *cut)
{
    const struct model *m = s->m;
    const struct query *q = &s->query;
    bool released = false;

    if ((m->relaxed && !q->observed) || q->end != EVENT_NONE || q->read != EVENT_NONE)
        return false;
    for (thread_id t = 0; t < m->thread_count; t++)
        while (cut[t] < thread_length(m, t) && cut[t] < q->most[t] &&
               is_plain_release(m, event_at(m, t, cut[t]))) {
            cut[t]++;
            released = true;
        }
    return released;
}

static bool run_straight(struct solver *s, const uint32_t *cut, event_id start)
{
    struct window *w = s->window;

    w->prefix = true;
    window_place(w, cut, start);
    s->order = memory_grow(s->order, &s->order_capacity, w->nodes, sizeof *s->order);
    bool done = window_run_straight(w, &s->query, start, s->order);
    assert_costly(!done || run_keeps_order(w, s->order));
    return done;
}

/* Locks alone say already that some sections must be released. Runs the cut with these straight: a run found so
 * is the one that would be found after everything else that must be released was, too. */
static bool try_released(struct solver *s, const uint32_t *cut, event_id start)
{
    uint32_t threads = s->m->thread_count;
    uint32_t *grown = memory_new(threads, sizeof *grown);

    memcpy(grown, cut, threads * sizeof *grown);
    bool forced = release_forced(s, grown);
    release_next(s, grown);
    bool found = forced && cut_close(s->m, &s->query, grown, s->closed, &s->others) == CUT_CLOSED &&
                 run_straight(s, grown, start);
    free(grown);
    return found;
}

/* Whether the run nearest to the observed order satisfies what locks force, ignoring couples. If so, it is
 * the run that would be found with all constraints. */
static enum answer try_locks(struct solver *s, const uint32_t *cut, event_id start)
{
    struct window *w = s->window;

    if (!window_saturate_locks(w))
        return failure(s);
    if (!w->must_close)
        return window_linearize(w, s->order) ? ANSWER_FEASIBLE : ANSWER_UNDECIDED;
    if (try_released(s, cut, start))
        return ANSWER_FEASIBLE;
    return window_build(w, &s->query, cut, start, s->prefix) ? ANSWER_UNDECIDED : failure(s);
}

/* Solves for the events of `cut` after the first `start`, those before taken as observed. First straight, by
 * the rules alone; then with what holds for every longer run, too; then with all sections that are open staying
 * so.
 */
static enum answer try_window(struct solver *s, const uint32_t *cut, event_id start)
{
    struct window *w = s->window;
    enum answer answer = ANSWER_UNDECIDED;
    bool shortcuts = s->prefix && !w->plain;

    if (shortcuts && run_straight(s, cut, start))
        return ANSWER_FEASIBLE;
    if (!window_build(w, &s->query, cut, start, s->prefix))
        return failure(s);
    s->order = memory_grow(s->order, &s->order_capacity, w->nodes, sizeof *s->order);
    if (shortcuts && w->soft_nodes_count == 0) /* a run that soft reads do not allow would be no shortcut */
        answer = try_locks(s, cut, start);
    if (answer != ANSWER_UNDECIDED || window_is_spent(w)) /* then the window may be half built */
        return answer;
    if (!window_saturate(w))
        return failure(s);
    if (!s->prefix && s->left == 0)
        return ANSWER_UNDECIDED; /* no contradiction in sight, and none is to be looked for with choices */
    window_assume_open(w);       /* what is missing there is missing for some choices only */
    return try_orders(s);
}

/* Adds the event to the cut; false: the run may not hold it. */
static bool add_event(const struct solver *s, uint32_t *cut, event_id e)
{
    thread_id t = thread_of(s->m, e);

    if (cut[t] <= s->m->position[e])
        cut[t] = s->m->position[e] + 1;
    return s->m->position[e] < s->query.most[t];
}

/* What the run must hold is not in the cut: adds it, with all writes that must be seen. */
static enum answer add_missing(struct solver *s, uint32_t *cut, event_id start)
{
    const struct window *w = s->window;
    bool allowed = add_event(s, cut, w->missing);

    for (size_t i = 0; i < w->couples_count && allowed; i++)
        if (w->couples[i].from == NODE_OUT)
            allowed = add_event(s, cut, w->couples[i].source);
    return allowed ? search_cut(s, cut, start) : ANSWER_INFEASIBLE;
}

/* What holds for every longer run has failed for the cut: none has a run, or all hold more than the cut. */
static enum answer search_forced(struct solver *s, uint32_t *cut, event_id start)
{
    if (window_is_spent(s->window))
        return ANSWER_UNDECIDED;
    if (s->window->missing != EVENT_NONE)
        return add_missing(s, cut, start);
    if (!s->window->must_close || !release_forced(s, cut))
        return ANSWER_INFEASIBLE;
    release_next(s, cut);
    return search_cut(s, cut, start);
}

/* Whether that fails for a cut whichever of its rivals stay open. */
static bool fails_any_way(struct solver *s, const uint32_t *cut, event_id start)
{
    return !(window_build(s->window, &s->query, cut, start, s->prefix) && window_saturate(s->window));
}

/* Tries each way to keep rivals apart, the one nearest to the observed order first: the latest stays open. When that has no run,
 * maybe none has, or another one holds more whatever stays open. */
static enum answer try_ways(struct solver *s, uint32_t *cut, const struct rivals *rivals, event_id start,
                            bool looked)
{
    uint32_t threads = s->m->thread_count;
    uint32_t *grown = memory_new(threads, sizeof *grown);
    enum answer answer = ANSWER_INFEASIBLE;

    s->chosen = true;
    for (size_t way = rivals->sections_count; way-- > 0 && answer != ANSWER_FEASIBLE;) {
        memcpy(grown, cut, threads * sizeof *grown);
        if (!cut_separate(s->m, &s->query, grown, rivals, way))
            continue;
        if (s->left == 0 || *s->stop) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        enum answer sub = search_cut(s, grown, start);
        if (sub == ANSWER_INFEASIBLE && !looked && fails_any_way(s, cut, start)) {
            answer = search_forced(s, cut, start);
            break;
        }
        if (sub != ANSWER_INFEASIBLE)
            answer = sub;
        looked |= sub == ANSWER_INFEASIBLE;
        if (window_is_spent(s->window) && answer != ANSWER_FEASIBLE)
            break; /* what is left is too little for the other ways, too */
    }
    free(grown);
    return answer;
}

static int by_acquire(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

/* The sections whose staying open was a reason for the failure. */
static void find_used(const struct solver *s, struct rivals *r)
{
    const struct window *w = s->window;

    for (size_t i = 0; i < w->sections_count; i++)
        if (w->sections[i].used && !is_pinned(s, w->sections[i].section))
            ARRAY_PUSH(r, sections, w->sections[i].section);
}

/* With all of them open there is no run. Tries to release the first; then to keep it and release the second; …
 */
static enum answer try_releases(struct solver *s, const uint32_t *cut, const struct rivals *closable,
                                event_id start)
{
    uint32_t threads = s->m->thread_count;
    uint32_t *grown = memory_new(threads, sizeof *grown);
    enum answer answer = ANSWER_INFEASIBLE;
    size_t pinned = s->pinned_count;

    s->chosen = true;
    for (size_t i = 0; i < closable->sections_count && answer != ANSWER_FEASIBLE; i++) {
        if (s->left == 0 || *s->stop) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        memcpy(grown, cut, threads * sizeof *grown);
        cut_release(s->m, grown, closable->sections[i]);
        enum answer sub = search_cut(s, grown, start);
        if (sub != ANSWER_INFEASIBLE)
            answer = sub;
        ARRAY_PUSH(s, pinned, closable->sections[i]);
    }
    s->pinned_count = pinned;
    free(grown);
    return answer;
}

static enum answer try_closed_cut(struct solver *s, uint32_t *cut, event_id start)
{
    struct rivals used = {0};
    enum answer answer = try_window(s, cut, start);

    if (answer != ANSWER_INFEASIBLE)
        return answer;
    if (s->window->missing != EVENT_NONE || s->window->must_close)
        return search_forced(s, cut, start);
    find_used(s, &used);
    if (used.sections_count > 0)
        answer = release_next(s, cut) ? search_cut(s, cut, start) : try_releases(s, cut, &used, start);
    free(used.sections);
    return answer;
}

/* What was forced without a prefix, and without a choice, is in every run that holds the cone: larger windows begin with it. */
static void raise_cone(struct solver *s, const uint32_t *cut)
{
    if (!s->prefix && !s->chosen && s->query.observed && s->pins_count == 0 && !s->window->any_lack)
        memcpy(s->cone, cut, s->m->thread_count * sizeof *cut);
}

enum answer search_cut(struct solver *s, uint32_t *cut, event_id start)
{
    struct window *w = s->window;

    w->effort += SEARCH_COST * (w->row / ROW_UNIT);
    limit_effort(s);
    if (s->work == 0)
        return ANSWER_UNDECIDED;
    enum closure closure = cut_close(s->m, &s->query, cut, s->closed, &s->rivals);
    if (closure == CUT_IMPOSSIBLE)
        return ANSWER_INFEASIBLE;
    raise_cone(s, cut);
    if (closure == CUT_CLOSED)
        return try_closed_cut(s, cut, start);
    /* A window without prefix may refute the cut whichever of the rivals stay open; so may the whole trace, before a way is chosen. */
    bool look = !s->prefix || (start == 0 && !s->chosen);
    if (look && fails_any_way(s, cut, start))
        return search_forced(s, cut, start);
    struct rivals mine = {.sections = memory_new(s->rivals.sections_count, sizeof *mine.sections),
                          .sections_count = s->rivals.sections_count};
    memcpy(mine.sections, s->rivals.sections, mine.sections_count * sizeof *mine.sections);
    qsort(mine.sections, mine.sections_count, sizeof *mine.sections, by_acquire);
    enum answer answer = try_ways(s, cut, &mine, start, look);
    free(mine.sections);
    return answer;
}
