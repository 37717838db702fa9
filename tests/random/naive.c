/* All feasible runs, one by one: no state, no memory, no shortcuts. */
#include "random/naive.h"
#include "random/oracle_meaning.h"

struct naive {
    struct meaning m;
    struct oracle_sets *sets;
    size_t run[EVENT_SLOTS];
    size_t length;
    struct run_values values;
};

/* Where the event is in the run; its length if it is not. */
static size_t place(const struct naive *n, size_t event)
{
    size_t i = 0;

    while (i < n->length && n->run[i] != event)
        i++;
    return i;
}

static bool in_run(const struct naive *n, size_t event)
{
    return place(n, event) < n->length;
}

static bool as_observed(const struct naive *n, size_t read)
{
    return has_event(n->values.observed, read);
}

/* Whether the event of the run writes in it. */
static bool writes(const struct naive *n, size_t event)
{
    return kind_writes(kind_of(&n->m, event)) && (kind_of(&n->m, event) != EVENT_CAS || as_observed(n, event));
}

/* Adds an event to the run; false, and nothing is added, if the run would not be feasible. */
static bool push(struct naive *n, size_t event)
{
    if (in_run(n, event))
        return false;
    n->run[n->length] = event;
    if (!meaning_run_feasible(&n->m, n->run, n->length + 1))
        return false;
    n->length++;
    meaning_run_values(&n->m, n->run, n->length, &n->values);
    return true;
}

static void pop(struct naive *n)
{
    n->length--;
    meaning_run_values(&n->m, n->run, n->length, &n->values);
}

static void note_nondeterminism(struct naive *n)
{
    size_t r = n->run[n->length - 1];

    if (kind_reads(kind_of(&n->m, r)) && !as_observed(n, r) && n->values.source[r] != n->m.rf[r])
        tuples_add2(&n->sets->of[ORACLE_NONDET], r, n->values.source[r]);
}

/* The last write to the variable of the access in the run; 0: none. */
static size_t last_write(const struct naive *n, size_t access)
{
    for (size_t i = n->length; i-- > 0;) {
        if (has_event(n->m.writes_beside[access], n->run[i]) && writes(n, n->run[i]))
            return n->run[i];
    }
    return EVENT_INIT;
}

static void note_final_state(struct naive *n)
{
    const struct meaning *m = &n->m;

    if (n->length < m->count)
        return;
    for (size_t w = 1; w <= m->count; w++) {
        size_t now = last_write(n, w), later = 0;

        for (size_t other = w + 1; other <= m->count; other++)
            later += has_event(m->writes_beside[w], other);
        if (!kind_writes(kind_of(m, w)) || later > 0)
            continue;

        struct oracle_value left = now ? n->values.carried[now] : m->initial[m->variable[w]];
        if (value_known(m->wrote[w]) ? !values_equal(left, m->wrote[w]) : now != w)
            tuples_add3(&n->sets->of[ORACLE_FINAL], w, now, m->trace->arg[w]);
    }
}

/* An access is enabled when it can be added: it needs neither locks nor tokens. */
static void note_races(struct naive *n)
{
    for (size_t a = 1; a <= n->m.count; a++) {
        for (size_t b = a + 1; b <= n->m.count; b++) {
            bool any_writes = false;

            if (!meaning_conflict(&n->m, a, b) || !push(n, a))
                continue;
            any_writes |= writes(n, a);
            pop(n);
            if (!push(n, b))
                continue;
            any_writes |= writes(n, b);
            pop(n);
            if (any_writes)
                tuples_add2(&n->sets->of[ORACLE_RACE], a, b);
        }
    }
}

static size_t next_of(const struct naive *n, size_t thread)
{
    const uint8_t *e = n->m.by_thread[thread];

    while (*e && in_run(n, *e))
        e++;
    return *e;
}

/* Condition 4 for the next event of a thread; 0: for the end of a thread without an exit. */
static bool grounded(const struct naive *n, size_t thread, size_t event)
{
    for (const uint8_t *read = n->m.by_thread[thread]; *read && *read != event; read++) {
        bool plain = event == 0 || has_event(n->m.by[event], *read);
        bool ranges = event != 0 && n->m.by_ranges[event] && has_event(n->m.named_by[event], *read);

        if (!kind_reads(kind_of(&n->m, *read)) || as_observed(n, *read))
            continue;
        if (kind_of(&n->m, *read) == EVENT_CAS || plain)
            return false;
        if (ranges && !meaning_in_ranges(&n->m, event, *read, n->values.seen[*read]))
            return false;
    }
    return true;
}

static bool holds_exclusively(const struct naive *n, size_t thread, lock_id lock)
{
    int count = 0;

    for (size_t i = 0; i < n->length; i++) {
        size_t e = n->run[i];
        if (n->m.thread[e] != thread || !names_the(&n->m, e, NAME_LOCK, lock))
            continue;
        count += (kind_of(&n->m, e) == EVENT_ACQUIRE) - (kind_of(&n->m, e) == EVENT_RELEASE);
    }
    return count > 0;
}

static bool waits_for(const struct naive *n, size_t thread, size_t other)
{
    size_t next = next_of(n, thread);

    return thread != other && next && kind_of(&n->m, next) == EVENT_ACQUIRE &&
           op_order(n->m.trace->op[next]) != ORDER_TRY && grounded(n, thread, next) &&
           !holds_exclusively(n, thread, n->m.trace->arg[next]) &&
           holds_exclusively(n, other, n->m.trace->arg[next]);
}

/* Whether the threads, a set of bits, wait for each other in one cycle that goes through them all. */
static bool wait_in_a_cycle(const struct naive *n, uint64_t threads)
{
    size_t first = first_event(threads), at = first;
    uint64_t met = 0;

    do {
        size_t t = 0;

        met |= one_event(at);
        while (t < n->m.thread_count && !(has_event(threads, t) && waits_for(n, at, t)))
            t++;
        if (t == n->m.thread_count || (has_event(met, t) && t != first))
            return false;
        at = t;
    } while (at != first);
    return met == threads;
}

/* True if there is one. */
static bool note_deadlocks(struct naive *n)
{
    bool any = false;

    for (uint64_t threads = 1; threads < one_event(n->m.thread_count); threads++) {
        struct tuple tuple = {0};

        if (!wait_in_a_cycle(n, threads))
            continue;
        for (size_t e = 1; e <= n->m.count; e++) {
            if (has_event(threads, n->m.thread[e]) && next_of(n, n->m.thread[e]) == e)
                tuple.item[tuple.length++] = (uint32_t)e;
        }
        tuples_add(&n->sets->of[ORACLE_DEADLOCK], &tuple);
        any = true;
    }
    return any;
}

static bool forked(const struct naive *n, size_t thread)
{
    return !n->m.forked_by[thread] || in_run(n, n->m.forked_by[thread]);
}

/* What a thread may wait for at an event that cannot be added although it has all of condition 4. */
static bool waits_at(const struct naive *n, size_t e)
{
    switch (kind_of(&n->m, e)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
        return op_order(n->m.trace->op[e]) != ORDER_TRY;
    case EVENT_SEM_WAIT:
        for (size_t i = 1; i < e; i++) {
            if (kind_of(&n->m, i) == EVENT_SEM_INIT && n->m.trace->arg[i] == n->m.trace->arg[e] &&
                !in_run(n, i))
                return false;
        }
        return true;
    case EVENT_WAIT_POST:
    case EVENT_BARRIER_EXIT:
    case EVENT_JOIN:
        return true;
    default:
        return false;
    }
}

/* Whether the thread is over: all its events are in the run, it has an exit or is joined in the trace, its end
 * has all of condition 4. */
static bool is_over(const struct naive *n, size_t thread)
{
    bool exits = false, joined = false;

    for (const uint8_t *e = n->m.by_thread[thread]; *e; e++) {
        if (!in_run(n, *e))
            return false;
        exits |= kind_of(&n->m, *e) == EVENT_EXIT;
    }
    for (size_t e = 1; e <= n->m.count; e++)
        joined |= kind_of(&n->m, e) == EVENT_JOIN &&
                  n->m.trace->arg[e] == n->m.trace->thread[n->m.by_thread[thread][0]];
    return exits || (joined && grounded(n, thread, 0));
}

static void note_stuck(struct naive *n)
{
    struct tuple tuple = {0};
    event_set waiting = 0;

    for (size_t i = 0; i < n->length; i++) {
        if (has_event(n->m.idle_forks, n->run[i]))
            return;
    }
    for (size_t t = 0; t < n->m.thread_count; t++) {
        size_t next = next_of(n, t);

        if (!forked(n, t) || is_over(n, t))
            continue;
        if (!next || !grounded(n, t, next) || !waits_at(n, next))
            return;
        if (push(n, next)) {
            pop(n);
            return;
        }
        waiting |= one_event(next);
    }
    for (; waiting; waiting &= waiting - 1)
        tuple.item[tuple.length++] = (uint32_t)first_event(waiting);
    if (tuple.length > 0)
        tuples_add(&n->sets->of[ORACLE_STUCK], &tuple);
}

static event_set written(const struct naive *n)
{
    event_set set = 0;

    for (size_t i = 0; i < n->length; i++) {
        if (writes(n, n->run[i]))
            set |= one_event(n->run[i]);
    }
    return set;
}

static void note_atomicity(struct naive *n)
{
    const struct meaning *m = &n->m;
    size_t c = n->run[n->length - 1];

    if (!kind_accesses(kind_of(m, c)))
        return;
    for (size_t i = 0; i < n->length; i++) {
        size_t a = n->run[i];
        if (!has_event(m->block_rest[a], c) || !names_the(m, a, NAME_VARIABLE, m->trace->arg[c]))
            continue;
        for (size_t j = i + 1; j < n->length; j++) {
            size_t b = n->run[j];
            if (m->thread[b] != m->thread[c] && names_the(m, b, NAME_VARIABLE, m->trace->arg[c]) &&
                meaning_unserializable(m, written(n), a, b, c))
                tuples_add3(&n->sets->of[ORACLE_ATOMICITY], a, b, c);
        }
    }
}

/* The run ends in w, which has r as the last read of its variable in one of its lists. */
static void note_stale(struct naive *n, event_set list)
{
    const struct meaning *m = &n->m;
    size_t w = n->run[n->length - 1], c = n->values.source[w], r = 0;

    for (size_t e = 1; e <= w; e++) {
        if (has_event(list, e) && names_the(m, e, NAME_VARIABLE, m->trace->arg[w]))
            r = e;
    }
    if (r == 0 || r == w || c == EVENT_INIT || m->thread[c] == m->thread[w] || place(n, r) > place(n, c))
        return;
    if (value_known(n->values.carried[c]) && values_equal(n->values.carried[c], n->values.seen[r]))
        return;
    if (!has_event(m->from[w], r) && meaning_in_ranges(m, w, r, n->values.carried[c]))
        return;
    tuples_add3(&n->sets->of[ORACLE_STALE], r, c, w);
}

static void note(struct naive *n)
{
    if (n->length > 0) {
        size_t last = n->run[n->length - 1];

        note_nondeterminism(n);
        note_atomicity(n);
        if (kind_writes(kind_of(&n->m, last)) && kind_of(&n->m, last) != EVENT_CAS) {
            note_stale(n, n->m.named_by[last]);
            note_stale(n, n->m.named_from[last]);
        }
    }
    note_final_state(n);
    note_races(n);
    if (!note_deadlocks(n))
        note_stuck(n);
}

static void extend(struct naive *n)
{
    note(n);
    for (size_t e = 1; e <= n->m.count; e++) {
        if (push(n, e)) {
            extend(n);
            pop(n);
        }
    }
}

void naive_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets)
{
    struct naive n = {.sets = sets};

    meaning_init(&n.m, trace, options);
    extend(&n);
}
