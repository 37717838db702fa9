/* What a trace means: who read from whom, who held which lock, what must come before what.
 *
 * Built once, in one pass and two sweeps for the clocks; immutable afterwards, so any number of workers may
 * read it.
 *
 * Glossary
 *   event         numbered as in the trace, 1 … n; 0 is the initial write of every variable
 *   position      an event's index in its own thread, from 0
 *   source        of a read: the write it reads from in the observed run (SPEC: rf)
 *   couple        a read and its source
 *   soft          of a read, where values count: another write than its source carries the value it saw
 *   section       of a lock: from an acquire that takes it to the release that gives it back; re-entrant inner
 *                 pairs make no section
 *   hold          a section that is open at some point, linked to those opened before it and still open
 *   required      predecessors of an event besides program order (SPEC §1)
 *   generation    the threads that pass a barrier together
 *   must-order    what every feasible run keeps: the closure of program order, required predecessors and
 *                 couples; the couple of a thread's last read binds only who reads from it
 *   epoch         a stretch of a thread's events with the same must-order clock
 *   cut           a number of events for each thread: a prefix of each
 *   cone          the events a query cannot do without
 *   schedule      event numbers of a feasible run (SPEC §2), in order: first a prefix of the trace, then a tail
 *   candidate     events that a property may hold of; a finding when a schedule shows that it does
 *   query         a candidate as the solver is asked: what a run holds, leaves out, and in which order
 *   window        the stretch of the trace that a query is solved on; its events are nodes there
 *   block         from begin to end: what is meant to be atomic, or deterministic
 *   scope         of a lock: a section, or of several nested ones the outermost
 *   place         a source location, as a trace names it */
#pragma once
#include "trace/trace.h"

typedef uint32_t event_id;

#define EVENT_NONE   UINT32_MAX
#define SECTION_NONE UINT32_MAX
#define HOLD_NONE    UINT32_MAX
#define POSITION_END UINT32_MAX /* after every event of a thread */

struct section {
    event_id acquire;
    event_id release; /* EVENT_NONE: still held when the trace ended */
    thread_id owner;
    bool shared;
};

struct hold {
    uint32_t section;
    uint32_t outer; /* the hold below it, or HOLD_NONE */
};

struct epoch {
    uint32_t at;  /* forward: the first position of the stretch; backward: the last */
    uint32_t row; /* which row of the clock table */
};

/* One direction of must-order: per thread its epochs in order of position, per epoch a row of one number a
 * thread. */
struct clocks {
    struct epoch_list {
        struct epoch *epochs;
        size_t epochs_count, epochs_capacity;
    } * threads;
    uint32_t *rows;
    size_t rows_count, rows_capacity; /* in numbers, not rows */
};

struct known_value {
    enum value_tag tag; /* VALUE_NONE: not known */
    uint64_t number;
};

struct event_span {
    const event_id *events;
    size_t count;
};

struct model {
    const struct trace *trace;
    uint32_t event_count, thread_count, variable_count, lock_count;

    uint32_t *thread_start;  /* thread_count + 1: where each thread begins in thread_events */
    event_id *thread_events; /* all events, thread by thread */
    uint32_t *position;      /* by event */
    event_id *source;        /* by event; EVENT_NONE for what does not read */
    uint32_t *access_start;  /* variable_count + 1 */
    event_id *accesses;      /* all accesses, variable by variable, in trace order */

    uint32_t *section_of; /* by event: the section that an acquire opens or a release closes, or SECTION_NONE */
    struct section *sections; /* lock by lock, in the order they were entered */
    uint32_t *section_start;  /* lock_count + 1 */
    struct hold *holds;
    size_t holds_count, holds_capacity;
    struct hold_change { /* from this position on, the thread's innermost hold is … */
        uint32_t at, hold;
    } * *hold_changes; /* by thread */
    size_t *hold_change_count;

    struct requirement { /* sorted by event */
        event_id event;
        uint32_t first, count; /* in required_events */
    } * requirements;
    size_t requirements_count, requirements_capacity;
    event_id *required_events;
    size_t required_events_count, required_events_capacity;

    uint8_t *
        soft; /* a bit an event, NULL unless values count: reads that may see another write of the same value */
    struct known_value *initial_values; /* by variable; with `soft` */

    struct clocks forward;  /* row[u]: how many events of u must come before */
    struct clocks backward; /* row[u]: the first position in u of what must come after, or POSITION_END */
};

/* Fails only on traces too large for 32-bit event numbers. The trace must outlive the model. */
enum status model_build(struct model *m, const struct trace *trace, struct error *err);
void model_free(struct model *m);

/* The same where a read may go on when it sees the value it saw (--same-value): couples of soft reads order
 * nothing. The trace must record values. */
enum status model_build_same_value(struct model *m, const struct trace *trace, struct error *err);

/* Whether the read could as well have seen the write. Models of the latter kind only. */
bool model_same_value(const struct model *m, event_id write, event_id read);

/* What `e` requires besides its program-order predecessor. O(log). */
struct event_span model_required(const struct model *m, event_id e);

/* How many events of a thread are among the first `number` of the trace. O(log). */
uint32_t thread_count_up_to(const struct model *m, thread_id thread, event_id number);

/* The last write to the variable among the first `number` events of the trace, or EVENT_INIT. O(log). */
event_id model_last_write(const struct model *m, variable_id x, event_id number);

/* The innermost hold of a thread after its first `position` events, or HOLD_NONE. O(log). */
uint32_t model_hold_at(const struct model *m, thread_id thread, uint32_t position);

/* The epoch a position lies in; the clock rows at a position of a thread. O(log epochs). */
const struct epoch *clocks_forward_epoch(const struct model *m, thread_id thread, uint32_t position);
const uint32_t *clocks_forward_row(const struct model *m, thread_id thread, uint32_t position);
const uint32_t *clocks_backward_row(const struct model *m, thread_id thread, uint32_t position);

static inline thread_id thread_of(const struct model *m, event_id e)
{
    return m->trace->thread[e];
}

static inline enum event_kind kind_of(const struct model *m, event_id e)
{
    return op_kind(m->trace->op[e]);
}

static inline uint32_t arg_of(const struct model *m, event_id e)
{
    return m->trace->arg[e];
}

static inline uint32_t thread_length(const struct model *m, thread_id thread)
{
    return m->thread_start[thread + 1] - m->thread_start[thread];
}

static inline event_id event_at(const struct model *m, thread_id thread, uint32_t position)
{
    return m->thread_events[m->thread_start[thread] + position];
}

static inline bool is_soft(const struct model *m, event_id read)
{
    return m->soft && m->soft[read / 8] >> read % 8 & 1;
}

/* Whether the thread of `e` has no further event in the trace. */
static inline bool is_thread_end(const struct model *m, event_id e)
{
    return m->position[e] + 1 == thread_length(m, thread_of(m, e));
}

static inline struct event_span accesses_of(const struct model *m, variable_id x)
{
    return (struct event_span){m->accesses + m->access_start[x], m->access_start[x + 1] - m->access_start[x]};
}

/* How many of the events, which ascend, are among the first `number` of the trace. O(log). */
static inline size_t events_up_to(const event_id *events, size_t count, event_id number)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (events[middle] <= number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static inline lock_id section_lock(const struct model *m, const struct section *s)
{
    return m->trace->arg[s->acquire];
}

/* Whether a must come before b, both events of the trace, a ≠ b. */
static inline bool must_before(const struct model *m, event_id a, event_id b)
{
    if (thread_of(m, a) == thread_of(m, b))
        return m->position[a] < m->position[b];
    return clocks_forward_row(m, thread_of(m, b), m->position[b])[thread_of(m, a)] > m->position[a];
}
