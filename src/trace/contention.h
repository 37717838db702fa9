/* Who waited for which lock or condition in a recorded run, and for how many events. */
#pragma once
#include "trace/trace.h"

/* The waits at one place of the source for one lock or condition. */
struct contended_place {
    uint32_t object;   /* while the run is followed */
    location_id place; /* where threads waited */
    location_id
        holder;       /* where the lock was taken by the thread that let the longest of them wait; NAME_NONE */
    thread_id waiter; /* who waited longest there */
    uint64_t waits, waited, longest;
};

struct contended_object {
    enum name_class class; /* NAME_LOCK or NAME_CONDITION */
    uint32_t id;
    uint64_t taken;  /* times a thread got it; times a thread waited on the condition */
    uint64_t waits;  /* … that another thread may have delayed */
    uint64_t waited; /* events that passed meanwhile */
    uint64_t longest;
    uint64_t held;                        /* events that passed while a lock was held */
    const struct contended_place *places; /* the most events waited first */
    size_t places_count;
};

struct contention {
    struct contended_object *objects; /* those with a wait first, the most events waited first */
    size_t objects_count;
    struct contended_place *places; /* of all objects */
    size_t places_count, places_capacity;
    uint64_t waited; /* by all threads together */
};

/* A wait for a lock lasts while the last holder before had it, at most from the thread's own event before. A trace does
 * not say when in between the thread asked, so each of these counts is an upper bound of the wait for that holder. Waits on
 * conditions last until the lock is taken again. */
void contention_find(const struct trace *trace, struct contention *result);
void contention_free(struct contention *result);
