/* What the sections of one lock or word do to the variables that they alone change; private to this room. */
#pragma once
#include "model/model.h"

/* The lock is held exclusively at all writes of the variable but those by who makes it, before all sections that use it,
 * and those by who clears it, after all of these. */
struct guarded_variable {
    lock_id lock;
    variable_id x;
    event_id first; /* what the first section finds: the last write by who makes it, or EVENT_INIT */
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

/* Of the lock that guards these variables, all of one lock. */
void guarded_collect(const struct model *m, const struct guarded_variable *variables, size_t count,
                     struct guarded_lock *g);
void guarded_free(struct guarded_lock *g);
