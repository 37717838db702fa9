/* The accesses of one variable in classes: one thread, one location, one kind, one set of locks held.
 *
 * What a rule says of one member against another class by kinds and locks, it says of all.
 *
 * A chain is a class of one location and one kind whose members may be of several threads: each must come before the next. Where
 * every thread writes a variable in turn, there are as many classes as threads, and one chain. */
#pragma once
#include "model/model.h"

struct access_class {
    thread_id thread; /* of a chain: that of its first member */
    location_id location;
    uint32_t place; /* of its first member */
    enum event_kind kind;
    uint64_t locks;         /* hash of the locks held, with their modes */
    const event_id *events; /* in order */
    uint32_t count;
};

struct classes {
    struct access_class *list;
    size_t list_count, list_capacity;
    event_id *pool;
};

/* A hash of the locks and words that the thread of `e` holds just before it, with their modes. */
uint64_t locks_held(const struct model *m, event_id e);

/* The classes of the accesses to x that `wanted` accepts; without `locks`, what is held does not matter. */
void classes_build(struct classes *c, const struct model *m, variable_id x, bool (*wanted)(enum event_kind),
                   bool locks);
void classes_free(struct classes *c);

/* The same accesses in chains, at most as many as there are classes without locks. */
void chains_build(struct classes *c, const struct model *m, variable_id x, bool (*wanted)(enum event_kind));

/* Of a class and a thread that goes along its own events: what must come before, and what need not come after. */
struct class_limit {
    uint32_t before, not_after; /* how many of the class; both only grow along a thread */
    event_id last;              /* of those before: the last, or EVENT_INIT */
    thread_id next_thread;      /* of the first that is not before: its thread … */
    uint32_t next;              /* … and its position there; POSITION_END: there is none */
    uint32_t needs;             /* how many events of the thread the first needs that may come after */
};

/* For each thread that asks, a limit for each class or chain. */
struct class_limits {
    const struct model *m;
    const struct classes *classes;
    struct class_limit **rows; /* by thread; made when it is first needed */
};

void class_limits_init(struct class_limits *l, const struct model *m, const struct classes *c);
void class_limits_clear(struct class_limits *l); /* threads begin again */
void class_limits_free(struct class_limits *l);

/* The limits of the thread of `e`, moved up to it; `base` is what must come before `e`. */
const struct class_limit *class_limits_at(struct class_limits *l, event_id e, const uint32_t *base);
