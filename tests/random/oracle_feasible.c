/* SPEC §2, literally: is this sequence of events a feasible run?
 *
 * Each condition looks at the whole sequence by itself and shares nothing with the exploration, which is
 * checked against it. */
#include "random/oracle_meaning.h"

struct run {
    const struct meaning *m;
    const size_t *event;
    size_t count;
};

/* 1. For each thread a prefix of its events, in order. */
static bool threads_run_in_order(const struct run *run)
{
    size_t position[EVENT_SLOTS] = {0};

    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i];

        if (e == 0 || e > run->m->count)
            return false;
        size_t t = run->m->thread[e];
        if (run->m->by_thread[t][position[t]++] != e)
            return false;
    }
    return true;
}

static bool runs_before(const struct run *run, size_t event, size_t end)
{
    for (size_t i = 0; i < end; i++) {
        if (run->event[i] == event)
            return true;
    }
    return false;
}

/* 2. Every event comes after its required predecessors. */
static bool predecessors_run_first(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        size_t blocker = run->m->tryfail_section[run->event[i]];

        if (blocker && !runs_before(run, blocker, i))
            return false;
        for (event_set rest = run->m->requires[run->event[i]]; rest; rest &= rest - 1) {
            if (!runs_before(run, first_event(rest), i))
                return false;
        }
    }
    return true;
}

/* How often a thread holds a lock in one mode after the first `end` events. */
static int held(const struct run *run, size_t end, size_t thread, lock_id lock, enum event_kind acquire,
                enum event_kind release)
{
    int count = 0;

    for (size_t i = 0; i < end; i++) {
        size_t e = run->event[i];
        if (run->m->thread[e] != thread || !names_the(run->m, e, NAME_LOCK, lock))
            continue;
        count += kind_of(run->m, e) == acquire;
        count -= kind_of(run->m, e) == release;
    }
    return count;
}

/* 3. Locks exclude; a tryfail runs while its section is open. */
static bool locks_exclude(const struct run *run)
{
    const struct meaning *m = run->m;

    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i];
        lock_id lock = m->trace->arg[e];

        if (kind_of(m, e) == EVENT_TRY_FAIL && m->tryfail_section[e]) {
            size_t end = m->section_end[m->tryfail_section[e]];
            if (end && runs_before(run, end, i))
                return false;
        }
        if (kind_of(m, e) != EVENT_ACQUIRE && kind_of(m, e) != EVENT_SHARED_ACQUIRE)
            continue;
        for (size_t t = 0; t < m->thread_count; t++) {
            if (t == m->thread[e])
                continue;
            if (held(run, i, t, lock, EVENT_ACQUIRE, EVENT_RELEASE) > 0)
                return false;
            if (kind_of(m, e) == EVENT_ACQUIRE &&
                held(run, i, t, lock, EVENT_SHARED_ACQUIRE, EVENT_SHARED_RELEASE) > 0)
                return false;
        }
    }
    return true;
}

/* 4. Every read that its thread goes on after reads from rf; an rmw that does not makes its write new. */
static bool reads_keep(const struct run *run)
{
    const struct meaning *m = run->m;
    event_set read_new = 0, stopped = 0;

    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i], source = EVENT_INIT;

        if (has_event(stopped, m->thread[e]))
            return false;
        if (!kind_reads(kind_of(m, e)))
            continue;
        for (size_t j = 0; j < i; j++) {
            if (kind_writes(kind_of(m, run->event[j])) && m->trace->arg[run->event[j]] == m->trace->arg[e])
                source = run->event[j];
        }
        if (has_event(m->keeps[e], source) && !has_event(read_new, source))
            continue;
        read_new |= one_event(e);
        stopped |= one_event(m->thread[e]);
    }
    return true;
}

bool meaning_run_feasible(const struct meaning *m, const size_t *schedule, size_t count)
{
    struct run run = {.m = m, .event = schedule, .count = count};

    return threads_run_in_order(&run) && predecessors_run_first(&run) && locks_exclude(&run) &&
           reads_keep(&run);
}

bool oracle_run_feasible(const struct trace *trace, const size_t *schedule, size_t count,
                         struct oracle_options options)
{
    struct meaning m;

    meaning_init(&m, trace, options);
    return meaning_run_feasible(&m, schedule, count);
}
