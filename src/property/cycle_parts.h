/* The order of transactions as cycles.c and cycle_walk.c share it. Private to them. */
#pragma once
#include "property/cycles.h"
#include "property/reentry.h"

#define OBJECT_NONE UINT32_MAX

struct cycle_walk; /* the component that cycles are looked for in */

struct cycles {
    const struct model *m;
    enum event_kind begin;
    event_id *node;      /* by event: its transaction, named by its first event */
    uint8_t *inert;      /* a bit an event: lock operations without effect */
    uint32_t *component; /* by node: from 1; 0: on no cycle */
    uint32_t component_count;
    uint64_t block_count; /* on cycles or not */
    event_id *blocks;     /* on cycles */
    size_t blocks_count, blocks_capacity;
    struct cycle_walk *walk;
    event_id *result;
    size_t result_count, result_capacity;
};

void walk_free(struct cycles *c);

/* What conflicts are about: a variable, or a lock, numbered after the variables. */
static inline uint32_t cycle_object(const struct model *m, event_id e)
{
    enum event_kind kind = kind_of(m, e);

    if (kind_accesses(kind))
        return arg_of(m, e);
    return kind_locks(kind) ? m->variable_count + arg_of(m, e) : OBJECT_NONE;
}

static inline bool object_written(enum event_kind kind)
{
    return kind_writes(kind) || kind_locks_exclusively(kind);
}

/* What semantics §1 makes `e` wait for at conditions, barriers and semaphores; threads and locks are not in it. */
static inline struct event_span links_before(const struct model *m, event_id e)
{
    enum event_kind kind = kind_of(m, e);

    if (kind == EVENT_WAIT_POST || kind == EVENT_NOTIFY || kind == EVENT_NOTIFY_ALL ||
        kind == EVENT_BARRIER_EXIT || kind == EVENT_SEM_WAIT)
        return model_required(m, e);
    return (struct event_span){NULL, 0};
}
