/* What the sections of one lock or word do to the variables that they alone change; private to this room. */
#pragma once
#include "model/model.h"

/* The lock is held exclusively at all writes of the variable but those by who makes it, before all sections that use it,
 * and those by who clears it, after all of these. */
struct guarded_variable {
    lock_id lock;
    variable_id x;
    event_id first; /* what the first section finds: the last write by who makes it, or EVENT_INIT … */
    bool sum;       /* … which may carry another number than it wrote */
    bool decides;   /* what is read of it decides whether some section ends */
};

struct guarded_variables {
    struct guarded_variable *list; /* lock by lock */
    size_t list_count, list_capacity;
};

/* Those that two threads use in sections of locks that are held at some soft read. */
struct guarded_variables guarded_find(const struct model *m);

/* What a section does: reads a variable before it writes it, leaves a write in it, notifies a condition. */
struct guarded_op {
    uint32_t place; /* of the variable among those of the lock; of a condition: its number */
    event_id event;
    uint32_t adds_to; /* of a write: the op of the read that it adds to; ADDS_TO_NOTHING, ADDS_TO_ANYTHING */
};

struct guarded_section {
    uint32_t section;
    uint32_t thread;                    /* index in `threads` */
    uint32_t reads, writes, wakes, end; /* where its ops of each kind begin, in this order */
    uint32_t need_begin,
        need_end; /* in needs, by thread: so many of its sections have ended before this one begins if that is
                                      in a run; … if it ends there */
    uint32_t waits_for; /* the condition it begins with the end of a wait for, or NAME_NONE */
    bool ends;
};

/* A read of a variable that its section has read before, and not written. */
struct guarded_again {
    event_id read;
    uint32_t op;
};

struct guarded_lock {
    const struct guarded_variable *variables;
    size_t variables_count;
    thread_id *threads;
    size_t threads_count, threads_capacity;
    struct guarded_section *sections; /* those that matter, in the order of the trace */
    size_t sections_count, sections_capacity;
    uint32_t *by_thread;    /* the same thread by thread: indices … */
    uint32_t *thread_start; /* … from where to where, threads_count + 1 */
    struct guarded_op *ops;
    size_t ops_count, ops_capacity;
    struct guarded_again *again;
    size_t again_count, again_capacity;
    uint32_t *needs;
    size_t needs_count, needs_capacity;
};

/* Of the lock that guards these variables, all of one lock: what its sections do that end before event `until`, the acquire of
 * another one, or all of them (EVENT_NONE). */
void guarded_collect(const struct model *m, const struct guarded_variable *variables, size_t count,
                     event_id until, struct guarded_lock *g);
void guarded_free(struct guarded_lock *g);

/* guarded_grounds.c */

#define ADDS_TO_NOTHING                                                                                        \
    UINT32_MAX /* no sum, or one that carries what it wrote in every run that ends its section */
#define ADDS_TO_ANYTHING (UINT32_MAX - 1) /* a sum of which nothing is known */

/* What one section does to the variables of its lock. */
struct guarded_events {
    event_id begin;    /* its acquire */
    struct map op_of;  /* a read that sees what another section left → its op, plus 1 */
    struct map writes; /* its writes → 1 */
};

/* From which position on the thread of a read cannot be if the read sees this value, which is not what it saw. */
uint32_t guarded_stop(const struct model *m, event_id read, struct known_value seen);

/* To which read, an op, the write of a section adds if all is in a run that comes before this position of the thread. */
uint32_t guarded_adds_to(const struct model *m, event_id write, uint32_t end,
                         const struct guarded_events *events);
