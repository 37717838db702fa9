/* Stuck: states in which every thread waits, is over or was not forked, and one waits (semantics §3).
 *
 * Chooses a halt for each thread, first one that the others wait for in the end; each choice limits the others
 * by must-order. A full choice is a cut; stuck_ask.c asks whether a run leads there. A grouped check first looks for quick runs to cuts
 * near the observed one. */
#include "base/memory.h"
#include "finding/place.h"
#include "property/stuck_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Budgets of choices that a grouped check spends in all, and of events that its queries are about. */
enum { ROOTS_MOST = 64, EVENTS_MOST = 512 };

/* With grounds a grouped check first looks for quick runs: to so many cuts of one root, and in all, each found in so many steps. Where
 * a thread did not come to its halt, the root's next cut has it halt where it came to, or before. */
enum { QUICK_CUTS = 8, QUICK_ASKS = 256, QUICK_STEPS = 1024 };

/* Steps that a grouped check takes, for all roots together, from roots that it has shown already: whether there may be other states.
 * One is enough to show what is wrong: the other threads may wait in very many ways meanwhile. */
enum { MORE_STEPS = 16384 };

struct stuck_search {
    struct worker *w;
    const struct model *m;
    struct halts halts;
    struct thread_halts *rest;  /* by thread: its halts that are no roots */
    const struct halt **chosen; /* by thread */
    uint32_t *limits;           /* by depth: low and high, one number a thread each */
    struct stuck_question ask;  /* of what is chosen */
    event_id root_event;
    thread_id root;      /* smaller ones choose no roots: each state is found from its first */
    uint64_t steps, all; /* of this root, of all */
    bool out;            /* of budget */
    bool shown;          /* this root is */
    bool enough;         /* a grouped check goes no further from this root */
    uint64_t more;       /* steps left from roots that are shown */
    bool left_out;       /* something was not looked at: counts are no more than lower bounds */
    bool quick;          /* only quick runs are looked for now … */
    uint64_t quick_asks; /* … to so many cuts so far */
    uint32_t *reach;     /* … by thread: where it came to, if that was not where it was to halt */
    bool lowered;        /* one of these was */
};

/* Whether another chosen thread holds a lock that excludes one this halt holds. */
static bool locks_fit(const struct stuck_search *s, thread_id t, const struct halt *halt)
{
    const struct model *m = s->m;

    for (uint32_t i = model_hold_at(m, t, halt->position); i != HOLD_NONE; i = m->holds[i].outer) {
        const struct section *mine = &m->sections[m->holds[i].section];
        for (thread_id u = 0; u < m->thread_count; u++) {
            if (u == t || !s->chosen[u])
                continue;
            for (uint32_t k = model_hold_at(m, u, s->chosen[u]->position); k != HOLD_NONE;
                 k = m->holds[k].outer) {
                const struct section *other = &m->sections[m->holds[k].section];
                if (section_lock(mine) == section_lock(other) && !(mine->shared && other->shared))
                    return false;
            }
        }
    }
    return true;
}

/* Whether the join does not wait, or the thread that it waits for is over. */
static bool joins_fit(const struct stuck_search *s, thread_id t, const struct halt *halt)
{
    const struct model *m = s->m;

    if (halt->kind == HALT_JOIN) {
        thread_id child = arg_of(m, halt_event(&s->halts, t, halt));
        const struct halt *chosen = s->chosen[m->lane_of[child]];
        return !chosen || chosen->position < m->ends[child];
    }
    for (thread_id u = 0; halt->kind == HALT_OVER && u < m->thread_count; u++) {
        if (!s->chosen[u] || s->chosen[u]->kind != HALT_JOIN)
            continue;
        thread_id child = arg_of(m, halt_event(&s->halts, u, s->chosen[u]));
        if (m->lane_of[child] == t && halt->position >= m->ends[child])
            return false;
    }
    return true;
}

/* Whether the thread waits in the cut; where that is for a signal, the run decides. */
static bool is_waiting(const struct stuck_search *s, thread_id t)
{
    const struct model *m = s->m;
    event_id e = halt_event(&s->halts, t, s->chosen[t]);
    struct event_span required;
    event_id init;

    switch (s->chosen[t]->kind) {
    case HALT_LOCK:
        return halts_holder(m, s->ask.cut, e, false) != EVENT_NONE;
    case HALT_SIGNAL:
        return true;
    case HALT_TOKEN:
        init = s->halts.semaphores[arg_of(m, e)].init;
        return halts_tokens(&s->halts, arg_of(m, e), s->ask.cut) <= 0 &&
               (init == EVENT_NONE || s->ask.cut[thread_of(m, init)] > m->position[init]);
    case HALT_BARRIER:
        required = model_required(m, e);
        for (size_t i = 0; i < required.count; i++)
            if (s->ask.cut[thread_of(m, required.events[i])] <= m->position[required.events[i]])
                return true;
        return false;
    default:
        return s->chosen[m->lane_of[arg_of(m, e)]]->position < m->ends[arg_of(m, e)];
    }
}

/* The thread that holds exclusively what the thread wants exclusively, or NAME_NONE. */
static thread_id waits_for(const struct stuck_search *s, thread_id t)
{
    const struct model *m = s->m;

    if (!halt_waits(s->chosen[t]))
        return NAME_NONE;
    event_id e = halt_event(&s->halts, t, s->chosen[t]);
    event_id holder = op_waits_for_lock(m->trace->op[e]) ? halts_holder(m, s->ask.cut, e, true) : EVENT_NONE;
    return holder == EVENT_NONE ? NAME_NONE : thread_of(m, holder);
}

static bool has_deadlock(const struct stuck_search *s)
{
    for (thread_id start = 0; start < s->m->thread_count; start++) {
        thread_id t = waits_for(s, start);
        for (uint32_t i = 0; t != NAME_NONE && t != start && i < s->m->thread_count; i++)
            t = waits_for(s, t);
        if (t == start)
            return true;
    }
    return false;
}

static int ascending(const void *a, const void *b)
{
    event_id x = *(const event_id *)a, y = *(const event_id *)b;

    return x < y ? -1 : x > y;
}

/* The events that wait in the chosen cut; false where it is no state that is stuck. */
static bool fill_cut(struct stuck_search *s)
{
    const struct model *m = s->m;

    s->ask.event_count = 0;
    for (thread_id t = 0; t < m->thread_count; t++)
        s->ask.cut[t] = s->chosen[t]->position;
    for (thread_id t = 0; t < m->thread_count; t++) {
        if (!halt_waits(s->chosen[t]))
            continue;
        if (!is_waiting(s, t))
            return false;
        s->ask.events[s->ask.event_count++] = halt_event(&s->halts, t, s->chosen[t]);
    }
    if (s->ask.event_count == 0 || has_deadlock(s))
        return false;
    assert(s->ask.event_count <= m->thread_count);
    qsort(s->ask.events, s->ask.event_count, sizeof *s->ask.events, ascending);
    return true;
}

/* Looks for a quick run, unless one was found for these locations. */
static void ask_quickly(struct stuck_search *s)
{
    uint32_t *reach;

    s->enough = true;
    if (worker_shown(s->w, PROPERTY_STUCK, s->ask.events, s->ask.event_count))
        return;
    s->quick_asks++;
    reach = memory_new(s->m->thread_count, sizeof *reach);
    struct verdict v = stuck_ask_quickly(&s->ask, reach);
    for (thread_id t = 0; t < s->m->thread_count && v.answer == ANSWER_UNDECIDED; t++)
        if (reach[t] < s->reach[t]) {
            s->reach[t] = reach[t];
            s->lowered = true;
        }
    free(reach);
    if (v.answer == ANSWER_FEASIBLE)
        worker_conclude(s->w, PROPERTY_STUCK, s->ask.events, s->ask.event_count, v);
}

/* Whether it is passed over, as a finding stands for its locations; one that was found quickly is that finding. */
static bool is_passed_over(struct stuck_search *s)
{
    const struct stuck_question *q = &s->ask;
    const struct finding *shown =
        s->m->grounds ? worker_shown(s->w, PROPERTY_STUCK, q->events, q->event_count) : NULL;

    if (shown && shown->event_count == q->event_count &&
        memcmp(shown->events, q->events, q->event_count * sizeof *q->events) == 0) {
        s->shown = true;
        return true;
    }
    if ((s->shown && !s->w->options->all) ||
        (shown && worker_passes_over(s->w, PROPERTY_STUCK, q->events, q->event_count)) ||
        worker_skips(s->w, PROPERTY_STUCK, q->events, q->event_count, 1))
        return s->shown = s->enough = s->left_out = true;
    return false;
}

static void ask_cut(struct stuck_search *s)
{
    const struct stuck_question *q = &s->ask;

    if (!fill_cut(s))
        return;
    if (s->quick) {
        ask_quickly(s);
        return;
    }
    if (is_passed_over(s))
        return;
    uint64_t feasible = s->w->stats[PROPERTY_STUCK].feasible;
    worker_conclude(s->w, PROPERTY_STUCK, q->events, q->event_count, stuck_ask(&s->ask));
    s->shown |= s->w->stats[PROPERTY_STUCK].feasible > feasible;
}

/* Whether a grouped check has looked long enough for another state of a root that is shown. */
static bool is_enough(struct stuck_search *s)
{
    assert(s->more <= MORE_STEPS);
    if (s->w->options->all || !s->shown)
        return false;
    if (s->more > 0) {
        s->more--;
        return false;
    }
    return s->enough = s->left_out = true;
}

/* The halts that the thread may choose. */
static const struct thread_halts *halts_of(const struct stuck_search *s, thread_id t)
{
    return t < s->root ? &s->rest[t] : &s->halts.threads[t];
}

/* The halts of a thread within its limits: from index *first, so many. */
static size_t halts_in(const struct stuck_search *s, thread_id t, const uint32_t *low, const uint32_t *high,
                       size_t *first)
{
    const struct thread_halts *halts = halts_of(s, t);
    size_t from = 0, to = halts->list_count;

    for (size_t end = halts->list_count; from < end;) {
        size_t middle = from + (end - from) / 2;
        if (halts->list[middle].position < low[t])
            from = middle + 1;
        else
            end = middle;
    }
    for (size_t start = from; start < to;) {
        size_t middle = start + (to - start) / 2;
        if (halts->list[middle].position <= high[t])
            start = middle + 1;
        else
            to = middle;
    }
    assert(from <= to && (from == to || halts->list[from].position >= low[t]));
    *first = from;
    return to - from;
}

static void choose(struct stuck_search *s, uint32_t depth);

/* Lets the thread stand there, if that fits what is chosen, and goes on with the others. */
static void try_halt(struct stuck_search *s, uint32_t depth, thread_id t, const struct halt *halt)
{
    uint32_t threads = s->m->thread_count;
    uint32_t *low = s->limits + (size_t)depth * 2 * threads, *next = low + (size_t)2 * threads;

    assert(depth < threads && !s->chosen[t]);
    if (is_enough(s))
        return;
    if (++s->steps > (s->quick ? QUICK_STEPS : s->w->options->budget)) {
        s->out = true;
        return;
    }
    if (!locks_fit(s, t, halt) || !joins_fit(s, t, halt))
        return;
    memcpy(next, low, (size_t)2 * threads * sizeof *low);
    halt_limit(&s->halts, t, halt, next, next + threads);
    for (thread_id u = 0; u < threads; u++)
        if (next[u] > next[threads + u])
            return;
    if (!halts_sums_limit(s->halts.sums, next, next + threads))
        return;
    s->chosen[t] = halt;
    choose(s, depth + 1);
    s->chosen[t] = NULL;
}

static void try_index(struct stuck_search *s, uint32_t depth, thread_id t, size_t i)
{
    if (!s->out && !s->enough && !*s->w->stop)
        try_halt(s, depth, t, &halts_of(s, t)->list[i]);
}

/* The first of the thread's halts, among these, that it came to after the root's event. */
static size_t count_before_root(const struct stuck_search *s, thread_id t, size_t from, size_t end)
{
    while (from < end) {
        size_t middle = from + (end - from) / 2;
        uint32_t position = halts_of(s, t)->list[middle].position;
        if (position == 0 || event_at(s->m, t, position - 1) < s->root_event)
            from = middle + 1;
        else
            end = middle;
    }
    return from;
}

/* Chooses for the thread with the fewest halts left; those who are over first, then the latest. With grounds, where threads
 * may go on in many ways, then where they stood in the trace when the root did: a run to there is near the observed one. */
static void choose(struct stuck_search *s, uint32_t depth)
{
    uint32_t threads = s->m->thread_count;
    const uint32_t *low = s->limits + (size_t)depth * 2 * threads, *high = low + threads;
    thread_id best = NAME_NONE;
    size_t fewest = SIZE_MAX, from = 0, first;

    for (thread_id t = 0; t < threads; t++) {
        if (s->chosen[t])
            continue;
        size_t count = halts_in(s, t, low, high, &first);
        if (count < fewest) {
            best = t;
            fewest = count;
            from = first;
        }
    }
    if (best == NAME_NONE) {
        ask_cut(s);
        return;
    }
    for (size_t i = from + fewest; i-- > from;)
        if (!s->m->grounds || !halt_waits(&halts_of(s, best)->list[i]))
            try_index(s, depth, best, i);
    if (!s->m->grounds)
        return;
    size_t beside = count_before_root(s, best, from, from + fewest);
    for (size_t i = beside; i-- > from;)
        if (halt_waits(&halts_of(s, best)->list[i]))
            try_index(s, depth, best, i);
    for (size_t i = beside; i < from + fewest; i++)
        if (halt_waits(&halts_of(s, best)->list[i]))
            try_index(s, depth, best, i);
}

/* The event that stands for a root: the one it waits at, or the acquire of a lock it keeps. */
static event_id root_event(const struct stuck_search *s, thread_id t, const struct halt *halt)
{
    const struct model *m = s->m;

    if (halt_waits(halt))
        return halt_event(&s->halts, t, halt);
    return m->sections[m->holds[model_hold_at(m, t, halt->position)].section].acquire;
}

static void check_root(struct stuck_search *s, thread_id t, const struct halt *halt, struct map *given_up)
{
    const struct model *m = s->m;
    event_id event = root_event(s, t, halt);
    bool grouped = !s->w->options->all;

    s->root = t;
    s->root_event = event;
    s->steps = 0;
    s->out =
        grouped && (s->all / ROOTS_MOST > s->w->options->budget || s->ask.asked_about > s->ask.to_ask_about);
    s->enough = s->shown = false;
    memset(s->limits, 0, m->thread_count * sizeof *s->limits);
    memset(s->limits + m->thread_count, 0xff, m->thread_count * sizeof *s->limits);
    if (!s->out)
        try_halt(s, 0, t, halt);
    s->all += s->steps;
    s->left_out |= s->out;
    if (s->out && (!grouped || (!s->shown && (*map_at(given_up, place_of(m->trace, event)))++ == 0)))
        worker_give_up(s->w, PROPERTY_STUCK, &event, 1);
}

/* Looks for a quick run from the root. */
static void try_root(struct stuck_search *s, thread_id t, const struct halt *halt)
{
    uint32_t threads = s->m->thread_count;

    s->root = t;
    s->root_event = root_event(s, t, halt);
    s->shown = false;
    s->lowered = true;
    memset(s->reach, 0xff, threads * sizeof *s->reach);
    for (int i = 0; i < QUICK_CUTS && s->lowered && s->reach[t] >= halt->position; i++) {
        s->steps = 0;
        s->enough = s->out = s->lowered = false;
        memset(s->limits, 0, threads * sizeof *s->limits);
        memcpy(s->limits + threads, s->reach, threads * sizeof *s->limits);
        try_halt(s, 0, t, halt);
    }
}

/* The last roots of each thread first: the others can have come far by then. */
static void try_roots(struct stuck_search *s)
{
    s->quick = true;
    for (thread_id t = 0; t < s->m->thread_count; t++) {
        const struct thread_halts *halts = &s->halts.threads[t];
        for (size_t i = halts->list_count; i-- > 0 && s->quick_asks < QUICK_ASKS && !*s->w->stop;)
            if (halt_is_root(&s->halts, t, &halts->list[i]))
                try_root(s, t, &halts->list[i]);
    }
    s->quick = false;
}

/* By thread: the halts that are no roots. */
static void find_rest(struct stuck_search *s)
{
    for (thread_id t = 0; t < s->m->thread_count; t++) {
        const struct thread_halts *halts = &s->halts.threads[t];
        for (size_t i = 0; i < halts->list_count; i++)
            if (!halt_is_root(&s->halts, t, &halts->list[i]))
                ARRAY_PUSH(&s->rest[t], list, halts->list[i]);
    }
}

void stuck_all(struct worker *w)
{
    const struct model *m = w->m;
    struct stuck_search s = {
        .w = w, .m = m, .more = MORE_STEPS, .ask = {.w = w, .m = m, .to_ask_about = UINT64_MAX}};
    struct map given_up = {0}; /* place → 1 */
    uint64_t left = 0;

    if (!w->options->all && w->options->budget < UINT64_MAX / EVENTS_MOST)
        s.ask.to_ask_about = w->options->budget * EVENTS_MOST;
    halts_find(&s.halts, w);
    s.ask.signals = &s.halts.signals;
    s.rest = memory_new(m->thread_count, sizeof *s.rest);
    s.chosen = memory_new(m->thread_count, sizeof *s.chosen);
    s.limits = memory_new((size_t)2 * m->thread_count * ((size_t)m->thread_count + 1), sizeof *s.limits);
    s.ask.cut = memory_new(m->thread_count, sizeof *s.ask.cut);
    s.ask.events = memory_new(m->thread_count, sizeof *s.ask.events);
    s.reach = memory_new(m->thread_count, sizeof *s.reach);
    find_rest(&s);
    if (m->grounds && !w->options->all)
        try_roots(&s);
    for (thread_id t = 0; t < m->thread_count; t++) {
        const struct thread_halts *halts = &s.halts.threads[t];
        for (size_t i = 0; i < halts->list_count && !*w->stop; i++) {
            const struct halt *halt = &halts->list[m->grounds ? halts->list_count - 1 - i : i];
            left += halt_waits(halt);
            if (halt_is_root(&s.halts, t, halt))
                check_root(&s, t, halt, &given_up);
        }
    }
    for (size_t i = 0; i < w->found.findings_count; i++) {
        struct finding *f = &w->found.findings[i];
        f->count_is_exact &= f->property != PROPERTY_STUCK || !s.left_out;
    }
    assert(*w->stop || left <= s.halts.places);
    w->stats[PROPERTY_STUCK].subjects += s.halts.places;
    if (!*w->stop)
        worker_refute(w, PROPERTY_STUCK, REFUTED_MUST_ORDER, s.halts.places - left);
    for (thread_id t = 0; t < m->thread_count; t++)
        free(s.rest[t].list);
    map_free(&given_up);
    halts_free(&s.halts);
    free(s.rest);
    free(s.chosen);
    free(s.limits);
    free(s.reach);
    free(s.ask.cut);
    free(s.ask.events);
    free(s.ask.orders);
}
