/* Answers queries: the least cut, then windows of growing size, at last the whole. */
#include "solve/solver.h"
#include "base/memory.h"
#include "solve/cut.h"
#include "solve/sights.h"
#include "solve/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* How much further back the second window reaches (the next ones four times more each), and the choices tried
 * in the first one and in the others, but the whole. */
enum {
    WINDOW_STEP = 32,
    WINDOW_GROWTH = 4,
    CHOICE_STEP = 512,
    QUICK_BUDGET = 2,
    WINDOW_BUDGET = 16,
    CHOICE_BUDGET = 512
};

struct solver {
    const struct model *m;
    struct window *window;
    struct query query;
    const volatile bool *stop;
    bool windows;
    uint64_t budget; /* of one query */
    uint64_t left;   /* of the attempt under way */
    uint32_t *cone;  /* the least cut of the query, as far as it is forced */
    struct rivals rivals;
    uint32_t *pinned; /* sections that stay open in what is tried now: releasing them was tried */
    size_t pinned_count, pinned_capacity;
    bool chosen;          /* the attempt under way has tried choices */
    bool prefix;          /* … takes what is before its window as observed */
    struct sight *sights; /* what soft reads are told to see in what is tried now */
    size_t sights_count, sights_capacity;
    struct sight_check *sight_check;
    event_id *order;
    size_t order_capacity;
};

struct solver *solver_new(const struct model *m, uint64_t budget, bool windows, const volatile bool *stop)
{
    struct solver *s = memory_new(1, sizeof *s);

    s->m = m;
    s->budget = budget;
    s->stop = stop;
    s->windows = windows;
    s->window = window_new(m);
    s->sight_check = sight_check_new(m);
    s->cone = memory_new(m->thread_count, sizeof *s->cone);
    s->query.least = memory_new(m->thread_count, sizeof *s->query.least);
    s->query.most = memory_new(m->thread_count, sizeof *s->query.most);
    s->query.keep = memory_new(m->thread_count, sizeof *s->query.keep);
    return s;
}

void solver_free(struct solver *s)
{
    window_free(s->window);
    free(s->cone);
    free(s->query.least);
    free(s->query.most);
    free(s->query.keep);
    free(s->rivals.sections);
    free(s->pinned);
    free(s->sights);
    sight_check_free(s->sight_check);
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
    q->read = q->final = q->end = EVENT_NONE;
    q->order_count = 0;
    q->sight_count = 0;
    q->start = 1;
    return q;
}

void query_contain(const struct model *m, struct query *q, event_id e)
{
    thread_id t = thread_of(m, e);

    if (q->least[t] <= m->position[e])
        q->least[t] = m->position[e] + 1;
}

void query_end_with(const struct model *m, struct query *q, event_id e)
{
    query_contain(m, q, e);
    q->most[thread_of(m, e)] = m->position[e] + 1;
    q->end = e;
}

void query_stop_before(const struct model *m, struct query *q, event_id e)
{
    thread_id t = thread_of(m, e);
    struct event_span required = m->position[e] == 0 ? model_required(m, e) : (struct event_span){0};

    q->most[t] = m->position[e];
    q->keep[t] = true;
    if (q->least[t] < m->position[e])
        q->least[t] = m->position[e];
    for (size_t i = 0; i < required.count; i++)
        query_contain(m, q, required.events[i]);
}

void query_order(struct query *q, event_id before, event_id after)
{
    assert(q->order_count < 2);
    q->order[q->order_count].before = before;
    q->order[q->order_count++].after = after;
}

event_id outermost_start(const struct model *m, event_id e)
{
    uint32_t h = model_hold_at(m, thread_of(m, e), m->position[e]);

    if (h == HOLD_NONE)
        return e;
    while (m->holds[h].outer != HOLD_NONE)
        h = m->holds[h].outer;
    return m->sections[m->holds[h].section].acquire;
}

/* A saved state of the window, to come back to when a choice fails. */
struct mark {
    uint32_t *clocks;
    size_t edges;
};

static struct mark save(const struct window *w)
{
    size_t numbers = (size_t)w->nodes * w->row;
    struct mark mark = {memory_resize(NULL, numbers, sizeof *mark.clocks), w->edges_count};

    memcpy(mark.clocks, w->clocks, numbers * sizeof *mark.clocks);
    return mark;
}

static void restore(struct window *w, const struct mark *mark)
{
    memcpy(w->clocks, mark->clocks, (size_t)w->nodes * w->row * sizeof *w->clocks);
    while (w->edges_count > mark->edges) {
        const struct edge *e = &w->edges[--w->edges_count];
        w->edge_head[e->from] = e->next;
    }
}

/* Decides the choices that saturation leaves open, depth first, the observed order first. */
static enum answer try_orders(struct solver *s)
{
    struct window *w = s->window;
    struct choice choice;
    enum answer answer = ANSWER_INFEASIBLE;

    if (!window_saturate(w))
        return ANSWER_INFEASIBLE;
    if (window_linearize(w, s->order))
        return ANSWER_FEASIBLE;
    if (!window_choice(w, &choice)) {
        assert(!s->prefix);
        return ANSWER_UNDECIDED;
    }
    s->chosen = true;

    struct mark mark = save(w);
    for (int side = 0; side < 2 && answer != ANSWER_FEASIBLE; side++) {
        if (s->left == 0 || *s->stop) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        if (window_add(w, choice.side[side].from, choice.side[side].to, choice.reason)) {
            enum answer sub = try_orders(s);
            if (sub != ANSWER_INFEASIBLE)
                answer = sub;
        }
        if (answer != ANSWER_FEASIBLE)
            restore(w, &mark);
    }
    free(mark.clocks);
    return answer;
}

/* Solves for the events of `cut` after the first `start`, those before taken as observed. First with what holds
 * for every longer run, too; then with all sections that are open staying so. */
static enum answer try_window(struct solver *s, const uint32_t *cut, event_id start)
{
    struct window *w = s->window;

    if (!window_build(w, &s->query, cut, start, s->prefix) || !window_saturate(w))
        return ANSWER_INFEASIBLE;
    if (!s->prefix && s->left == 0)
        return ANSWER_UNDECIDED; /* no contradiction in sight, and none is to be looked for with choices */
    w->assume_open = w->has_closable;
    s->order = memory_grow(s->order, &s->order_capacity, w->nodes, sizeof *s->order);
    return try_orders(s);
}

static enum answer try_cut(struct solver *s, uint32_t *cut, event_id start);

/* Tries each way to keep rivals apart, the one nearest to the observed order first: the latest stays open. */
static enum answer try_ways(struct solver *s, const uint32_t *cut, const struct rivals *rivals, event_id start)
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
        enum answer sub = try_cut(s, grown, start);
        if (sub != ANSWER_INFEASIBLE)
            answer = sub;
    }
    free(grown);
    return answer;
}

static int by_acquire(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static void cut_release(const struct model *m, uint32_t *cut, uint32_t section)
{
    const struct section *p = &m->sections[section];

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
        enum answer sub = try_cut(s, grown, start);
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
    if (s->window->must_close)
        return release_forced(s, cut) ? try_cut(s, cut, start) : ANSWER_INFEASIBLE;
    find_used(s, &used);
    if (used.sections_count > 0)
        answer = try_releases(s, cut, &used, start);
    free(used.sections);
    return answer;
}

static enum answer try_cut(struct solver *s, uint32_t *cut, event_id start)
{
    struct window *w = s->window;

    switch (cut_close(s->m, &s->query, cut, &s->rivals)) {
    case CUT_IMPOSSIBLE:
        return ANSWER_INFEASIBLE;
    case CUT_CLOSED:
        return try_closed_cut(s, cut, start);
    default:
        break;
    }
    /* A window without prefix may refute the cut whichever of the rivals stay open. */
    if (!s->prefix && !(window_build(w, &s->query, cut, start, false) && window_saturate(w))) {
        return w->must_close && release_forced(s, cut) ? try_cut(s, cut, start) : ANSWER_INFEASIBLE;
    }
    struct rivals mine = {.sections = memory_new(s->rivals.sections_count, sizeof *mine.sections),
                          .sections_count = s->rivals.sections_count};
    memcpy(mine.sections, s->rivals.sections, mine.sections_count * sizeof *mine.sections);
    qsort(mine.sections, mine.sections_count, sizeof *mine.sections, by_acquire);
    enum answer answer = try_ways(s, cut, &mine, start);
    free(mine.sections);
    return answer;
}

/* `least`, and all of the first `start` events; false if the query's threads stop before. */
static bool cut_with_prefix(const struct solver *s, uint32_t *cut, const uint32_t *least, event_id start)
{
    const struct model *m = s->m;

    for (thread_id t = 0; t < m->thread_count; t++) {
        uint32_t seen = start == 0 ? 0 : thread_count_up_to(m, t, start);
        cut[t] = seen > least[t] ? seen : least[t];
        if (cut[t] > s->query.most[t])
            return false;
    }
    return true;
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
static struct verdict feasible(const struct solver *s, event_id start)
{
    struct verdict v = {.answer = ANSWER_FEASIBLE, .schedule = {.prefix = start}};
    uint32_t count = 0;

    while (count < s->window->nodes && (count == 0 || s->order[count - 1] != s->query.end))
        count++;
    v.schedule.tail_count = count;
    v.schedule.tail = memory_resize(NULL, count, sizeof *v.schedule.tail);
    memcpy(v.schedule.tail, s->order, count * sizeof *v.schedule.tail);
    return v;
}

static struct verdict refuted(enum refutation why)
{
    return (struct verdict){.answer = ANSWER_INFEASIBLE, .why = why};
}

/* Whether the events of the cone after the first `start` contradict each other, whatever else the run holds:
 * then all longer runs do. */
static bool is_contradictory(struct solver *s, uint32_t *cut, event_id start, uint64_t choices)
{
    memcpy(cut, s->cone, s->m->thread_count * sizeof *cut);
    s->prefix = s->chosen = false;
    s->left = choices;
    s->query.sight_count = 0;
    return try_cut(s, cut, start) == ANSWER_INFEASIBLE;
}

static enum answer try_sights(struct solver *s, const uint32_t *least, event_id start);

/* A read is to see `from`; if that is an rmw, it must have seen its own source, and so on. */
static void contain_source(const struct model *m, uint32_t *cut, event_id from)
{
    while (from != EVENT_INIT) {
        thread_id t = thread_of(m, from);
        if (cut[t] <= m->position[from])
            cut[t] = m->position[from] + 1;
        if (m->source[from] == EVENT_NONE || is_soft(m, from))
            return;
        from = m->source[from];
    }
}

/* The run found lets the soft read `wrong` see what it must not. Tells it to see each write that will do, in
 * turn. */
static enum answer try_sources(struct solver *s, const uint32_t *least, event_id start, event_id wrong)
{
    const struct model *m = s->m;
    struct event_span accesses = accesses_of(m, arg_of(m, wrong));
    uint32_t *grown = memory_new(m->thread_count, sizeof *grown);
    enum answer answer = ANSWER_INFEASIBLE;

    ARRAY_PUSH(s, sights, (struct sight){wrong, EVENT_INIT});
    for (size_t i = 0; i <= accesses.count && answer != ANSWER_FEASIBLE; i++) {
        event_id from = i == accesses.count ? EVENT_INIT : accesses.events[i];
        if (from == wrong || !kind_writes(kind_of(m, from)) || !model_same_value(m, from, wrong))
            continue;
        if (s->left == 0 || *s->stop) {
            answer = ANSWER_UNDECIDED;
            break;
        }
        s->left--;
        s->sights[s->sights_count - 1].from = from;
        memcpy(grown, least, m->thread_count * sizeof *grown);
        contain_source(m, grown, from);
        enum answer sub = try_sights(s, grown, start);
        answer = sub == ANSWER_INFEASIBLE ? answer : sub;
    }
    s->sights_count--;
    free(grown);
    return answer;
}

/* The same, with the thread of `wrong` stopping where that read is free, or before it. */
static enum answer try_stop(struct solver *s, const uint32_t *least, event_id start, event_id wrong)
{
    thread_id t = thread_of(s->m, wrong);
    uint32_t *most = &s->query.most[t], saved = *most;
    uint32_t stop = s->m->position[wrong] + !s->query.keep[t];
    enum answer answer = ANSWER_INFEASIBLE;

    if (least[t] <= stop && stop < saved) {
        *most = stop;
        answer = try_sights(s, least, start);
        *most = saved;
    }
    return answer;
}

/* Whether there is a run that holds `least` and takes the first `start` events as observed. Where values count,
 * soft reads are free at first; one that sees something wrong is told what to see. */
static enum answer try_sights(struct solver *s, const uint32_t *least, event_id start)
{
    const struct model *m = s->m;
    uint32_t *cut = memory_new(m->thread_count, sizeof *cut);
    enum answer answer = ANSWER_INFEASIBLE;
    event_id wrong = EVENT_NONE;

    s->query.sights = s->sights;
    s->query.sight_count = s->sights_count;
    if (cut_with_prefix(s, cut, least, start))
        answer = try_cut(s, cut, start);
    if (m->soft && answer == ANSWER_FEASIBLE)
        wrong = sight_check_run(s->sight_check, &s->query, s->window->high, start, s->order, s->window->nodes);
    free(cut);
    if (wrong == EVENT_NONE)
        return answer;
    if (wrong == EVENT_INIT)
        return ANSWER_UNDECIDED; /* no read can be told to mend it */

    s->chosen = true;
    answer = try_stop(s, least, start, wrong);
    if (answer == ANSWER_FEASIBLE)
        return answer;
    enum answer bound = try_sources(s, least, start, wrong);
    return bound == ANSWER_INFEASIBLE ? answer : bound;
}

/* Whether there is a run that takes the first `start` events as observed. */
static enum answer try_prefix(struct solver *s, event_id start, uint64_t choices)
{
    s->prefix = true;
    s->chosen = false;
    s->left = choices;
    return try_sights(s, s->cone, start);
}

/* Tries for a run in the smallest window, where most are found; then windows of growing size, each for a plain
 * contradiction and for a run, the larger ones also for a contradiction that takes choices to see. One window,
 * large enough for most and small enough for many choices, gets more of them. True when that settles the query.
 */
static bool ask_windows(struct solver *s, uint32_t *cut, event_id start, struct verdict *v)
{
    if (start > 0 && try_prefix(s, start, QUICK_BUDGET) == ANSWER_FEASIBLE) {
        *v = feasible(s, start);
        return true;
    }
    for (event_id step = WINDOW_STEP; start > step; step *= WINDOW_GROWTH) {
        uint64_t choices = step == CHOICE_STEP ? CHOICE_BUDGET : WINDOW_BUDGET;

        start -= step;
        if (is_contradictory(s, cut, start, 0)) {
            *v = refuted(REFUTED_CYCLE);
            return true;
        }
        if (try_prefix(s, start, choices) == ANSWER_FEASIBLE) {
            *v = feasible(s, start);
            return true;
        }
        if (s->chosen && step >= CHOICE_STEP && is_contradictory(s, cut, start, choices)) {
            *v = refuted(REFUTED_CHOICES);
            return true;
        }
    }
    return false;
}

struct verdict solver_ask(struct solver *s)
{
    struct query *q = &s->query;
    uint32_t *cut = memory_new(s->m->thread_count, sizeof *cut);
    struct verdict v = refuted(REFUTED_MUST_ORDER);

    memcpy(s->cone, q->least, s->m->thread_count * sizeof *s->cone);
    if (cut_close(s->m, q, s->cone, &s->rivals) != CUT_IMPOSSIBLE &&
        !(s->windows && ask_windows(s, cut, limit_start(s, q->start - 1), &v))) {
        v.answer = try_prefix(s, 0, s->budget);
        v.why = s->chosen ? REFUTED_CHOICES : REFUTED_CYCLE;
        if (v.answer == ANSWER_FEASIBLE)
            v = feasible(s, 0);
    }
    free(cut);
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
