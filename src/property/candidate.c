/* Candidates as queries. */
#include "property/candidate.h"
#include "base/memory.h"
#include "property/named.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The first write to the variable after `e` in the trace, or EVENT_NONE. */
static event_id next_write(const struct model *m, variable_id x, event_id e)
{
    struct event_span accesses = accesses_of(m, x);
    size_t next = events_up_to(accesses.events, accesses.count, e);

    while (next < accesses.count && !kind_writes(kind_of(m, accesses.events[next])))
        next++;
    return next < accesses.count ? accesses.events[next] : EVENT_NONE;
}

static bool is_write_to(const struct model *m, event_id e, variable_id x)
{
    return kind_writes(kind_of(m, e)) && arg_of(m, e) == x;
}

/* Nothing before the outermost section around `e` has to move because `e` does. */
static void start_at(const struct model *m, struct query *q, event_id e)
{
    event_id start = outermost_start(m, e);

    q->start = start < q->start ? start : q->start;
}

/* A run that ends with a read of the initial value has no write to the variable before it. A cas may be in it that does
 * not write. */
static void leave_out_writes(const struct model *m, struct query *q, event_id read)
{
    const struct grouped_events *g = &m->writes;
    variable_id x = arg_of(m, read);

    for (uint32_t i = g->start ? g->start[x] : 0; g->start && i < g->start[x + 1]; i++) {
        event_id first = g->events[g->groups[i].first];
        uint32_t *most = &q->most[g->groups[i].thread];
        if (first != read && kind_of(m, first) != EVENT_CAS && m->position[first] < *most)
            *most = m->position[first];
    }
}

static void fill_nondet(const struct model *m, struct query *q, event_id read, event_id alternative)
{
    event_id after = next_write(m, arg_of(m, read), alternative);

    assert(m->source[read] != EVENT_NONE && m->source[read] != alternative);
    assert(alternative == EVENT_INIT || is_write_to(m, alternative, arg_of(m, read)));
    query_end_with(m, q, read);
    if (alternative != EVENT_INIT)
        query_contain(m, q, alternative);
    else
        leave_out_writes(m, q, read);
    q->read = read;
    q->from = alternative;
    if (model_may_carry(m, alternative, arg_of(m, read), model_seen(m, read))) {
        q->test = TEST_READ_NEW;
        q->test_read = read;
    }
    start_at(m, q, read);
    if (after != EVENT_NONE && after < read)
        start_at(m, q, after); /* must not come between */
}

static void fill_final(const struct model *m, struct query *q, event_id alternative)
{
    variable_id x = arg_of(m, alternative);
    event_id observed = model_last_write(m, x, m->event_count);

    assert(kind_writes(kind_of(m, alternative)) && observed != EVENT_INIT);
    for (thread_id t = 0; t < m->thread_count; t++)
        q->least[t] = q->most[t] = thread_length(m, t);
    q->final = alternative;
    if (model_may_carry(m, alternative, x, model_written(m, observed, x))) {
        q->test = TEST_WRITE_NEW;
        q->test_read = observed;
        q->test_write = alternative;
    }
    start_at(m, q, alternative);
}

/* A cas writes only if it is as observed. Of a block's accesses the first is, because its thread goes on. A remote
 * cas that writes is enough; otherwise, with `last`, the last access has to. */
static void fill_atomicity(const struct model *m, struct query *q, const uint32_t *events, bool last)
{
    assert(thread_of(m, events[0]) == thread_of(m, events[2]) && events[0] < events[2]);
    assert(thread_of(m, events[1]) != thread_of(m, events[0]));
    if (last || !kind_writes(kind_of(m, events[1])))
        query_write(m, q, events[2]);
    else if (!kind_writes(kind_of(m, events[0])) || !kind_writes(kind_of(m, events[2])) ||
             kind_of(m, events[2]) == EVENT_CAS)
        query_write(m, q, events[1]);
    query_end_with(m, q, events[2]);
    query_contain(m, q, events[0]);
    query_contain(m, q, events[1]);
    query_order(q, events[0], events[1]);
    query_order(q, events[1], events[2]);
    start_at(m, q, events[0]);
    start_at(m, q, events[1]);
}

/* What has to have happened when `e` comes next comes before `after`. */
static void order_after_base(const struct model *m, struct query *q, event_id e, event_id after)
{
    struct event_span required = is_thread_start(m, e) ? model_required(m, e) : (struct event_span){0};

    if (m->position[e] > 0)
        query_order(q, event_at(m, thread_of(m, e), m->position[e] - 1), after);
    for (size_t i = 0; i < required.count; i++)
        query_order(q, required.events[i], after);
}

/* The run stops before both. A cas that races with a read has to write, which it does only as observed: it is the
 * first event after the run. */
static void fill_race(const struct model *m, struct query *q, event_id a, event_id b)
{
    bool cas = (kind_of(m, a) == EVENT_CAS) != (kind_of(m, b) == EVENT_CAS) &&
               (!kind_writes(kind_of(m, a)) || !kind_writes(kind_of(m, b)));
    event_id first = kind_of(m, a) == EVENT_CAS ? a : b, other = first == a ? b : a;

    assert(thread_of(m, a) != thread_of(m, b) && arg_of(m, a) == arg_of(m, b));
    assert(kind_writes(kind_of(m, a)) || kind_writes(kind_of(m, b)));
    query_stop_before(m, q, cas ? other : a);
    if (cas) {
        query_end_with(m, q, first);
        query_write(m, q, first);
        q->end_next = true;
        order_after_base(m, q, other, first);
    } else {
        query_stop_before(m, q, b);
    }
    start_at(m, q, a);
    start_at(m, q, b);
}

/* The remote write must not carry a number that leaves the read as good as new. */
static void test_stale(const struct model *m, struct query *q, const uint32_t *events)
{
    struct ground by;

    q->test = TEST_UNLIKE;
    q->test_read = events[0];
    q->test_write = events[1];
    if (named_with_range(m, events[2], events[0], &by)) {
        q->test_ranges = by.ranges;
        q->test_range_count = by.range_count;
    }
}

/* The last write before the write that stands on the read is to be the remote one. */
static void fill_stale(const struct model *m, struct query *q, const uint32_t *events)
{
    assert(thread_of(m, events[0]) == thread_of(m, events[2]) && events[0] < events[2]);
    assert(is_write_to(m, events[1], arg_of(m, events[0])) && is_write_to(m, events[2], arg_of(m, events[0])));
    query_end_with(m, q, events[2]);
    query_contain(m, q, events[1]);
    query_write(m, q, events[1]);
    if (named_likeness(m, events[0], events[1], events[2]) != LIKENESS_OTHER)
        test_stale(m, q, events);
    query_order(q, events[0], events[1]);
    q->read = events[2];
    q->from = events[1];
    event_id after = next_write(m, arg_of(m, events[1]), events[1]);
    start_at(m, q, events[2]);
    if (events[1] > events[2] || events[1] < events[0])
        start_at(m, q, events[1]);
    if (events[1] < events[0])
        start_at(m, q, events[0]);
    if (after < events[2])
        start_at(m, q, after); /* must not come between */
}

enum status_at_end { AT_UNKNOWN, AT_EVENT, AT_END, AT_START };

/* Whether a thread of the trace without an event of its own is over or was not forked: as the thread that forks it
 * says. */
static enum status_at_end find_status(const struct model *m, enum status_at_end *status, const uint32_t *most,
                                      thread_id t)
{
    event_id e = m->fork_of[t];
    thread_id parent = e == EVENT_NONE ? t : m->trace->thread[e];

    if (status[t] != AT_UNKNOWN)
        return status[t];
    status[t] = AT_END; /* also where forks go round in a circle, which no trace has */
    if (e == EVENT_NONE)
        return status[t];
    switch (find_status(m, status, most, parent)) {
    case AT_EVENT:
        status[t] = m->position[e] < most[thread_of(m, e)] ? AT_END : AT_START;
        break;
    case AT_START:
        status[t] = AT_START;
        break;
    default:
        break;
    }
    return status[t];
}

/* Every thread stands before its event, is over, or was not forked. */
static void fill_stuck(const struct model *m, struct query *q, const uint32_t *events, uint32_t count)
{
    size_t threads = trace_names(m->trace, NAME_THREAD);
    enum status_at_end *status = memory_new(threads, sizeof *status);
    bool *open = memory_new(m->thread_count, sizeof *open); /* by lane: no event says where it stands */

    for (uint32_t i = 0; i < count; i++) {
        thread_id t = thread_of(m, events[i]);
        thread_id own = m->trace->thread[events[i]];
        assert(status[own] == AT_UNKNOWN); /* a thread stands at one event */
        q->least[t] = q->most[t] = m->position[events[i]];
        if (is_thread_start(m, events[i]) &&
            m->fork_of[own] != EVENT_NONE) /* what else it requires is what it waits for */
            query_contain(m, q, m->fork_of[own]);
        start_at(m, q, events[i]);
        status[own] = AT_EVENT;
    }
    for (thread_id t = 0; t < threads; t++) /* before a lane without an event gets its end */
        find_status(m, status, q->most, t);
    for (thread_id t = 0; t < m->thread_count; t++) {
        q->keep[t] = true;
        open[t] = q->most[t] == POSITION_END;
        q->most[t] = open[t] ? 0 : q->most[t];
    }
    for (thread_id t = 0; t < threads; t++)
        if (open[m->lane_of[t]] && status[t] == AT_END && q->most[m->lane_of[t]] < m->ends[t])
            q->least[m->lane_of[t]] = q->most[m->lane_of[t]] = m->ends[t];
    free(open);
    free(status);
}

/* A cycle of two transactions: both of its pairs of events, in that order. */
static void fill_cycle(const struct model *m, struct query *q, const uint32_t *edges)
{
    for (uint32_t i = 0; i < 4; i++) {
        query_contain(m, q, edges[i]);
        start_at(m, q, edges[i]);
    }
    query_order(q, edges[0], edges[1]);
    query_order(q, edges[2], edges[3]);
}

void candidate_fill(const struct model *m, struct query *q, enum property property, const uint32_t *events,
                    uint32_t count)
{
    assert(property < PROPERTIES && count > 0);
    q->start = EVENT_NONE;
    switch (property) {
    case PROPERTY_NONDET:
        fill_nondet(m, q, events[0], events[1]);
        break;
    case PROPERTY_FINAL:
        fill_final(m, q, events[0]);
        break;
    case PROPERTY_ATOMICITY:
        fill_atomicity(m, q, events, false);
        break;
    case PROPERTY_STALE:
        fill_stale(m, q, events);
        break;
    case PROPERTY_STUCK:
        fill_stuck(m, q, events, count);
        break;
    case PROPERTY_DETERMINISM:
    case PROPERTY_SERIALIZABILITY:
        fill_cycle(m, q, events + 2);
        break;
    case PROPERTY_RACE:
        fill_race(m, q, events[0], events[1]);
        break;
    default: /* a deadlock's run stops before its events */
        for (uint32_t i = 0; i < count; i++) {
            assert(q->most[thread_of(m, events[i])] == POSITION_END); /* each of another thread */
            query_stop_before(m, q, events[i]);
            start_at(m, q, events[i]);
        }
    }
}

bool candidate_has_other_way(const struct model *m, enum property property, const uint32_t *events)
{
    return property == PROPERTY_ATOMICITY && kind_of(m, events[1]) == EVENT_CAS &&
           kind_of(m, events[2]) == EVENT_CAS && kind_writes(kind_of(m, events[0]));
}

void candidate_fill_other_way(const struct model *m, struct query *q, const uint32_t *events)
{
    q->start = EVENT_NONE;
    fill_atomicity(m, q, events, true);
}

static enum status refuse(struct error *err, const char *why)
{
    return fail(err, HEDDLE_BAD_USAGE, "%s", why);
}

static bool is_access(const struct model *m, uint32_t e)
{
    return kind_accesses(kind_of(m, e));
}

static enum status check_pair(const struct model *m, const uint32_t *events, struct error *err)
{
    uint32_t a = events[0], b = events[1];

    if (!is_access(m, a) || !is_access(m, b) || arg_of(m, a) != arg_of(m, b))
        return refuse(err, "these are not two accesses of one variable");
    if (thread_of(m, a) == thread_of(m, b))
        return refuse(err, "these are accesses of one thread");
    if (!kind_writes(kind_of(m, a)) && !kind_writes(kind_of(m, b)))
        return refuse(err, "neither of these writes");
    return HEDDLE_OK;
}

static enum status check_read(const struct model *m, const uint32_t *events, struct error *err)
{
    if (events[0] == EVENT_INIT || !kind_reads(kind_of(m, events[0])))
        return refuse(err, "the first event is not a read");
    if (events[1] != EVENT_INIT &&
        (!kind_writes(kind_of(m, events[1])) || arg_of(m, events[0]) != arg_of(m, events[1])))
        return refuse(err, "the second event is not a write to the variable that the first one reads");
    if (events[1] == m->source[events[0]])
        return refuse(err, "that is the write which the read saw");
    return HEDDLE_OK;
}

/* Two accesses of one thread and one of another, of a variable. */
static enum status check_three(const struct model *m, const uint32_t *events, struct error *err)
{
    if (!is_access(m, events[0]) || !is_access(m, events[1]) || !is_access(m, events[2]) ||
        arg_of(m, events[0]) != arg_of(m, events[1]) || arg_of(m, events[0]) != arg_of(m, events[2]))
        return refuse(err, "these are not three accesses of one variable");
    if (thread_of(m, events[0]) != thread_of(m, events[2]))
        return refuse(err, "the first and the last event are not of one thread");
    if (events[0] >= events[2])
        return refuse(err, "the last event does not come after the first in its thread");
    if (thread_of(m, events[1]) == thread_of(m, events[0]))
        return refuse(err, "these are accesses of one thread");
    return HEDDLE_OK;
}

static enum status check_stale(const struct model *m, const uint32_t *events, struct error *err)
{
    struct named_reads named;

    if (check_three(m, events, err) != HEDDLE_OK)
        return err->status;
    if (!kind_reads(kind_of(m, events[0])) || !kind_writes(kind_of(m, events[1])) ||
        !kind_writes(kind_of(m, events[2])))
        return refuse(err, "these are not a read and two writes");
    named = named_reads(m, events[2]);
    if ((named.count < 1 || named.reads[0] != events[0]) && (named.count < 2 || named.reads[1] != events[0]))
        return refuse(err, "the trace does not say that the last write depends on the read");
    return HEDDLE_OK;
}

static bool can_wait(const struct model *m, event_id e)
{
    switch (kind_of(m, e)) {
    case EVENT_ACQUIRE:
    case EVENT_SHARED_ACQUIRE:
    case EVENT_SEM_WAIT:
    case EVENT_WAIT_POST:
    case EVENT_BARRIER_EXIT:
    case EVENT_JOIN:
        return true;
    default:
        return false;
    }
}

static enum status check_atomicity(const struct model *m, const uint32_t *events, struct error *err)
{
    if (check_three(m, events, err) != HEDDLE_OK)
        return err->status;
    if (!kind_writes(kind_of(m, events[1])) &&
        !(kind_writes(kind_of(m, events[0])) && kind_writes(kind_of(m, events[2]))))
        return refuse(err, "these have the effect of some serial order");
    return HEDDLE_OK;
}

/* The events of a deadlock or of a stuck run, each of another thread. */
static enum status check_waiting(const struct model *m, enum property property, const uint32_t *events,
                                 uint32_t count, struct error *err)
{
    if (property == PROPERTY_DEADLOCK && count < 2)
        return refuse(err, "the wrong number of events for that property");
    for (uint32_t i = 0; i < count; i++) {
        if (property == PROPERTY_DEADLOCK &&
            (kind_of(m, events[i]) != EVENT_ACQUIRE || m->position[events[i]] == 0))
            return refuse(err, "a deadlock's events take locks while their threads hold others");
        if (property == PROPERTY_STUCK && !can_wait(m, events[i]))
            return refuse(err, "a stuck run's events are those at which threads wait");
        for (uint32_t k = 0; k < i; k++)
            if (m->trace->thread[events[i]] == m->trace->thread[events[k]])
                return refuse(err, "these are not events of different threads");
    }
    return HEDDLE_OK;
}

enum status candidate_check(const struct model *m, enum property property, const uint32_t *events,
                            uint32_t count, struct error *err)
{
    static const uint32_t wanted[PROPERTIES] = {
        [PROPERTY_NONDET] = 2,    [PROPERTY_FINAL] = 1, [PROPERTY_RACE] = 2,
        [PROPERTY_ATOMICITY] = 3, [PROPERTY_STALE] = 3,
    };

    for (uint32_t i = 0; i < count; i++)
        if (events[i] > m->event_count || (events[i] == EVENT_INIT && !(property == PROPERTY_NONDET && i == 1)))
            return fail(err, HEDDLE_BAD_USAGE, "there is no event %u in the trace", events[i]);
    if (property == PROPERTY_DEADLOCK || property == PROPERTY_STUCK)
        return check_waiting(m, property, events, count, err);
    if (wanted[property] == 0)
        return refuse(
            err,
            "only nondet, final, race, deadlock, stuck, atomicity and stale candidates can be named by events");
    if (count != wanted[property])
        return refuse(err, "the wrong number of events for that property");
    if (property == PROPERTY_NONDET)
        return check_read(m, events, err);
    if (property == PROPERTY_RACE)
        return check_pair(m, events, err);
    if (property == PROPERTY_FINAL && !kind_writes(kind_of(m, events[0])))
        return refuse(err, "the event is not a write");
    if (property == PROPERTY_STALE)
        return check_stale(m, events, err);
    return property == PROPERTY_ATOMICITY ? check_atomicity(m, events, err) : HEDDLE_OK;
}
