/* All feasible runs, one by one: no state, no memory, no shortcuts. */
#include "random/naive.h"
#include "random/oracle_meaning.h"

struct naive {
    struct meaning m;
    struct oracle_sets *sets;
    size_t run[EVENT_SLOTS];
    size_t length;
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

/* The write that the read at place `at` reads from. */
static size_t source(const struct naive *n, size_t at)
{
    for (size_t i = at; i-- > 0;) {
        if (has_event(n->m.writes_beside[n->run[at]], n->run[i]))
            return n->run[i];
    }
    return EVENT_INIT;
}

static bool reads_new(const struct naive *n, size_t at)
{
    size_t from = source(n, at);

    if (!has_event(n->m.keeps[n->run[at]], from))
        return true;
    return from != EVENT_INIT && kind_updates(kind_of(&n->m, from)) && reads_new(n, place(n, from));
}

static void note_nondeterminism(struct naive *n)
{
    size_t last = n->length - 1;

    if (kind_reads(kind_of(&n->m, n->run[last])) && reads_new(n, last) &&
        source(n, last) != n->m.rf[n->run[last]])
        tuples_add2(&n->sets->of[ORACLE_NONDET], n->run[last], source(n, last));
}

static void note_final_state(struct naive *n)
{
    const struct meaning *m = &n->m;

    if (n->length < m->count)
        return;
    for (size_t e = 1; e <= m->count; e++) {
        size_t observed = 0, now = 0;

        if (!kind_accesses(kind_of(m, e)))
            continue;
        for (size_t i = 1; i <= m->count; i++) {
            if (has_event(m->writes_beside[e], i))
                observed = i;
            if (has_event(m->writes_beside[e], n->run[i - 1]))
                now = n->run[i - 1];
        }
        if (now != observed)
            tuples_add3(&n->sets->of[ORACLE_FINAL], observed, now, m->trace->arg[e]);
    }
}

/* All predecessors of the event have run, and those of its thread that read keep what they read. */
static bool race_enabled(const struct naive *n, size_t event)
{
    if (in_run(n, event))
        return false;
    for (size_t e = 1; e <= n->m.count; e++) {
        bool before_in_thread = e < event && n->m.thread[e] == n->m.thread[event];

        if ((before_in_thread || has_event(n->m.requires[event], e)) && !in_run(n, e))
            return false;
        if (before_in_thread && kind_reads(kind_of(&n->m, e)) && reads_new(n, place(n, e)))
            return false;
    }
    return true;
}

static void note_races(struct naive *n)
{
    for (size_t a = 1; a <= n->m.count; a++) {
        for (size_t b = a + 1; b <= n->m.count; b++) {
            if (meaning_conflict(&n->m, a, b) && race_enabled(n, a) && race_enabled(n, b))
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
           op_order(n->m.trace->op[next]) != ORDER_TRY &&
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

static void note_deadlocks(struct naive *n)
{
    for (size_t i = 0; i < n->length; i++) {
        if (kind_reads(kind_of(&n->m, n->run[i])) && reads_new(n, i))
            return;
    }
    for (uint64_t threads = 1; threads < one_event(n->m.thread_count); threads++) {
        struct tuple tuple = {0};

        if (!wait_in_a_cycle(n, threads))
            continue;
        for (size_t e = 1; e <= n->m.count; e++) {
            if (has_event(threads, n->m.thread[e]) && next_of(n, n->m.thread[e]) == e)
                tuple.item[tuple.length++] = (uint32_t)e;
        }
        tuples_add(&n->sets->of[ORACLE_DEADLOCK], &tuple);
    }
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
                meaning_unserializable(m, a, b, c))
                tuples_add3(&n->sets->of[ORACLE_ATOMICITY], a, b, c);
        }
    }
}

static void extend(struct naive *n)
{
    if (n->length > 0) {
        note_nondeterminism(n);
        note_atomicity(n);
    }
    note_final_state(n);
    note_races(n);
    note_deadlocks(n);
    for (size_t e = 1; e <= n->m.count; e++) {
        if (in_run(n, e))
            continue;
        n->run[n->length] = e;
        if (meaning_run_feasible(&n->m, n->run, n->length + 1)) {
            n->length++;
            extend(n);
            n->length--;
        }
    }
}

void naive_compute(const struct trace *trace, struct oracle_options options, struct oracle_sets *sets)
{
    struct naive n = {.sets = sets};

    meaning_init(&n.m, trace, options);
    extend(&n);
}
