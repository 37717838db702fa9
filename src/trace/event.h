/* Events: what a thread did, in one byte of kind and memory order plus an argument (semantics §1).
 *
 * The numbers of kinds and orders are part of the native file format (docs/trace-format.md): add at the end. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t thread_id;
typedef uint32_t variable_id;
typedef uint32_t lock_id;
typedef uint32_t location_id;

enum event_kind {
    EVENT_READ,
    EVENT_WRITE,
    EVENT_ATOMIC_READ,
    EVENT_ATOMIC_WRITE,
    EVENT_RMW,
    EVENT_FENCE,
    EVENT_ACQUIRE,
    EVENT_RELEASE,
    EVENT_SHARED_ACQUIRE,
    EVENT_SHARED_RELEASE,
    EVENT_TRY_FAIL,
    EVENT_FORK,
    EVENT_JOIN,
    EVENT_WAIT_PRE,
    EVENT_WAIT_POST,
    EVENT_NOTIFY,
    EVENT_NOTIFY_ALL,
    EVENT_BARRIER_ENTER,
    EVENT_BARRIER_EXIT,
    EVENT_POST,
    EVENT_SEM_WAIT,
    EVENT_BEGIN,
    EVENT_END,
    EVENT_DET_BEGIN,
    EVENT_DET_END,
    EVENT_CAS,      /* a compare-and-exchange that succeeded */
    EVENT_EXIT,     /* the last of its thread */
    EVENT_SEM_INIT, /* its value is the count */
    EVENT_KINDS
};

enum memory_ordering {
    ORDER_NONE, /* nothing was written: sequentially consistent on atomics */
    ORDER_RELAXED,
    ORDER_ACQUIRE,
    ORDER_RELEASE,
    ORDER_ACQ_REL,
    ORDER_SEQ_CST,
    ORDER_TRY, /* on acquires, in the same place: it would have given up rather than waited */
    ORDERS
};

/* What an argument names; each class has its own ids. */
enum name_class {
    NAME_THREAD,
    NAME_VARIABLE,
    NAME_LOCK,
    NAME_CONDITION,
    NAME_BARRIER,
    NAME_SEMAPHORE,
    NAME_BLOCK, /* the optional label of begin, end, dbegin, dend */
    NAME_LOCATION,
    NAME_VALUE, /* values that are not decimal integers */
    NAME_CLASSES
};

/* Kind and order in one byte, as stored. */
typedef uint8_t event_op;

static inline event_op op_make(enum event_kind kind, enum memory_ordering order)
{
    return (event_op)(kind | order << 5);
}

static inline enum event_kind op_kind(event_op op)
{
    return (enum event_kind)(op & 31);
}

/* The order as written, ORDER_NONE included. */
static inline enum memory_ordering op_order(event_op op)
{
    return (enum memory_ordering)(op >> 5);
}

/* The word for a kind in the text format ("acq"), for an order (".acq"; "" for ORDER_NONE). */
const char *kind_word(enum event_kind kind);
const char *order_suffix(enum memory_ordering order);

/* What the argument of this kind names; NAME_CLASSES for fences and exits, which have none. */
enum name_class kind_argument(enum event_kind kind);

/* Whether C11 knows this order on this kind; ORDER_NONE is allowed on all kinds but fences, ORDER_TRY on
 * acquires. */
bool order_allowed(enum event_kind kind, enum memory_ordering order);

/* Whether a thread may wait in it for as long as others hold the lock exclusively: a deadlock's events do. */
static inline bool op_waits_for_lock(event_op op)
{
    return op == op_make(EVENT_ACQUIRE, ORDER_NONE);
}

/* Reads and writes in one indivisible event. */
static inline bool kind_updates(enum event_kind kind)
{
    return kind == EVENT_RMW || kind == EVENT_CAS;
}

static inline bool kind_reads(enum event_kind kind)
{
    return kind == EVENT_READ || kind == EVENT_ATOMIC_READ || kind_updates(kind);
}

static inline bool kind_writes(enum event_kind kind)
{
    return kind == EVENT_WRITE || kind == EVENT_ATOMIC_WRITE || kind_updates(kind);
}

static inline bool kind_accesses(enum event_kind kind)
{
    return kind <= EVENT_RMW || kind == EVENT_CAS;
}

static inline bool kind_atomic(enum event_kind kind)
{
    return kind == EVENT_ATOMIC_READ || kind == EVENT_ATOMIC_WRITE || kind_updates(kind);
}

/* Whether a value may follow the argument: what was read or written, or a semaphore's count. */
static inline bool kind_has_value(enum event_kind kind)
{
    return kind_accesses(kind) || kind == EVENT_SEM_INIT;
}
