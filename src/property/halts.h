/* Halts: where threads may stand in a state in which no thread can continue (semantics §3, stuck).
 *
 * A thread stands before an event that can wait, is over, or was not forked. Most halts are ruled out for
 * every such state: no thread can hold the lock, or no thread that would post, arrive or signal can stand
 * before that event. What is left is found to a fixpoint; if a thread has no halt left, nothing can be stuck. */
#pragma once
#include "property/halts_sums.h"
#include "property/wakeups.h"
#include "property/worker.h"

enum halt_kind {
    HALT_LOCK,    /* before an acquire */
    HALT_SIGNAL,  /* before the end of a wait that was woken */
    HALT_TOKEN,   /* before a semwait */
    HALT_BARRIER, /* before a bexit */
    HALT_JOIN,
    HALT_OVER,  /* after its last event; who comes next in its lane is not forked */
    HALT_UNBORN /* before the first event of the lane, its fork not in the run */
};

struct halt {
    uint32_t position; /* how many events of the thread are in the run */
    enum halt_kind kind;
};

struct thread_halts {
    struct halt *list; /* by position */
    size_t list_count, list_capacity;
};

/* Tokens that a thread takes of a semaphore: after its first `position` + 1 events it has taken `taken` more
 * than it has given. */
struct balance {
    uint32_t position;
    int64_t taken;
};

struct balances { /* of one thread and semaphore */
    thread_id thread;
    struct balance *list;
    size_t list_count, list_capacity;
    int64_t most; /* ever taken, 0 at least */
    bool gives, takes;
};

struct semaphore_use {
    event_id init; /* its seminit, or EVENT_NONE */
    int64_t initial;
    struct balances *threads;
    size_t threads_count, threads_capacity;
};

struct halts {
    struct worker *w;
    const struct model *m;
    struct signals signals;
    struct semaphore_use *semaphores;
    event_id *fork;      /* by thread of the trace: its fork, or EVENT_NONE */
    bool *shared;        /* by lock: some section of it is shared */
    bool *ends;          /* by thread of the trace: it has an exit or is joined, so that it can be over */
    thread_id *first_in; /* by lane: its first thread of the trace */
    struct halts_sums *sums;
    struct thread_halts *threads;
    uint64_t places; /* events at which a thread can wait at all */
};

/* The fork of the thread of the trace whose first event is at this position of the lane, or EVENT_NONE. */
event_id halts_fork_at(const struct halts *h, thread_id t, uint32_t position);

/* Finds the halts that are not ruled out. */
void halts_find(struct halts *h, struct worker *w);
void halts_free(struct halts *h);

/* The event that the halt is before; not for threads that are over. */
static inline event_id halt_event(const struct halts *h, thread_id t, const struct halt *halt)
{
    return event_at(h->m, t, halt->position);
}

static inline bool halt_waits(const struct halt *halt)
{
    return halt->kind < HALT_OVER;
}

/* Whether a state that is stuck, and no deadlock of locks alone, has to have a halt like this one: what the
 * others wait for in the end. */
bool halt_is_root(const struct halts *h, thread_id t, const struct halt *halt);

/* Raises `low` and lowers `high` (one number a thread) to what the other threads may have done when thread t
 * stands there. */
void halt_limit(const struct halts *h, thread_id t, const struct halt *halt, uint32_t *low, uint32_t *high);

/* The acquire of another thread that excludes the acquire `e` when each thread has done as much as `cut` says,
 * or EVENT_NONE; one in exclusive mode, if that is asked for. */
event_id halts_holder(const struct model *m, const uint32_t *cut, event_id e, bool exclusive);

/* How many tokens the semaphore has after `cut`. */
int64_t halts_tokens(const struct halts *h, uint32_t semaphore, const uint32_t *cut);
