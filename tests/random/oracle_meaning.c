/* semantics §1 on a small trace: threads, reads-from and required predecessors, each found by looking back. */
#include "random/oracle_meaning.h"

#include <assert.h>
#include <string.h>

static void number_threads(struct meaning *m)
{
    size_t length[EVENT_SLOTS] = {0};

    for (size_t e = 1; e <= m->count; e++) {
        size_t t = m->thread_count;

        for (size_t earlier = 1; earlier < e; earlier++) {
            if (m->trace->thread[earlier] == m->trace->thread[e])
                t = m->thread[earlier];
        }
        if (t == m->thread_count)
            m->thread_count++;
        m->thread[e] = (uint8_t)t;
        m->by_thread[t][length[t]++] = (uint8_t)e;
        m->of_thread[t] |= one_event(e);
        if (kind_of(m, e) == EVENT_EXIT)
            m->exit_of[t] = e;
    }
}

static void number_variables(struct meaning *m)
{
    uint8_t variables = 0;

    for (size_t e = 1; e <= m->count; e++) {
        size_t same = e;

        if (!kind_accesses(kind_of(m, e)))
            continue;
        for (size_t earlier = e - 1; earlier > 0; earlier--) {
            if (names_the(m, earlier, NAME_VARIABLE, m->trace->arg[e]))
                same = earlier;
        }
        assert(variables < OBJECTS);
        m->variable[e] = same < e ? m->variable[same] : variables++;
    }
}

static void match_accesses(struct meaning *m)
{
    for (size_t e = 1; e <= m->count; e++) {
        if (!kind_accesses(kind_of(m, e)))
            continue;
        if (kind_reads(kind_of(m, e)))
            m->reads |= one_event(e);
        if (kind_of(m, e) == EVENT_CAS)
            m->cas |= one_event(e);
        for (size_t other = 1; other <= m->count; other++) {
            if (!names_the(m, other, NAME_VARIABLE, m->trace->arg[e]))
                continue;
            if (kind_reads(kind_of(m, other)))
                m->reads_beside[e] |= one_event(other);
            if (!kind_writes(kind_of(m, other)))
                continue;
            m->writes_beside[e] |= one_event(other);
            if (other < e)
                m->rf[e] = other;
        }
    }
}

static void match_idle_thread(struct meaning *m, thread_id thread)
{
    event_set forks = 0, joins = 0;

    for (size_t e = 1; e <= m->count; e++) {
        if (!names_the(m, e, NAME_THREAD, thread))
            continue;
        if (kind_of(m, e) == EVENT_FORK)
            forks |= one_event(e);
        else
            joins |= one_event(e);
    }
    if (!joins)
        m->idle_forks |= forks;
}

static void match_thread(struct meaning *m, thread_id thread)
{
    size_t first = 0, last = 0;

    for (size_t e = 1; e <= m->count; e++) {
        if (m->trace->thread[e] != thread)
            continue;
        if (!first)
            first = e;
        last = e;
    }
    if (!first) {
        match_idle_thread(m, thread); /* it starts and ends without an event that could be ordered */
        return;
    }
    for (size_t e = 1; e <= m->count; e++) {
        if (!names_the(m, e, NAME_THREAD, thread))
            continue;
        if (kind_of(m, e) == EVENT_FORK) {
            m->requires[first] |= one_event(e);
            m->forked_by[m->thread[first]] = e;
        } else {
            m->requires[e] |= one_event(last);
            m->joins_thread[e] = 1 + (size_t)m->thread[last];
            m->joined_by[m->thread[last]] |= one_event(e);
        }
    }
}

static void match_barrier(struct meaning *m, uint32_t barrier)
{
    event_set members[EVENT_SLOTS] = {0}; /* of each generation */
    size_t generation_of[EVENT_SLOTS] = {0};
    size_t open = 0;

    for (size_t e = 1; e <= m->count; e++) {
        size_t t = m->thread[e];

        if (!names_the(m, e, NAME_BARRIER, barrier))
            continue;
        if (kind_of(m, e) == EVENT_BARRIER_ENTER) {
            members[open] |= one_event(e);
            generation_of[t] = open;
            continue;
        }
        /* Nobody enters a closed generation, so its members are all known here. */
        m->requires[e] |= members[generation_of[t]];
        if (generation_of[t] == open)
            open++;
    }
}

static void match_argument(struct meaning *m, enum name_class class, uint32_t arg)
{
    switch (class) {
    case NAME_THREAD:
        match_thread(m, arg);
        break;
    case NAME_LOCK:
        meaning_sections(m, arg);
        break;
    case NAME_CONDITION:
        meaning_condition(m, arg);
        break;
    case NAME_BARRIER:
        match_barrier(m, arg);
        break;
    case NAME_SEMAPHORE:
        meaning_semaphore(m, arg);
        break;
    default:
        break;
    }
}

/* Each object is dealt with once, at its first event. */
static void match_arguments(struct meaning *m)
{
    for (size_t e = 1; e <= m->count; e++) {
        enum name_class class = kind_argument(kind_of(m, e));
        bool seen = false;

        for (size_t earlier = 1; earlier < e; earlier++)
            seen |= names_the(m, earlier, class, m->trace->arg[e]);
        if (!seen)
            match_argument(m, class, m->trace->arg[e]);
    }
    for (size_t e = 1; e <= m->count; e++)
    m->observed_after[e] |= m->requires[e];
}

/* Whatever a read sees, its thread goes on; so states need not tell last writes apart. */
static void forget_data(struct meaning *m)
{
    for (size_t e = 1; e <= m->count; e++)
        m->writes_beside[e] = m->by[e] = m->by_ranges[e] = 0;
    m->cas = 0;
}

void meaning_init(struct meaning *m, const struct trace *trace, struct oracle_options options)
{
    assert(trace->count <= ORACLE_EVENTS);

    memset(m, 0, sizeof *m);
    m->trace = trace;
    m->options = options;
    m->count = trace->count;
    number_threads(m);
    number_variables(m);
    match_accesses(m);
    match_arguments(m);
    meaning_blocks(m, options.atomic_locks);
    meaning_grounds(m);
    meaning_values(m);
    if (options.ignore_data)
        forget_data(m);
}

bool meaning_conflict(const struct meaning *m, size_t a, size_t b)
{
    enum event_kind ka = kind_of(m, a), kb = kind_of(m, b);

    return kind_accesses(ka) && kind_accesses(kb) && m->trace->arg[a] == m->trace->arg[b] &&
           m->thread[a] != m->thread[b] && (kind_writes(ka) || kind_writes(kb)) &&
           !(kind_atomic(ka) && kind_atomic(kb));
}
