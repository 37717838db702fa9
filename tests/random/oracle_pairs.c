/* Atomicity and staleness (semantics §3): runs in which one event comes before another, then a third. */
#include "random/oracle_pairs.h"

void pair_hint(struct pair_hints *hints, const struct search *search, const struct run_state *s, size_t access)
{
    hints->done[access] |= s->done;
    hints->last[access] |= one_event(state_source(search->m, s, access));
}

bool meaning_unserializable(const struct meaning *m, event_set writes, size_t first, size_t remote,
                            size_t second)
{
    static const char patterns[][4] = {"RWR", "RWW", "WRW", "WWR", "WWW"};
    const size_t event[] = {first, remote, second};

    for (size_t p = 0; p < sizeof patterns / sizeof *patterns; p++) {
        bool matches = true;
        for (size_t i = 0; i < 3; i++)
            matches &= patterns[p][i] == 'R' ? kind_reads(kind_of(m, event[i])) : has_event(writes, event[i]);
        if (matches)
            return true;
    }
    return false;
}

static event_set all_writes(const struct meaning *m)
{
    event_set writes = 0;

    for (size_t e = 1; e <= m->count; e++) {
        if (kind_writes(kind_of(m, e)))
            writes |= one_event(e);
    }
    return writes;
}

/* One exploration for each pair (a, b), of the runs where b does not come before a. */
struct split_runs {
    struct search search; /* first, so that visits find the rest */
    size_t first, remote;
    event_set seconds, found; /* candidates for the third event; those that came after both */
};

static bool visit_split(struct search *search, const struct run_state *s)
{
    struct split_runs *split = (struct split_runs *)search;
    const struct meaning *m = search->m;
    size_t thread = m->thread[split->first], second = state_next(m, s, thread);

    if (has_event(s->done, split->remote) && has_event(split->seconds, second) &&
        state_status(search, s, thread) == THREAD_READY) {
        event_set failed = m->cas & s->done & ~s->observed;
        if (has_event(m->cas, second) && !state_as_observed(search, s, second))
            failed |= one_event(second);
        if (meaning_unserializable(m, all_writes(m) & ~failed, split->first, split->remote, second))
            split->found |= one_event(second);
    }
    return second != 0 && split->found != split->seconds;
}

static void split_pair(struct split_runs *split, const struct pair_hints *hints, struct tuple_set *triples)
{
    const struct meaning *m = split->search.m;

    split->seconds = split->found = 0;
    for (event_set rest = m->block_rest[split->first]; rest; rest &= rest - 1) {
        size_t second = first_event(rest);
        if (names_the(m, second, NAME_VARIABLE, m->trace->arg[split->first]) &&
            has_event(hints->done[second], split->remote) &&
            meaning_unserializable(m, all_writes(m), split->first, split->remote, second))
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

void pairs_atomicity(const struct meaning *m, const struct pair_hints *hints, struct tuple_set *triples)
{
    struct split_runs split = {.search = {.m = m, .visit = visit_split}};

    for (split.first = 1; split.first <= m->count; split.first++) {
        event_set beside = m->reads_beside[split.first] | m->writes_beside[split.first];

        for (event_set rest = beside; rest; rest &= rest - 1) {
            split.remote = first_event(rest);
            if (m->thread[split.remote] != m->thread[split.first])
                split_pair(&split, hints, triples);
        }
    }
    search_free(&split.search);
}

/* One exploration for each (r, c, w), of the runs where c does not come before r. */
struct stale_runs {
    struct search search; /* first, so that visits find the rest */
    size_t read, remote, write;
    bool found;
};

/* What excuses a write that came in between: it left what r saw, or what the check lets pass. */
static bool excused(const struct stale_runs *stale, const struct run_state *s)
{
    const struct meaning *m = stale->search.m;
    struct oracle_value carried = state_carried(&stale->search, s, stale->write);

    if (value_known(carried) && values_equal(carried, stale->search.values[s->seen[stale->read]]))
        return true;
    return !has_event(m->from[stale->write], stale->read) &&
           meaning_in_ranges(m, stale->write, stale->read, carried);
}

static bool visit_stale(struct search *search, const struct run_state *s)
{
    struct stale_runs *stale = (struct stale_runs *)search;
    const struct meaning *m = search->m;
    size_t thread = m->thread[stale->write];

    if (state_next(m, s, thread) == stale->write && state_status(search, s, thread) == THREAD_READY &&
        state_source(m, s, stale->write) == stale->remote && !excused(stale, s))
        stale->found = true;
    return !stale->found && !has_event(s->done, stale->write);
}

static void stale_read(const struct meaning *m, const struct pair_hints *hints, size_t read, size_t write,
                       struct tuple_set *triples)
{
    event_set others = m->writes_beside[write] & ~m->of_thread[m->thread[write]] & hints->last[write];

    for (; others; others &= others - 1) {
        struct stale_runs stale = {.search = {.m = m, .visit = visit_stale, .watched = one_event(read)},
                                   .read = read,
                                   .remote = first_event(others),
                                   .write = write};

        stale.search.held_back = stale.remote;
        stale.search.until = read;
        search_runs(&stale.search);
        search_free(&stale.search);
        if (stale.found)
            tuples_add3(triples, read, stale.remote, write);
    }
}

/* The last read of the variable in a list; the write itself, if it reads, is the last of all. */
static size_t last_look(const struct meaning *m, event_set list, size_t write)
{
    event_set looks = list & m->reads_beside[write];

    return looks ? 63 - (size_t)__builtin_clzll(looks) : 0;
}

void pairs_stale(const struct meaning *m, const struct pair_hints *hints, struct tuple_set *triples)
{
    for (size_t w = 1; w <= m->count; w++) {
        if (!kind_writes(kind_of(m, w)) || kind_of(m, w) == EVENT_CAS)
            continue;
        size_t decides = last_look(m, m->named_by[w], w), makes = last_look(m, m->named_from[w], w);
        if (decides)
            stale_read(m, hints, decides, w, triples);
        if (makes && makes != w && makes != decides)
            stale_read(m, hints, makes, w, triples);
    }
}
