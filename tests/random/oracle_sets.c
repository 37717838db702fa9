/* The sets of SPEC §3, read off the states that feasible runs reach. */
#include "random/oracle_runs.h"

/* What one exploration of all runs finds. Bit c of nondet[r] stands for the pair (r, c), and so on. */
struct all_runs {
    struct search search; /* first, so that visits find the rest */
    event_set nondet[EVENT_SLOTS];
    event_set final[EVENT_SLOTS]; /* by observed last write */
    event_set race[EVENT_SLOTS];
    struct tuple_set *deadlocks;
};

/* A read is observed to differ when it would read something new from a write other than rf. That it reads rf
 * itself, made new by an rmw, is no second source; and with --same-value an equal value is none either. */
static void note_read(struct all_runs *all, const struct run_state *s, size_t read)
{
    const struct meaning *m = all->search.m;
    size_t source = state_source(m, s, read);

    if (source != m->rf[read] && !state_keeps(m, s, read))
        all->nondet[read] |= one_event(source);
}

static void note_races(struct all_runs *all, event_set ready)
{
    for (event_set a = ready; a; a &= a - 1) {
        for (event_set b = a & (a - 1); b; b &= b - 1) {
            if (meaning_conflict(all->search.m, first_event(a), first_event(b)))
                all->race[first_event(a)] |= one_event(first_event(b));
        }
    }
}

/* The thread that holds, exclusively, the lock that `thread` wants next; EVENT_SLOTS if it does not wait so. */
static size_t waits_for(const struct meaning *m, const struct run_state *s, size_t thread)
{
    size_t acquire = state_next(m, s, thread);

    if (!acquire || !has_event(m->exclusive_sections, acquire) || op_order(m->trace->op[acquire]) == ORDER_TRY)
        return EVENT_SLOTS;
    for (event_set rest = m->section_rivals[acquire] & m->exclusive_sections; rest; rest &= rest - 1) {
        if (state_section_open(m, s, first_event(rest)))
            return m->thread[first_event(rest)];
    }
    return EVENT_SLOTS;
}

/* A thread waits for one other at most, so following that from each thread finds every cycle. */
static void note_deadlocks(struct all_runs *all, const struct run_state *s)
{
    const struct meaning *m = all->search.m;

    for (size_t start = 0; start < m->thread_count; start++) {
        event_set cycle = 0;
        size_t t = start;

        do {
            event_set next = one_event(state_next(m, s, t));
            if (cycle & next)
                break; /* a cycle without `start` */
            cycle |= next;
            t = waits_for(m, s, t);
        } while (t != EVENT_SLOTS && t != start);
        if (t != start)
            continue;

        struct tuple tuple = {0};
        for (; cycle; cycle &= cycle - 1)
            tuple.item[tuple.length++] = (uint32_t)first_event(cycle);
        tuples_add(all->deadlocks, &tuple);
    }
}

static void note_final_state(struct all_runs *all, const struct run_state *s)
{
    const struct meaning *m = all->search.m;

    for (size_t w = 1; w <= m->count && w < EVENT_SLOTS; w++) {
        bool last_write = kind_writes(kind_of(m, w)) && m->writes_beside[w] >> w == 1;
        if (last_write && !has_event(s->last, w))
            all->final[w] |= s->last & m->writes_beside[w];
    }
}

static bool visit_any(struct search *search, const struct run_state *s)
{
    struct all_runs *all = (struct all_runs *)search;
    const struct meaning *m = search->m;
    event_set ready = 0; /* accesses that could be next */
    bool complete = true;

    for (size_t t = 0; t < m->thread_count; t++) {
        size_t next = state_next(m, s, t);

        complete &= (m->of_thread[t] & ~s->done) == 0;
        if (!next || !kind_accesses(kind_of(m, next)) || !state_ready(m, s, next))
            continue;
        ready |= one_event(next);
        if (kind_reads(kind_of(m, next)))
            note_read(all, s, next);
    }
    note_races(all, ready);
    if (!s->fresh)
        note_deadlocks(all, s);
    if (complete)
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

static void all_runs(const struct meaning *m, struct oracle_sets *sets)
{
    struct all_runs all = {.search = {.m = m, .visit = visit_any}, .deadlocks = &sets->of[ORACLE_DEADLOCK]};

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
        if (next && kind_accesses(kind_of(m, next)) && state_ready(m, s, next))
            ready |= one_event(next);
    }
    note_races((struct all_runs *)search, ready);
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

/* One exploration for each pair (a, b), of the runs where b does not come before a. */
struct split_runs {
    struct search search; /* first, so that visits find the rest */
    size_t first, remote;
    event_set seconds, found; /* candidates for the third event; those that came after both */
};

bool meaning_unserializable(const struct meaning *m, size_t first, size_t remote, size_t second)
{
    static const char patterns[][4] = {"RWR", "RWW", "WRW", "WWR", "WWW"};
    const size_t event[] = {first, remote, second};

    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        bool matches = true;
        for (size_t i = 0; i < 3; i++)
            matches &=
                patterns[p][i] == 'R' ? kind_reads(kind_of(m, event[i])) : kind_writes(kind_of(m, event[i]));
        if (matches)
            return true;
    }
    return false;
}

static bool visit_split(struct search *search, const struct run_state *s)
{
    struct split_runs *split = (struct split_runs *)search;
    const struct meaning *m = search->m;
    size_t second = state_next(m, s, m->thread[split->first]);

    if (has_event(s->done, split->remote) && has_event(split->seconds, second) && state_ready(m, s, second))
        split->found |= one_event(second);
    return second != 0 && split->found != split->seconds;
}

static void split_pair(struct split_runs *split, struct tuple_set *triples)
{
    const struct meaning *m = split->search.m;

    split->seconds = split->found = 0;
    for (event_set rest = m->block_rest[split->first]; rest; rest &= rest - 1) {
        size_t second = first_event(rest);
        if (names_the(m, second, NAME_VARIABLE, m->trace->arg[split->first]) &&
            meaning_unserializable(m, split->first, split->remote, second))
            split->seconds |= one_event(second);
    }
    if (!split->seconds)
        return;
    split->search.until = split->first;
    split->search.held_back = split->remote;
    search_runs(&split->search);
    for (event_set rest = split->found; rest; rest &= rest - 1)
        tuples_add3(triples, split->first, split->remote, first_event(rest));
}

static void split_blocks(const struct meaning *m, struct tuple_set *triples)
{
    struct split_runs split = {.search = {.m = m, .visit = visit_split}};

    for (split.first = 1; split.first <= m->count; split.first++) {
        event_set beside = m->reads_beside[split.first] | m->writes_beside[split.first];

        for (event_set rest = beside; rest; rest &= rest - 1) {
            split.remote = first_event(rest);
            if (m->thread[split.remote] != m->thread[split.first])
                split_pair(&split, triples);
        }
    }
    search_free(&split.search);
}

void oracle_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets)
{
    struct meaning m;

    meaning_init(&m, trace, options);
    all_runs(&m, sets);
    split_blocks(&m, &sets->of[ORACLE_ATOMICITY]);
    meaning_unordered(&m, &sets->of[ORACLE_UNORDERED]);
}

static const char *property_name(enum oracle_property property)
{
    static const char *const names[ORACLE_PROPERTIES] = {
        [ORACLE_NONDET] = "nondeterminism", [ORACLE_FINAL] = "final-state", [ORACLE_RACE] = "race",
        [ORACLE_UNORDERED] = "unordered",   [ORACLE_DEADLOCK] = "deadlock", [ORACLE_ATOMICITY] = "atomicity",
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
