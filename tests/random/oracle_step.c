/* One step of a run, and what it takes: the conditions of semantics §2 for the next event of a thread. */
#include "random/oracle_step.h"
#include "base/memory.h"

#include <assert.h>
#include <string.h>

size_t state_next(const struct meaning *m, const struct run_state *s, size_t thread)
{
    return m->by_thread[thread][__builtin_popcountll(s->done & m->of_thread[thread])];
}

bool state_section_open(const struct meaning *m, const struct run_state *s, size_t section)
{
    size_t end = m->section_end[section];

    return has_event(s->done, section) && !(end && has_event(s->done, end));
}

size_t state_source(const struct meaning *m, const struct run_state *s, size_t access)
{
    event_set last = s->last & m->writes_beside[access];

    return last ? first_event(last) : EVENT_INIT;
}

struct oracle_value state_carried(const struct search *search, const struct run_state *s, size_t access)
{
    return search->values[s->carried[search->m->variable[access]]];
}

bool state_as_observed(const struct search *search, const struct run_state *s, size_t read)
{
    return meaning_as_observed(search->m, read, state_source(search->m, s, read),
                               state_carried(search, s, read));
}

/* A cas that is not as observed ends its thread. */
static bool failed_cas(const struct meaning *m, const struct run_state *s, size_t thread)
{
    return (m->cas & m->of_thread[thread] & s->done & ~s->observed) != 0;
}

static bool ranges_hold(const struct search *search, const struct run_state *s, size_t event)
{
    struct ground_list list = trace_by(search->m->trace, (uint32_t)event);

    for (uint32_t i = 0; i < list.count; i++) {
        struct ground item = ground_at(&list, i);
        struct oracle_value seen = search->values[s->seen[item.read]];

        if (!has_event(s->observed, item.read) &&
            !(item.form == GROUND_RANGES && seen.kind == VALUE_NUMBER && ground_allows(&item, seen.number)))
            return false;
    }
    return true;
}

bool state_grounded(const struct search *search, const struct run_state *s, size_t event)
{
    const struct meaning *m = search->m;

    return !failed_cas(m, s, m->thread[event]) && (m->by[event] & ~s->observed) == 0 &&
           (!m->by_ranges[event] || ranges_hold(search, s, event));
}

bool state_ended(const struct meaning *m, const struct run_state *s, size_t thread)
{
    if (m->of_thread[thread] & ~s->done)
        return false;
    return m->exit_of[thread] || (m->of_thread[thread] & m->reads & ~s->observed) == 0;
}

/* Whether a lock is held that excludes the acquire. */
static bool lock_taken(const struct meaning *m, const struct run_state *s, size_t acquire)
{
    for (event_set rest = m->section_rivals[acquire] & s->done; rest; rest &= rest - 1) {
        if (state_section_open(m, s, first_event(rest)))
            return true;
    }
    return false;
}

static bool has_token(const struct meaning *m, const struct run_state *s, size_t semwait)
{
    uint64_t posts = (uint64_t)__builtin_popcountll(m->posts_beside[semwait] & s->done);

    return posts + m->tokens[semwait] > (uint64_t)__builtin_popcountll(m->semwaits_beside[semwait] & s->done);
}

/* The sets of waiters, of all that may have been served, that have this one: every 2nd bit, every 2nd pair … */
static uint64_t sets_with(uint64_t sets, size_t waiter)
{
    static const uint64_t having[WAITERS] = {0xaaaaaaaaaaaaaaaa, 0xcccccccccccccccc, 0xf0f0f0f0f0f0f0f0,
                                             0xff00ff00ff00ff00, 0xffff0000ffff0000, 0xffffffff00000000};

    return sets & having[waiter];
}

static bool has_notify(const struct meaning *m, const struct run_state *s, size_t event)
{
    const struct woken_wait *wait = &m->waits[m->wait_ended[event] - 1];

    return sets_with(s->served[wait->condition], wait->waiter) != 0;
}

/* How the thread stands whose next event has all of condition 4: conditions 2 and 3. */
static enum thread_status event_status(const struct meaning *m, const struct run_state *s, size_t event)
{
    bool waits = op_order(m->trace->op[event]) != ORDER_TRY;

    switch (kind_of(m, event)) {
    case EVENT_TRY_FAIL:
        return !m->tryfail_section[event] || state_section_open(m, s, m->tryfail_section[event])
                   ? THREAD_READY
                   : THREAD_ASTRAY;
    case EVENT_JOIN:
        return !m->joins_thread[event] || state_ended(m, s, m->joins_thread[event] - 1) ? THREAD_READY
                                                                                        : THREAD_WAITING;
    case EVENT_BARRIER_EXIT:
        return m->requires
        [event] & ~s->done ? THREAD_WAITING : THREAD_READY;
    case EVENT_POST:
        return m->seminit[event] & ~s->done ? THREAD_ASTRAY : THREAD_READY;
    case EVENT_SEM_WAIT:
        if (m->seminit[event] & ~s->done)
            return THREAD_ASTRAY;
        return has_token(m, s, event) ? THREAD_READY : THREAD_WAITING;
    default:
        if (lock_taken(m, s, event) || (m->wait_ended[event] && !has_notify(m, s, event)))
            return waits ? THREAD_WAITING : THREAD_ASTRAY;
        return THREAD_READY;
    }
}

enum thread_status state_status(const struct search *search, const struct run_state *s, size_t thread)
{
    const struct meaning *m = search->m;
    size_t event = state_next(m, s, thread);

    if (m->forked_by[thread] && !has_event(s->done, m->forked_by[thread]))
        return THREAD_UNFORKED;
    if (!event)
        return THREAD_FINISHED;
    if (!state_grounded(search, s, event))
        return THREAD_OFF;
    return event_status(m, s, event);
}

static uint8_t value_id(struct search *search, struct oracle_value value)
{
    for (size_t id = 0; id < search->values_count; id++) {
        if (search->values[id].kind == value.kind && search->values[id].number == value.number)
            return (uint8_t)id;
    }
    ARRAY_PUSH(search, values, value);
    assert(search->values_count <= UINT8_MAX);
    return (uint8_t)(search->values_count - 1);
}

/* What the write carries when it comes next; its own read, if it has one, is in `s` already. */
static struct oracle_value carried_by(const struct search *search, const struct run_state *s, size_t write)
{
    const struct meaning *m = search->m;
    size_t sum_of = m->from_sum[write];

    if (sum_of) {
        struct oracle_value sum = meaning_sum(m, write, search->values[s->seen[sum_of]]);
        if (value_known(sum))
            return sum;
    }
    return m->from[write] & ~s->observed ? (struct oracle_value){VALUE_NEW, 0} : m->wrote[write];
}

static void do_access(struct search *search, struct run_state *s, size_t e)
{
    const struct meaning *m = search->m;

    if (kind_reads(kind_of(m, e))) {
        size_t source = state_source(m, s, e);
        struct oracle_value carried = state_carried(search, s, e);

        s->seen[e] = value_id(search, meaning_seen(m, e, source, carried));
        if (meaning_as_observed(m, e, source, carried))
            s->observed |= one_event(e);
    }
    bool failed = has_event(m->cas, e) && !has_event(s->observed, e);
    if (kind_writes(kind_of(m, e)) && !failed && !m->options.ignore_data) {
        s->carried[m->variable[e]] = value_id(search, carried_by(search, s, e));
        s->last = (s->last & ~m->writes_beside[e]) | one_event(e);
    }
}

/* Adds to each set of served waiters each set of waiters that may be served now. */
static void serve(const struct meaning *m, struct run_state *s, size_t notify)
{
    uint32_t condition = m->notifies[notify] - 1;
    uint64_t now = s->served[condition], after = now;
    size_t waiting = 0;

    for (size_t i = 0; i < m->wait_count; i++) {
        const struct woken_wait *wait = &m->waits[i];
        if (wait->condition == condition && has_event(s->done, wait->begin) && !has_event(s->done, wait->end))
            waiting |= (size_t)1 << wait->waiter;
    }
    for (size_t more = waiting; more > 0; more = (more - 1) & waiting) {
        bool one = (more & (more - 1)) == 0;
        for (uint64_t sets = one || kind_of(m, notify) == EVENT_NOTIFY_ALL ? now : 0; sets; sets &= sets - 1)
            after |= (uint64_t)1 << ((size_t)__builtin_ctzll(sets) | more);
    }
    s->served[condition] = after;
}

/* The waiter goes on, served. */
static void end_wait(const struct meaning *m, struct run_state *s, size_t event)
{
    const struct woken_wait *wait = &m->waits[m->wait_ended[event] - 1];
    uint64_t sets = sets_with(s->served[wait->condition], wait->waiter);

    s->served[wait->condition] = sets >> ((size_t)1 << wait->waiter); /* each set without the waiter */
}

/* Runs that differ only in what nobody asks for any more are the same. */
static void forget(const struct search *search, struct run_state *s)
{
    for (event_set rest = search->m->reads & s->done; rest; rest &= rest - 1) {
        size_t read = first_event(rest);

        if (!has_event(search->kept, read) && (search->observers[read] & ~s->done) == 0)
            s->observed |= one_event(read);
        if ((search->measurers[read] & ~s->done) == 0 && !has_event(search->watched, read))
            s->seen[read] = 0;
    }
}

struct run_state state_after(struct search *search, const struct run_state *s, size_t event)
{
    const struct meaning *m = search->m;
    struct run_state after = *s;

    after.done |= one_event(event);
    if (kind_accesses(kind_of(m, event)))
        do_access(search, &after, event);
    if (m->notifies[event])
        serve(m, &after, event);
    if (m->wait_ended[event])
        end_wait(m, &after, event);
    forget(search, &after);
    return after;
}

/* Whose condition 4 or value depends on the read. */
static void find_observers(struct search *search)
{
    const struct meaning *m = search->m;

    memset(search->observers, 0, sizeof search->observers);
    memset(search->measurers, 0, sizeof search->measurers);
    for (size_t e = 1; e <= m->count; e++) {
        for (event_set rest = m->by[e] | m->named_by[e] | m->from[e]; rest; rest &= rest - 1)
            search->observers[first_event(rest)] |= one_event(e);
        for (event_set rest = m->by_ranges[e] ? m->named_by[e] : 0; rest; rest &= rest - 1)
            search->measurers[first_event(rest)] |= one_event(e);
        search->measurers[m->from_sum[e]] |= one_event(e);
    }
    search->kept = m->cas;
    for (size_t t = 0; t < m->thread_count; t++) {
        if (!m->exit_of[t] && m->joined_by[t])
            search->kept |= m->of_thread[t] & m->reads;
    }
}

struct run_state state_first(struct search *search)
{
    struct run_state s = {0};

    search->values_count = 0;
    value_id(search, (struct oracle_value){VALUE_NEW, 0}); /* id 0 */
    for (size_t x = 0; x < OBJECTS; x++)
        s.carried[x] = value_id(search, search->m->initial[x]);
    for (size_t c = 0; c < OBJECTS; c++)
        s.served[c] = 1; /* nobody */
    find_observers(search);
    return s;
}
