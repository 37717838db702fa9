/* semantics §2, literally: is this sequence of events a feasible run?
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

/* The last write before place `at` to the variable of the access there; a cas that was not as observed wrote
 * nothing. */
static size_t last_write(const struct run *run, const struct run_values *values, size_t at)
{
    const struct meaning *m = run->m;

    for (size_t i = at; i-- > 0;) {
        size_t e = run->event[i];
        bool failed = kind_of(m, e) == EVENT_CAS && !has_event(values->observed, e);
        if (kind_writes(kind_of(m, e)) && !failed && m->trace->arg[e] == m->trace->arg[run->event[at]])
            return e;
    }
    return EVENT_INIT;
}

static struct oracle_value carries(const struct meaning *m, const struct run_values *values, size_t write)
{
    size_t sum_of = m->from_sum[write];

    if (sum_of && values->seen[sum_of].kind == VALUE_NUMBER)
        return meaning_sum(m, write, values->seen[sum_of]);
    for (size_t read = 1; read <= write; read++) {
        if (has_event(m->from[write], read) && !has_event(values->observed, read))
            return (struct oracle_value){VALUE_NEW, 0};
    }
    return m->wrote[write];
}

void meaning_run_values(const struct meaning *m, const size_t *schedule, size_t count,
                        struct run_values *values)
{
    struct run run = {.m = m, .event = schedule, .count = count};

    *values = (struct run_values){0};
    for (size_t i = 0; i < count; i++) {
        size_t e = schedule[i];

        if (kind_accesses(kind_of(m, e)))
            values->source[e] = last_write(&run, values, i);
        if (kind_reads(kind_of(m, e))) {
            size_t source = values->source[e];
            struct oracle_value there = source ? values->carried[source] : m->initial[m->variable[e]];

            values->seen[e] = meaning_seen(m, e, source, there);
            if (meaning_as_observed(m, e, source, there))
                values->observed |= one_event(e);
        }
        if (kind_writes(kind_of(m, e)))
            values->carried[e] = carries(m, values, e);
    }
}

/* The end of a thread after the first `end` events: its exit, or one that stands on every read. */
static bool thread_has_ended(const struct run *run, const struct run_values *values, size_t thread, size_t end)
{
    const struct meaning *m = run->m;

    for (const uint8_t *e = m->by_thread[thread]; *e; e++) {
        if (!runs_before(run, *e, end))
            return false;
        if (kind_of(m, *e) == EVENT_EXIT)
            return true;
    }
    for (const uint8_t *e = m->by_thread[thread]; *e; e++) {
        if (kind_reads(kind_of(m, *e)) && !has_event(values->observed, *e))
            return false;
    }
    return true;
}

/* 2. Every event comes after its required predecessors. */
static bool predecessors_run_first(const struct run *run, const struct run_values *values)
{
    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i], blocker = run->m->tryfail_section[e], joined = run->m->joins_thread[e];

        if (blocker && !runs_before(run, blocker, i))
            return false;
        if (joined && !thread_has_ended(run, values, joined - 1, i))
            return false;
        for (event_set rest = run->m->requires[e]; rest; rest &= rest - 1) {
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

/* 3. Tokens: posts and the initial count exceed the semwaits before each semwait. */
static bool tokens_suffice(const struct run *run)
{
    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i];
        uint64_t posts = 0, semwaits = 0;

        if (kind_of(run->m, e) != EVENT_SEM_WAIT)
            continue;
        for (size_t j = 0; j < i; j++) {
            if (!names_the(run->m, run->event[j], NAME_SEMAPHORE, run->m->trace->arg[e]))
                continue;
            posts += kind_of(run->m, run->event[j]) == EVENT_POST;
            semwaits += kind_of(run->m, run->event[j]) == EVENT_SEM_WAIT;
        }
        if (posts + run->m->tokens[e] <= semwaits)
            return false;
    }
    return true;
}

static size_t place_of(const struct run *run, size_t event)
{
    size_t at = 0;

    while (at < run->count && run->event[at] != event)
        at++;
    return at;
}

/* 3. Notifies: whether woken wait `i` and all after it that have ended can each be given a notify that is not in
 * `given`. */
static bool waits_are_served(const struct run *run, size_t i, event_set given)
{
    const struct meaning *m = run->m;

    if (i == m->wait_count)
        return true;
    if (!runs_before(run, m->waits[i].end, run->count))
        return waits_are_served(run, i + 1, given);
    for (size_t at = place_of(run, m->waits[i].begin); at < place_of(run, m->waits[i].end); at++) {
        size_t e = run->event[at];
        if (m->notifies[e] != m->waits[i].condition + 1 || has_event(given, e))
            continue;
        if (waits_are_served(run, i + 1, kind_of(m, e) == EVENT_NOTIFY ? given | one_event(e) : given))
            return true;
    }
    return false;
}

/* 4. Every event has its grounds; nothing follows a cas that was not as observed in its thread. */
static bool grounds_hold(const struct run *run, const struct run_values *values)
{
    const struct meaning *m = run->m;

    for (size_t i = 0; i < run->count; i++) {
        size_t e = run->event[i];

        for (size_t read = 1; read < e; read++) {
            bool observed = has_event(values->observed, read), same = m->thread[read] == m->thread[e];

            if (same && kind_of(m, read) == EVENT_CAS && !observed)
                return false;
            if (has_event(m->by[e], read) && !observed)
                return false;
            if (m->by_ranges[e] && has_event(m->named_by[e], read) && !observed &&
                !meaning_in_ranges(m, e, read, values->seen[read]))
                return false;
        }
    }
    return true;
}

bool meaning_run_feasible(const struct meaning *m, const size_t *schedule, size_t count)
{
    struct run run = {.m = m, .event = schedule, .count = count};
    struct run_values values;

    if (!threads_run_in_order(&run))
        return false;
    meaning_run_values(m, schedule, count, &values);
    return predecessors_run_first(&run, &values) && locks_exclude(&run) && tokens_suffice(&run) &&
           waits_are_served(&run, 0, 0) && (m->options.ignore_data || grounds_hold(&run, &values));
}

bool oracle_run_feasible(const struct trace *trace, const size_t *schedule, size_t count,
                         struct oracle_options options)
{
    struct meaning m;

    meaning_init(&m, trace, options);
    return meaning_run_feasible(&m, schedule, count);
}
