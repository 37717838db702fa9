/* The oracle for declared blocks. */
#include "random/oracle_blocks.h"
#include "base/memory.h"
#include "random/oracle_runs.h"

#include <stdlib.h>
#include <string.h>

struct block_oracle {
    struct meaning m;
    enum event_kind begin;
    size_t node[EVENT_SLOTS];     /* by event: the first event of its transaction */
    event_set after[EVENT_SLOTS]; /* by node: nodes that it comes directly before */
    event_set
        ordered_before[EVENT_SLOTS]; /* by event: what the program orders before it, whatever the schedule */
    event_set ordered_before_wait[EVENT_SLOTS]; /* the same without what it takes from its own semaphore */
};

/* Where each event belongs: its thread's outermost block, or what its thread was forked in. */
static void find_transactions(struct block_oracle *o)
{
    const struct trace *trace = o->m.trace;
    enum event_kind end = o->begin == EVENT_BEGIN ? EVENT_END : EVENT_DET_END;
    size_t forked_in[EVENT_SLOTS] = {0}, block[EVENT_SLOTS] = {0}, depth[EVENT_SLOTS] = {0};

    for (size_t e = 1; e <= o->m.count; e++) {
        size_t t = o->m.thread[e];
        if (kind_of(&o->m, e) == o->begin && depth[t]++ == 0)
            block[t] = e;
        o->node[e] = forked_in[t] ? forked_in[t] : depth[t] > 0 ? block[t] : e;
        if (kind_of(&o->m, e) == end)
            depth[t]--;
        bool in_block = forked_in[t] || depth[t] > 0;
        if (kind_of(&o->m, e) == EVENT_FORK && o->begin == EVENT_DET_BEGIN && in_block)
            for (size_t child = e + 1; child <= o->m.count; child++)
                if (trace->thread[child] == trace->arg[e])
                    forked_in[o->m.thread[child]] = o->node[e];
    }
}

static bool same_argument(const struct block_oracle *o, size_t a, size_t b)
{
    const struct trace *trace = o->m.trace;

    return kind_argument(kind_of(&o->m, a)) == kind_argument(kind_of(&o->m, b)) &&
           trace->arg[a] == trace->arg[b];
}

static bool in_set(enum event_kind kind, const char *words)
{
    const char *word = kind_word(kind), *at = strstr(words, word);

    return at && (at == words || at[-1] == ' ') && (at[strlen(word)] == ' ' || at[strlen(word)] == '\0');
}

/* A lock operation that is not re-entrant: it begins or ends a section, or is a failed try. */
static bool is_effective(const struct block_oracle *o, size_t e)
{
    event_set sections = o->m.exclusive_sections | o->m.shared_sections;

    if (has_event(sections, e) || kind_of(&o->m, e) == EVENT_TRY_FAIL)
        return true;
    for (event_set rest = sections; rest; rest &= rest - 1)
        if (o->m.section_end[first_event(rest)] == e)
            return true;
    return false;
}

static bool on_one_lock(const struct block_oracle *o, size_t a, size_t b)
{
    return kind_argument(kind_of(&o->m, a)) == NAME_LOCK && same_argument(o, a, b) && is_effective(o, a) &&
           is_effective(o, b);
}

static bool on_one_variable(const struct block_oracle *o, size_t a, size_t b)
{
    return kind_argument(kind_of(&o->m, a)) == NAME_VARIABLE && same_argument(o, a, b) &&
           (kind_writes(kind_of(&o->m, a)) || kind_writes(kind_of(&o->m, b)));
}

static bool is_fork_or_join_of(const struct block_oracle *o, size_t a, size_t b)
{
    return in_set(kind_of(&o->m, a), "fork join") && o->m.trace->arg[a] == o->m.trace->thread[b];
}

bool block_oracle_conflict(const struct block_oracle *o, size_t a, size_t b)
{
    return o->m.thread[a] == o->m.thread[b] || on_one_variable(o, a, b) ||
           (on_one_lock(o, a, b) &&
            (in_set(kind_of(&o->m, a), "acq rel") || in_set(kind_of(&o->m, b), "acq rel"))) ||
           is_fork_or_join_of(o, a, b) || is_fork_or_join_of(o, b, a) || has_event(o->m.observed_after[b], a);
}

static void find_order(struct block_oracle *o)
{
    for (size_t e = 1; e <= o->m.count; e++) {
        event_set direct = o->m.observed_after[e], own = 0;
        for (size_t p = 1; p < e; p++)
            if (o->m.thread[p] == o->m.thread[e])
                own |= one_event(p);
        for (event_set rest = direct; rest; rest &= rest - 1)
            o->ordered_before[e] |= one_event(first_event(rest)) | o->ordered_before[first_event(rest)];
        for (event_set rest = own; rest; rest &= rest - 1) {
            o->ordered_before[e] |= one_event(first_event(rest)) | o->ordered_before[first_event(rest)];
            o->ordered_before_wait[e] |= one_event(first_event(rest)) | o->ordered_before[first_event(rest)];
        }
        if (own == 0 || kind_of(&o->m, e) != EVENT_SEM_WAIT)
            o->ordered_before_wait[e] = o->ordered_before[e];
        if (own == 0 && kind_of(&o->m, e) == EVENT_SEM_WAIT) { /* its fork still counts */
            o->ordered_before_wait[e] = 0;
            for (event_set rest = direct; rest; rest &= rest - 1)
                if (kind_of(&o->m, first_event(rest)) == EVENT_FORK)
                    o->ordered_before_wait[e] |=
                        one_event(first_event(rest)) | o->ordered_before[first_event(rest)];
        }
    }
}

struct block_oracle *block_oracle_new(const struct trace *trace, enum event_kind begin)
{
    struct block_oracle *o = memory_new(1, sizeof *o);

    meaning_init(&o->m, trace, (struct oracle_options){0});
    o->begin = begin;
    find_transactions(o);
    find_order(o);
    for (size_t b = 1; b <= o->m.count; b++)
        for (size_t a = 1; a < b; a++)
            if (o->node[a] != o->node[b] && block_oracle_conflict(o, a, b))
                o->after[o->node[a]] |= one_event(o->node[b]);
    return o;
}

void block_oracle_free(struct block_oracle *o)
{
    free(o);
}

size_t block_oracle_node(const struct block_oracle *o, size_t event)
{
    return o->node[event];
}

/* The lock pairs that are told: who was let in after whom; a failed try and what could have changed it. */
static bool lock_pair(enum event_kind a, enum event_kind b)
{
    if (a == EVENT_TRY_FAIL)
        return in_set(b, "acq rel");
    if (b == EVENT_TRY_FAIL)
        return in_set(a, "acq rel");
    return (a == EVENT_RELEASE && in_set(b, "acq racq")) || (a == EVENT_SHARED_RELEASE && b == EVENT_ACQUIRE);
}

void block_oracle_conflicts(const struct block_oracle *o, struct tuple_set *set)
{
    for (size_t b = 1; b <= o->m.count; b++) {
        for (size_t a = 1; a < b; a++) {
            enum event_kind p = kind_of(&o->m, a), q = kind_of(&o->m, b);
            bool waits = p == EVENT_SEM_WAIT && q == EVENT_SEM_WAIT && same_argument(o, a, b);
            event_set before = waits ? o->ordered_before_wait[b] : o->ordered_before[b];
            if (o->node[a] == o->node[b] && o->m.thread[a] != o->m.thread[b] && !has_event(before, a) &&
                (on_one_variable(o, a, b) || (on_one_lock(o, a, b) && lock_pair(p, q)) || waits))
                tuples_add3(set, o->node[a], a, b);
        }
    }
}

size_t block_oracle_cycle(const struct block_oracle *o, size_t node)
{
    event_set reached = o->after[node];

    for (size_t length = 1; length <= o->m.count; length++) {
        event_set more = reached;
        if (has_event(reached, node))
            return length;
        for (event_set rest = reached; rest; rest &= rest - 1)
            more |= o->after[first_event(rest)];
        if (more == reached)
            return 0;
        reached = more;
    }
    return 0;
}

struct four_search {
    struct search search; /* the first: what visit is given */
    event_set wanted;
    bool found;
};

static bool visit(struct search *search, const struct run_state *s)
{
    struct four_search *f = (struct four_search *)search;

    f->found |= (s->done & f->wanted) == f->wanted;
    return !f->found;
}

/* Whether a run has a before b and d before c. */
static bool run_has(const struct block_oracle *o, size_t a, size_t b, size_t d, size_t c)
{
    struct four_search f = {
        .search =
            {.m = &o->m, .visit = visit, .held_back = b, .until = a, .also_held_back = c, .also_until = d},
        .wanted = one_event(a) | one_event(b) | one_event(c) | one_event(d)};

    search_runs(&f.search);
    search_free(&f.search);
    return f.found;
}

static bool on_one_object(const struct block_oracle *o, size_t a, size_t b)
{
    return on_one_variable(o, a, b) || (on_one_lock(o, a, b) && (in_set(kind_of(&o->m, a), "acq rel") ||
                                                                 in_set(kind_of(&o->m, b), "acq rel")));
}

bool block_oracle_predicted(const struct block_oracle *o, size_t node)
{
    for (size_t a = 1; a <= o->m.count; a++)
        for (size_t b = 1; o->node[a] == node && b <= o->m.count; b++)
            for (size_t d = 1; o->node[b] != node && on_one_object(o, a, b) && d <= o->m.count; d++)
                for (size_t c = 1; o->node[d] == o->node[b] && c <= o->m.count; c++)
                    if (o->node[c] == node && on_one_object(o, d, c) && run_has(o, a, b, d, c))
                        return true;
    return false;
}
