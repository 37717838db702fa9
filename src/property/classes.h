/* The accesses of one variable in classes: one thread, one location, one kind, one set of locks held.
 *
 * What a rule says of one member against another class by kinds and locks, it says of all. */
#pragma once
#include "model/model.h"

struct access_class {
    thread_id thread;
    location_id location;
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

/* Moves two limits up to event `e` of another class: how many of the class must come before it, and how many need not come
 * after it. `base` is what must come before `e`. Both limits only grow along a thread. */
void class_move_limits(const struct access_class *c, const struct model *m, event_id e, const uint32_t *base,
                       uint32_t *before, uint32_t *not_after);
