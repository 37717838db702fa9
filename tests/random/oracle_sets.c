/* The sets of semantics §3 that one exploration of all runs finds, and how sets are compared. */
#include "random/oracle_pairs.h"
#include "random/oracle_runs.h"

/* What one exploration of all runs finds. Bit c of nondet[r] stands for the pair (r, c), and so on. */
struct all_runs {
    struct search search; /* first, so that visits find the rest */
    event_set nondet[EVENT_SLOTS];
    event_set final[EVENT_SLOTS]; /* by observed last write */
    event_set race[EVENT_SLOTS];
    struct tuple_set *deadlocks, *stuck;
    struct pair_hints *hints;
};

/* A read that sees another write than rf(r), and something else. */
static void note_read(struct all_runs *all, const struct run_state *s, size_t read)
{
    const struct meaning *m = all->search.m;
    size_t source = state_source(m, s, read);

    if (source != m->rf[read] && !state_as_observed(&all->search, s, read))
        all->nondet[read] |= one_event(source);
}

/* Whether the event, which is next, writes: a cas only if it sees what it saw. */
static bool would_write(const struct search *search, const struct run_state *s, size_t event)
{
    return kind_writes(kind_of(search->m, event)) &&
           (!has_event(search->m->cas, event) || state_as_observed(search, s, event));
}

static void note_races(struct all_runs *all, const struct run_state *s, event_set ready)
{
    for (event_set a = ready; a; a &= a - 1) {
        for (event_set b = a & (a - 1); b; b &= b - 1) {
            size_t first = first_event(a), second = first_event(b);
            if (meaning_conflict(all->search.m, first, second) &&
                (would_write(&all->search, s, first) || would_write(&all->search, s, second)))
                all->race[first] |= one_event(second);
        }
    }
}

/* The thread that holds, exclusively, the lock that `thread` wants next; EVENT_SLOTS if it does not wait so. */
static size_t waits_for(const struct search *search, const struct run_state *s, size_t thread)
{
    const struct meaning *m = search->m;
    size_t acquire = state_next(m, s, thread);

    if (!acquire || !has_event(m->exclusive_sections, acquire) ||
        op_order(m->trace->op[acquire]) == ORDER_TRY || !state_grounded(search, s, acquire))
        return EVENT_SLOTS;
    for (event_set rest = m->section_rivals[acquire] & m->exclusive_sections; rest; rest &= rest - 1) {
        if (state_section_open(m, s, first_event(rest)))
            return m->thread[first_event(rest)];
    }
    return EVENT_SLOTS;
}

static void add_events(struct tuple_set *set, event_set events)
{
    struct tuple tuple = {0};

    for (; events; events &= events - 1)
        tuple.item[tuple.length++] = (uint32_t)first_event(events);
    tuples_add(set, &tuple);
}

/* A thread waits for one other at most, so following that from each thread finds every cycle. True if there is
 * one. */
static bool note_deadlocks(struct all_runs *all, const struct run_state *s)
{
    const struct meaning *m = all->search.m;
    bool any = false;

    for (size_t start = 0; start < m->thread_count; start++) {
        event_set cycle = 0;
        size_t t = start;

        do {
            event_set next = one_event(state_next(m, s, t));
            if (cycle & next)
                break; /* a cycle without `start` */
            cycle |= next;
            t = waits_for(&all->search, s, t);
        } while (t != EVENT_SLOTS && t != start);
        if (t == start) {
            add_events(all->deadlocks, cycle);
            any = true;
        }
    }
    return any;
}

/* Every thread waits, is over or was not forked. */
static void note_stuck(struct all_runs *all, const struct run_state *s)
{
    const struct meaning *m = all->search.m;
    event_set waiting = 0;

    if (m->idle_forks & s->done)
        return;
    for (size_t t = 0; t < m->thread_count; t++) {
        enum thread_status status = state_status(&all->search, s, t);
        bool over = status == THREAD_FINISHED && (m->exit_of[t] || m->joined_by[t]) && state_ended(m, s, t);

        if (status == THREAD_WAITING)
            waiting |= one_event(state_next(m, s, t));
        else if (!over && status != THREAD_UNFORKED)
            return;
    }
    if (waiting)
        add_events(all->stuck, waiting);
}

static void note_final_state(struct all_runs *all, const struct run_state *s)
{
    const struct meaning *m = all->search.m;

    for (size_t w = 1; w <= m->count; w++) {
        bool last_write = kind_writes(kind_of(m, w)) && (m->writes_beside[w] >> w) == 1;
        size_t now = last_write ? state_source(m, s, w) : w;
        bool other = last_write && !values_equal(state_carried(&all->search, s, w), m->wrote[w]);

        if (other && (now != w || value_known(m->wrote[w])))
            all->final[w] |= one_event(now);
    }
}

static bool visit_any(struct search *search, const struct run_state *s)
{
    struct all_runs *all = (struct all_runs *)search;
    const struct meaning *m = search->m;
    event_set ready = 0; /* accesses that could be next */
    size_t threads_done = 0;

    for (size_t t = 0; t < m->thread_count; t++) {
        enum thread_status status = state_status(search, s, t);
        size_t next = state_next(m, s, t);

        threads_done += status == THREAD_FINISHED;
        if (status != THREAD_READY || !kind_accesses(kind_of(m, next)))
            continue;
        ready |= one_event(next);
        if (kind_reads(kind_of(m, next)))
            note_read(all, s, next);
        pair_hint(all->hints, search, s, next);
    }
    note_races(all, s, ready);
    if (!note_deadlocks(all, s))
        note_stuck(all, s);
    if (threads_done == m->thread_count)
        note_final_state(all, s);
    return true;
}

static void add_pairs(struct tuple_set *set, const event_set *pairs)
{
    for (size_t first = 0; first < EVENT_SLOTS; first++) {
        for (event_set rest = pairs[first]; rest; rest &= rest - 1)
            tuples_add2(set, first, first_event(rest));
    }
}

static void all_runs(const struct meaning *m, struct oracle_sets *sets, struct pair_hints *hints)
{
    struct all_runs all = {.search = {.m = m, .visit = visit_any},
                           .deadlocks = &sets->of[ORACLE_DEADLOCK],
                           .stuck = &sets->of[ORACLE_STUCK],
                           .hints = hints};

    search_runs(&all.search);
    search_free(&all.search);
    add_pairs(&sets->of[ORACLE_NONDET], all.nondet);
    add_pairs(&sets->of[ORACLE_RACE], all.race);
    for (size_t w = 1; w <= m->count; w++) {
        for (event_set rest = all.final[w]; rest; rest &= rest - 1)
            tuples_add3(&sets->of[ORACLE_FINAL], w, first_event(rest), m->trace->arg[w]);
    }
}

static bool visit_for_races(struct search *search, const struct run_state *s)
{
    const struct meaning *m = search->m;
    event_set ready = 0;

    for (size_t t = 0; t < m->thread_count; t++) {
        size_t next = state_next(m, s, t);
        if (state_status(search, s, t) == THREAD_READY && kind_accesses(kind_of(m, next)))
            ready |= one_event(next);
    }
    note_races((struct all_runs *)search, s, ready);
    return true;
}

void oracle_races(const struct trace *trace, struct oracle_options options, struct tuple_set *pairs)
{
    struct meaning m;
    struct all_runs all = {.search = {.m = &m, .visit = visit_for_races}};

    meaning_init(&m, trace, options);
    search_runs(&all.search);
    search_free(&all.search);
    add_pairs(pairs, all.race);
}

void oracle_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets)
{
    struct meaning m;
    struct pair_hints hints = {0};

    meaning_init(&m, trace, options);
    all_runs(&m, sets, &hints);
    pairs_atomicity(&m, &hints, &sets->of[ORACLE_ATOMICITY]);
    pairs_stale(&m, &hints, &sets->of[ORACLE_STALE]);
    meaning_unordered(&m, &sets->of[ORACLE_UNORDERED]);
}

static const char *property_name(enum oracle_property property)
{
    static const char *const names[ORACLE_PROPERTIES] = {
        [ORACLE_NONDET] = "nondeterminism", [ORACLE_FINAL] = "final-state", [ORACLE_RACE] = "race",
        [ORACLE_UNORDERED] = "unordered",   [ORACLE_DEADLOCK] = "deadlock", [ORACLE_STUCK] = "stuck",
        [ORACLE_ATOMICITY] = "atomicity",   [ORACLE_STALE] = "stale",
    };

    return names[property];
}

bool oracle_sets_agree(FILE *out, const struct oracle_sets *a, const char *a_name, const struct oracle_sets *b,
                       const char *b_name)
{
    bool agree = true;

    for (size_t p = 0; p < ORACLE_PROPERTIES; p++) {
        if (tuples_equal(&a->of[p], &b->of[p]))
            continue;
        agree = false;
        fprintf(out, "%s differs:\n", property_name((enum oracle_property)p));
        tuples_print_difference(out, &a->of[p], a_name, &b->of[p], b_name);
    }
    return agree;
}

void oracle_sets_free(struct oracle_sets *sets)
{
    for (size_t p = 0; p < ORACLE_PROPERTIES; p++)
        tuples_free(&sets->of[p]);
}
