/* What the oracle knows of a trace before it explores runs: SPEC §1, plus blocks and values.
 *
 * Sets of events are the bits of one word, bit e for event e and bit 0 for the initial writes. Private to the
 * oracle. */
#pragma once
#include "random/oracle.h"

typedef uint64_t event_set;

#define EVENT_SLOTS (ORACLE_EVENTS + 1)

struct meaning {
    const struct trace *trace;
    size_t count;
    size_t thread_count; /* threads with events, numbered from 0 as they appear */

    uint8_t thread[EVENT_SLOTS];
    uint8_t by_thread[EVENT_SLOTS][EVENT_SLOTS + 1]; /* the events of a thread in order, then 0 */
    event_set of_thread[EVENT_SLOTS];

    event_set requires[EVENT_SLOTS]; /* required predecessors, without the acquire a tryfail needs */

    /* Accesses: reads and writes of the same variable; for a read also rf, and the writes it may read from and
     * let its thread go on: rf alone, or all with the value it read. */
    event_set reads_beside[EVENT_SLOTS], writes_beside[EVENT_SLOTS];
    size_t rf[EVENT_SLOTS];
    event_set keeps[EVENT_SLOTS];

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

void meaning_init(struct meaning *m, const struct trace *trace, struct oracle_options options);

/* Parts of meaning_init with a file of their own. */
void meaning_sections(struct meaning *m, lock_id lock);
void meaning_blocks(struct meaning *m, bool lock_scopes);
void meaning_values(struct meaning *m);

/* oracle_run_feasible for a meaning at hand. */
bool meaning_run_feasible(const struct meaning *m, const size_t *schedule, size_t count);

/* Whether three accesses of one variable, the second by another thread, are one of RWR, RWW, WRW, WWR, WWW. */
bool meaning_unserializable(const struct meaning *m, size_t first, size_t remote, size_t second);

/* Whether two accesses are of one variable, of different threads, one of them a write, not both atomic. */
bool meaning_conflict(const struct meaning *m, size_t a, size_t b);

/* Adds the pairs (a, b) that happens-before leaves unordered. */
void meaning_unordered(const struct meaning *m, struct tuple_set *pairs);
