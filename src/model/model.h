/* The meaning of a trace: which read saw which write, which thread held which lock, what must come before
 * what.
 *
 * Built once, by one or two threads; immutable afterwards, so any number of workers may read it.
 *
 * Glossary
 *   event         numbered as in the trace, 1 … n; 0 is the initial write of every variable
 *   lane          threads whose lives cannot overlap in any run, one after the other. To the model, and to all who ask
 *                 it, a lane is a thread: `thread` means lane unless it is said to be a thread of the trace. Mostly each
 *                 thread has a lane of its own
 *   position      an event's index in its own thread, from 0
 *   source        of a read: the write it reads from in the observed run (semantics §1)
 *   couple        a read and its source
 *   as observed   of a read in a run: it sees the value it saw, or, where values are not known, its source with
 *                 what that wrote (semantics §1)
 *   stands on     of an event: the reads in its `by` list (semantics §1, grounds); without a list, every earlier read
 *                 of its thread. The end of a thread that has no exit stands on all its reads
 *   demanded      of a read in a run: an event of the run stands on it, or a demanded read sees a write whose
 *                 value is made of it
 *   soft          of a read: another write than its source may make it as observed
 *   binds         of a read that is not soft: from the first event that stands on it, every run has its couple
 *   section       of a lock: from an acquire that takes it to the release that frees it; re-entrant inner
 *                 pairs make no section
 *   word          a variable that acts as a lock: who takes it saw it free, and only who has taken it sets it free
 *                 (lock_words.c); or by which two threads take turns (handovers.c). Its sections are numbered after those of
 *                 locks, as locks after the others. An event is in one if it comes after the take, up to the write that
 *                 gives the word back; the take itself is not, as it may see another value where its thread ends
 *   tenure        of something that is used again and again, from where it is taken to where it is given back; a variable
 *                 says which (tenures.c). No run has two at once
 *   guard         a hold, of a lock or of a word
 *   hold          a section that is open at some point, linked to those opened before it and still open
 *   required      predecessors of an event besides program order (semantics §1)
 *   generation    the threads that pass a barrier together
 *   must-order    what every feasible run keeps: the closure of program order, required predecessors and
 *                 couples, each of these from where it binds
 *   observed order  the same closure where nothing is soft: all couples, notifies and tokens as observed. Runs
 *                 that keep to it are feasible; not every feasible run does
 *   epoch         a stretch of a thread's events with the same must-order clock
 *   cut           a number of events for each thread: a prefix of each
 *   cone          the events a query cannot do without
 *   climb         raising, from an observed prefix on, how many events of each thread can come to be in a run of a query
 *                 (solve/climb.h): beyond that no run goes
 *   stride        of a thread: its events from one point where it holds no lock to the next; the search for a run takes
 *                 them at once (solve/stride.h)
 *   schedule      event numbers of a feasible run (semantics §2), in order: first a prefix of the trace, then a tail
 *   candidate     events that a property may hold of; a finding when a schedule shows that it does
 *   query         a candidate as the solver is asked: what a run holds, leaves out, and in which order
 *   window        the stretch of the trace that a query is solved on; its events are nodes there
 *   block         from begin to end: what is meant to be atomic, or deterministic
 *   scope         of a lock: a section, or of several nested ones the outermost
 *   place         a source location, as a trace names it */
#pragma once
#include "base/map.h"
#include "base/rising.h"
#include "base/stretches.h"
#include "model/values.h"

typedef uint32_t event_id;

#define EVENT_NONE   UINT32_MAX
#define SECTION_NONE UINT32_MAX
#define HOLD_NONE    UINT32_MAX
#define POSITION_END UINT32_MAX /* after every event of a thread */

struct section {
    event_id acquire;
    event_id release; /* EVENT_NONE: still held when the trace ended */
    thread_id owner;
    bool shared : 1;
    lock_id lock : 31; /* from lock_count on: words */
};

struct hold {
    uint32_t section;
    uint32_t outer; /* the hold below it, or HOLD_NONE */
};

struct epoch {
    uint32_t at;  /* the first position of the stretch */
    uint32_t row; /* which row of the clock table */
};

/* An order: per thread its epochs in order of position, per epoch a row of one number a thread: how many
 * events of that one come before. */
struct clocks {
    struct epoch_list {
        struct epoch *epochs;
        size_t epochs_count, epochs_capacity;
    } * threads;
    uint32_t *rows;
    size_t rows_count, rows_capacity; /* in numbers, not rows */
    size_t rows_expected;             /* so many are mapped */
    struct stretches row_of; /* by place in thread_events: its row; empty: the clocks are being built */
};

/* One an event stands on with ranges, before an event stands on it plainly. */
struct range_demand {
    event_id event;
    event_id read;
    const struct value_range *ranges;
    uint32_t range_count;
};

/* An event that stands on a soft read, or on one with a range that leaves a choice: the read sees one of
 * these. */
struct soft_demand {
    uint32_t index; /* of the event in thread_events; of a thread's end: one after its last */
    uint32_t first,
        count; /* in soft_sources: the source and, of each thread, the first write that may do instead; or the end of its
                   section, where that must have come, too */
};

/* A wait that a notify ended in the trace. */
struct woken_wait {
    event_id post;   /* its waitpost; waits are sorted by it */
    event_id pre;    /* its waitpre */
    event_id end;    /* the acquire right before the waitpost, or the waitpost */
    event_id notify; /* who woke it in the trace */
};

/* Events of one thread on one object, in order. */
struct thread_group {
    thread_id thread;
    uint32_t first, count; /* in the list's events */
};

/* Events on objects of a class: object by object, thread by thread. */
struct grouped_events {
    uint32_t *start; /* by object, and one more: where its groups begin */
    struct thread_group *groups;
    size_t groups_count, groups_capacity;
    event_id *events;
};

/* Whether threads that cannot overlap share a lane: not at all; where many do; wherever they can. */
enum lane_use { LANES_NEVER, LANES_WHERE_IT_PAYS, LANES_ALWAYS };

/* What is not exactly as the trace has it. */
struct model_options {
    bool values_ignore;  /* --values=ignore: as observed means the same write */
    bool grounds_ignore; /* --grounds=ignore */
    enum lane_use lanes;
    bool at_once;                     /* a second thread may help to build it … */
    void (*meanwhile)(void *context); /* … and do this, which looks at the trace alone; NULL: nothing */
    void *context;
};

struct event_span {
    const event_id *events;
    size_t count;
};

struct model {
    const struct trace *trace;
    uint32_t event_count, thread_count, variable_count, lock_count;

    const uint32_t *lane;    /* by event: its thread */
    uint32_t *own_lanes;     /* the same where lanes are shared, else NULL */
    uint32_t *lane_of;       /* by thread of the trace: its lane … */
    uint32_t *begins, *ends; /* … the position of its first event there, and the one after its last */
    event_id *fork_of;       /* by thread of the trace; EVENT_NONE: nobody forked it */
    uint32_t *thread_start;  /* thread_count + 1: where each thread begins in thread_events */
    event_id *thread_events; /* all events, thread by thread */
    uint32_t *position;      /* by event */
    event_id *source;        /* by event; EVENT_NONE for what does not read */
    uint32_t *access_start;  /* variable_count + 1 */
    event_id *accesses;      /* all accesses, variable by variable, in trace order */

    struct stretches section_of; /* by event: see model_section_of */
    struct section *sections;    /* lock by lock, in the order they were entered */
    uint32_t *section_start;     /* lock_count + 1 */
    struct hold *holds;
    size_t holds_count, holds_capacity;
    struct hold_change { /* from this position on, the thread's innermost hold is … */
        uint32_t at, hold;
    } * *hold_changes; /* by thread */
    size_t *hold_change_count;
    struct stretches
        hold_of; /* by place in thread_events, where values count: the hold there; otherwise empty */

    uint32_t
        word_count; /* known once values were looked at; sections, section_start and holds have theirs, too */
    uint32_t take_words;                /* so many of them are taken by updates, the others by reads */
    variable_id *words;                 /* by word */
    uint32_t *word_sections;            /* of all words, thread by thread, in order … */
    uint32_t *word_start;               /* … thread_count + 1 */
    struct hold_change **guard_changes; /* as hold_changes, with words; NULL if there are none */
    size_t *guard_change_count;
    struct stretches guard_of; /* as hold_of */

    struct requirement { /* sorted by event */
        event_id event;
        uint32_t first, count; /* in required_events */
    } * requirements;
    size_t requirements_count, requirements_capacity;
    event_id *required_events;
    size_t required_events_count, required_events_capacity;

    bool values, grounds; /* whether the trace's values and grounds count */
    bool relaxed; /* a run may be feasible without keeping to the observed order: see model_observed_row */
    struct known_value *initial_values; /* by variable; NULL unless values count */
    struct known_value *sums; /* what writes wrote whose value is not recorded but follows from what was read */
    size_t sums_count, sums_capacity;
    struct map sum_of;  /* write → its index in sums, plus 1 */
    uint32_t *plain_at; /* by event, of a read: the position of the first event of its thread that stands on it
                           without a range; NULL: the next event does */
    uint32_t *first_at; /* the same with or without a range */
    uint32_t *bound_at; /* … from where it binds; POSITION_END: it does not, or is soft. NULL: as plain_at */
    uint8_t *soft;      /* a bit an event; NULL: no read is */
    uint8_t *
        told; /* a bit an event, of a write: who sees it from another section of the lock that guards its variable
                      sees what it wrote; of a read: it is in such a section. NULL: not known of any */
    struct demand_list {
        event_id *reads;   /* sorted by where they are demanded, thread by thread */
        struct rising end; /* by place in thread_events: where those end that are demanded there or before */
    } by_first, by_bound;  /* where they are demanded first; where they bind. With grounds */
    uint8_t *adds;         /* a bit an event, of a write: its value is a sum (MADE_OFFSET). NULL: none is */
    struct value_range *sum_bounds; /* by variable: no run lets a sum in it carry another number. With `adds` */
    struct range_demand *range_demands; /* sorted by event */
    size_t range_demands_count, range_demands_capacity;

    struct soft_demand *soft_demands; /* sorted by index; those that the initial write may serve are left out */
    size_t soft_demands_count, soft_demands_capacity;
    struct stretches
        soft_end; /* by place in thread_events: where those end that are demanded there or before. Empty
                                  where there are none */
    struct soft_demand
        *soft_reads; /* the same of each soft read, wherever it is demanded; `index` is the read */
    size_t soft_reads_count, soft_reads_capacity;
    event_id *soft_sources;
    size_t soft_sources_count, soft_sources_capacity;

    struct woken_wait *waits;
    size_t waits_count, waits_capacity;
    struct grouped_events writes;           /* by variable; only where values count */
    struct grouped_events notifies;         /* by condition, of both kinds */
    struct grouped_events posts, sem_waits; /* by semaphore */
    int64_t *initial_tokens;                /* by semaphore */

    struct tenures *tenures;       /* of what is used again and again (tenures.c); NULL: not known of any */
    struct section_orders *orders; /* what reads in sections can see (orders.c); NULL: not known of any */
    struct clocks forward;         /* must-order */
    struct clocks observed;        /* the observed order; empty unless relaxed */
};

/* Fails only on traces too large for 32-bit event numbers. The trace must outlive the model. */
enum status model_build(struct model *m, const struct trace *trace, struct error *err);
enum status model_build_with(struct model *m, const struct trace *trace, struct model_options options,
                             struct error *err);
/* Both ignored: the model of the published methods. */
enum status model_build_plain(struct model *m, const struct trace *trace, struct error *err);
void model_free(struct model *m);

/* What `e` requires in the trace, besides its program-order predecessor: of a semwait the post whose token it
 * took, of a waitpost the notify that woke it. O(log). */
struct event_span model_required(const struct model *m, event_id e);

/* Whether `e` requires `before`, one of these, in every run: tokens and notifies may come from others. */
bool model_requires_always(const struct model *m, event_id e, event_id before);

/* The wait that ends with this waitpost, or NULL if nobody woke it. O(log). */
const struct woken_wait *model_wait(const struct model *m, event_id post);

/* The reads that bind at this position of the thread (its length: its end) and not before; `observed`: that are
 * demanded there first. */
struct event_span model_demanded_at(const struct model *m, bool observed, thread_id t, uint32_t position);

/* What an event needs because of reads. */
struct couple_visitor {
    /* A write that must come before it. What is before position `row_at` of the write's thread comes before, too. */
    void (*found)(void *context, event_id source, uint32_t row_at);
    /* A soft read that must be as observed, or in a range: see soft_needs. */
    void (*soft)(void *context, const struct soft_demand *demand);
    void *context;
    /* Whether what this write is made of has been visited for the same event or one that must come before it; else it is now.
     * NULL: always no. */
    bool (*followed)(void *context, event_id write);
};

/* Visits what must come before the thread's event at this position (its length: its end) because of the reads that
 * are demanded there: their sources, and the sources of what these are made of. Uses clocks of events before `limit`
 * only. */
void couples_at(const struct model *m, bool observed, thread_id t, uint32_t position, event_id limit,
                const struct couple_visitor *visitor);

/* How many events of `count` threads, from `first` on, must come before such a demand, whatever the read sees:
 * the least of what the writes need that it may see. `before`: clocks to use for events from `limit` on; NULL:
 * they are not known. False, and `needs` is of no use, once none of it is more than what is `known` already. */
bool soft_needs(const struct model *m, const struct soft_demand *d, const struct clocks *before, event_id limit,
                thread_id first, uint32_t count, const uint32_t *known, uint32_t *needs);

/* Lowers `needs`, a row, to what is needed with this write, by must-order as it is now. The same result. */
bool soft_needs_with(const struct model *m, event_id write, const uint32_t *known, uint32_t *needs);

/* The kinds that require more than the fork of their thread (semantics §1). */
static inline bool kind_requires(enum event_kind kind)
{
    return kind >= EVENT_TRY_FAIL && kind <= EVENT_SEM_WAIT && kind != EVENT_FORK;
}

/* How many events of a thread are among the first `number` of the trace. O(log). */
uint32_t thread_count_up_to(const struct model *m, thread_id thread, event_id number);

/* The last write to the variable among the first `number` events of the trace, or EVENT_INIT. O(log). */
event_id model_last_write(const struct model *m, variable_id x, event_id number);

/* The innermost hold of a thread after its first `position` events, or HOLD_NONE. O(log), O(1) where values count. */
uint32_t model_hold_at(const struct model *m, thread_id thread, uint32_t position);

/* The same with words: the innermost guard that the event at this position is in if a run has it, or if it can come
 * next with all of condition 4. */
uint32_t model_guard_at(const struct model *m, thread_id thread, uint32_t position);

static inline bool lock_is_word(const struct model *m, lock_id lock)
{
    return lock >= m->lock_count;
}

/* The innermost section of the lock or word that the thread of `e` is in there, or NULL; the one in exclusive mode, or
 * NULL. */
const struct section *section_around(const struct model *m, lock_id lock, event_id e);
const struct section *exclusive_around(const struct model *m, lock_id lock, event_id e);

/* The epoch a position lies in, O(log epochs); the clock rows at a position of a thread. */
const struct epoch *clocks_epoch(const struct clocks *c, thread_id thread, uint32_t position);
const uint32_t *clocks_row(const struct clocks *c, const struct model *m, thread_id thread, uint32_t position);
const uint32_t *clocks_forward_row(const struct model *m, thread_id thread, uint32_t position);

/* The first position of thread u whose event must come after `e`, or POSITION_END. O(log epochs). */
uint32_t must_after(const struct model *m, event_id e, thread_id u);

static inline thread_id thread_of(const struct model *m, event_id e)
{
    return m->lane[e];
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

static inline bool model_adds(const struct model *m, event_id write)
{
    return m->adds && m->adds[write / 8] >> write % 8 & 1;
}

/* Whether the read, if it sees the write, sees what that wrote in the trace, though its value is a sum. */
static inline bool is_told(const struct model *m, event_id write, event_id read)
{
    return m->told && thread_of(m, write) != thread_of(m, read) && m->told[write / 8] >> write % 8 & 1 &&
           m->told[read / 8] >> read % 8 & 1;
}

/* Whether the sections of a lock around the read can come in an order that lets it see the write; and, if so wished, be as
 * observed. */
bool orders_let_see(const struct section_orders *o, event_id read, event_id write, bool as_observed);

/* Whether two accesses of a variable lie in tenures that no run has at once, so that they cannot both come next; whether tenures
 * let the read see the write. */
bool tenures_exclude(const struct model *m, event_id a, event_id b);
bool tenures_let_see(const struct model *m, event_id read, event_id write);

/* Whether the read may see the write as far as the orders of sections, and tenures, tell. */
static inline bool model_may_see(const struct model *m, event_id read, event_id write)
{
    return (!m->orders || orders_let_see(m->orders, read, write, false)) &&
           (!m->tenures || tenures_let_see(m, read, write));
}

/* Whether a run may let the write show the read what that saw in the trace. */
static inline bool model_may_show(const struct model *m, event_id write, event_id read)
{
    variable_id x = m->trace->arg[read];
    struct known_value seen = model_seen(m, read);

    if (write != EVENT_INIT && is_told(m, write, read))
        return known_equal(model_written(m, write, x), seen);
    return model_may_carry(m, write, x, seen) && (!m->orders || orders_let_see(m->orders, read, write, true)) &&
           (!m->tenures || tenures_let_see(m, read, write));
}

/* From which position of its thread on a read is demanded as observed; is demanded at all; binds. The position
 * after the last is the thread's end. POSITION_END: never. */
static inline uint32_t read_plain_at(const struct model *m, event_id read)
{
    return m->plain_at ? m->plain_at[read] : m->position[read] + 1;
}

/* The section that an acquire opens or a release closes, or SECTION_NONE. */
static inline uint32_t model_section_of(const struct model *m, event_id e)
{
    return stretches_at(&m->section_of, e);
}

static inline uint32_t read_first_at(const struct model *m, event_id read)
{
    return m->first_at ? m->first_at[read] : m->position[read] + 1;
}

static inline uint32_t read_bound_at(const struct model *m, event_id read)
{
    return m->bound_at ? m->bound_at[read] : m->position[read] + 1;
}

/* The clocks of the order that every run keeps, or of the observed one. */
static inline const struct clocks *model_clocks(const struct model *m, bool observed)
{
    return observed && m->relaxed ? &m->observed : &m->forward;
}

/* Whether `e` is the first, or the last, event that its thread of the trace has. */
static inline bool is_thread_start(const struct model *m, event_id e)
{
    return m->position[e] == m->begins[m->trace->thread[e]];
}

static inline bool is_thread_end(const struct model *m, event_id e)
{
    return m->position[e] + 1 == m->ends[m->trace->thread[e]];
}

/* Whether a thread of the trace has events. */
static inline bool has_events(const struct model *m, thread_id of_trace)
{
    return m->ends[of_trace] > m->begins[of_trace];
}

/* The last event of a thread of the trace, which has some. */
static inline event_id last_event(const struct model *m, thread_id of_trace)
{
    return m->thread_events[m->thread_start[m->lane_of[of_trace]] + m->ends[of_trace] - 1];
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

static inline lock_id section_lock(const struct section *s)
{
    return s->lock;
}

/* Whether a must come before b, both events of the trace, a ≠ b. */
static inline bool must_before(const struct model *m, event_id a, event_id b)
{
    if (thread_of(m, a) == thread_of(m, b))
        return m->position[a] < m->position[b];
    return clocks_forward_row(m, thread_of(m, b), m->position[b])[thread_of(m, a)] > m->position[a];
}
