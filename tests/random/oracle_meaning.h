/* What the oracle knows of a trace before it explores runs: semantics §1, plus blocks.
 *
 * Sets of events are the bits of one word, bit e for event e and bit 0 for the initial writes. Private to the
 * oracle. */
#pragma once
#include "random/oracle.h"
#include "trace/grounds.h"

typedef uint64_t event_set;

#define EVENT_SLOTS (ORACLE_EVENTS + 1)
#define WAITERS     6 /* threads that are woken at one condition: their sets are the bits of one word */
#define OBJECTS     8 /* variables, conditions */

/* What a write carries, or a read sees. */
enum oracle_value_kind {
    VALUE_NEW,      /* something new: equal to nothing */
    VALUE_ORIGINAL, /* what the write wrote in the trace, which is not recorded; `number` is the write */
    VALUE_NUMBER,
    VALUE_NAMED, /* `number` is the id of the name */
};

struct oracle_value {
    enum oracle_value_kind kind;
    uint64_t number;
};

/* Conditions: a wait that was woken in the trace. */
struct woken_wait {
    size_t begin;       /* its waitpre */
    size_t end;         /* the acquire that ends it, or its waitpost */
    uint32_t condition; /* numbered from 0 */
    size_t waiter;      /* its thread among those woken at the condition, from 0 */
};

struct meaning {
    const struct trace *trace;
    struct oracle_options options;
    size_t count;
    size_t thread_count; /* threads with events, numbered from 0 as they appear */

    uint8_t thread[EVENT_SLOTS];
    uint8_t by_thread[EVENT_SLOTS][EVENT_SLOTS + 1]; /* the events of a thread in order, then 0 */
    event_set of_thread[EVENT_SLOTS];
    size_t forked_by[EVENT_SLOTS];    /* by thread: its fork, or 0 */
    event_set joined_by[EVENT_SLOTS]; /* by thread */
    size_t exit_of[EVENT_SLOTS];      /* by thread: its exit event, or 0 */
    event_set idle_forks;             /* forks of threads without events that nobody joins */

    /* Required predecessors, without the acquire a tryfail needs and without what a run decides: tokens,
     * notifies and the end of a joined thread. */
    event_set requires[EVENT_SLOTS];
    size_t joins_thread[EVENT_SLOTS]; /* of a join of a thread with events: 1 + that thread */

    /* What synchronization put before the event in the trace itself: `requires`, the post whose token it took,
     * the notify that woke a waitpost, the waitpre of the wait that a notify ended. */
    event_set observed_after[EVENT_SLOTS];

    /* Semaphores: at a semwait, all posts and semwaits of its semaphore and the initial count. */
    event_set posts_beside[EVENT_SLOTS], semwaits_beside[EVENT_SLOTS];
    uint64_t tokens[EVENT_SLOTS];
    event_set seminit[EVENT_SLOTS]; /* at a post or semwait: the seminit it requires */

    struct woken_wait waits[EVENT_SLOTS];
    size_t wait_count;
    size_t wait_begun[EVENT_SLOTS], wait_ended[EVENT_SLOTS]; /* by event: 1 + the woken wait */
    uint32_t notifies[EVENT_SLOTS];                          /* by event: 1 + the condition */

    /* Accesses: reads and writes of the same variable; for a read also rf. */
    event_set reads, cas;
    event_set reads_beside[EVENT_SLOTS], writes_beside[EVENT_SLOTS];
    size_t rf[EVENT_SLOTS];
    uint8_t variable[EVENT_SLOTS]; /* variables are numbered from 0 as they appear */

    /* Values: what each write wrote, what each read saw, what each variable held at first. */
    struct oracle_value wrote[EVENT_SLOTS], saw[EVENT_SLOTS], initial[OBJECTS];

    /* Grounds: the reads of `by` that must be as observed, whether it has ranges besides; the reads of `from`;
     * or, where it is n+k, n. */
    event_set by[EVENT_SLOTS];
    bool by_ranges[EVENT_SLOTS];
    event_set from[EVENT_SLOTS];
    size_t from_sum[EVENT_SLOTS];
    uint64_t from_offset[EVENT_SLOTS];
    event_set named_by[EVENT_SLOTS], named_from[EVENT_SLOTS]; /* reads named in a list that is given */

    /* Sections: from the acquire that takes a lock in a mode the thread did not hold it in, to the release that
     * ends this. */
    event_set exclusive_sections, shared_sections; /* named by their acquires */
    size_t section_end[EVENT_SLOTS];               /* 0: open until the end of the trace */
    event_set section_rivals[EVENT_SLOTS]; /* sections of other threads that exclude this one while open */
    size_t tryfail_section[EVENT_SLOTS];   /* the exclusive section that was in the way, or 0 */

    event_set block_rest[EVENT_SLOTS]; /* the later events in the same atomic block */
};

static inline event_set one_event(size_t event)
{
    return (event_set)1 << event;
}

static inline bool has_event(event_set set, size_t event)
{
    return set >> event & 1;
}

static inline size_t first_event(event_set set)
{
    return (size_t)__builtin_ctzll(set);
}

static inline enum event_kind kind_of(const struct meaning *m, size_t event)
{
    return trace_kind(m->trace, event);
}

/* Whether the event has this kind of argument, and this one. */
static inline bool names_the(const struct meaning *m, size_t event, enum name_class class, uint32_t arg)
{
    return kind_argument(kind_of(m, event)) == class && m->trace->arg[event] == arg;
}

static inline bool value_known(struct oracle_value value)
{
    return value.kind == VALUE_NUMBER || value.kind == VALUE_NAMED;
}

/* Something new equals nothing, itself included. */
static inline bool values_equal(struct oracle_value a, struct oracle_value b)
{
    return a.kind == b.kind && a.kind != VALUE_NEW && a.number == b.number;
}

void meaning_init(struct meaning *m, const struct trace *trace, struct oracle_options options);

/* Parts of meaning_init with a file of their own. */
void meaning_sections(struct meaning *m, lock_id lock);
void meaning_blocks(struct meaning *m, bool lock_scopes);
void meaning_condition(struct meaning *m, uint32_t condition);
void meaning_semaphore(struct meaning *m, uint32_t semaphore);
void meaning_values(struct meaning *m);
void meaning_grounds(struct meaning *m);

/* What a read sees where the last write to its variable is `source`, which carries `carried`; whether that is
 * as observed. */
struct oracle_value meaning_seen(const struct meaning *m, size_t read, size_t source,
                                 struct oracle_value carried);
bool meaning_as_observed(const struct meaning *m, size_t read, size_t source, struct oracle_value carried);

/* What `write` leaves when its `from` is n+k and n sees this; VALUE_NEW if that is no known number. */
struct oracle_value meaning_sum(const struct meaning *m, size_t write, struct oracle_value seen);

/* Whether the number is in all ranges that `by` of the event gives for the read, which has at least one there
 * and is nowhere plain. */
bool meaning_in_ranges(const struct meaning *m, size_t event, size_t read, struct oracle_value seen);

/* A run of which each thread has a prefix of its events: the last write to its variable before each access, what
 * reads see and writes carry, which reads are as observed; by event. */
struct run_values {
    size_t source[EVENT_SLOTS];
    struct oracle_value seen[EVENT_SLOTS], carried[EVENT_SLOTS];
    event_set observed;
};

void meaning_run_values(const struct meaning *m, const size_t *schedule, size_t count,
                        struct run_values *values);

/* oracle_run_feasible for a meaning at hand. */
bool meaning_run_feasible(const struct meaning *m, const size_t *schedule, size_t count);

/* Whether three accesses of one variable, the second by another thread, are one of RWR, RWW, WRW, WWR, WWW;
 * `writes` has those that write. */
bool meaning_unserializable(const struct meaning *m, event_set writes, size_t first, size_t remote,
                            size_t second);

/* Whether two accesses are of one variable, of different threads, one of them a write, not both atomic. */
bool meaning_conflict(const struct meaning *m, size_t a, size_t b);

/* Adds the pairs (a, b) that happens-before leaves unordered. */
void meaning_unordered(const struct meaning *m, struct tuple_set *pairs);
