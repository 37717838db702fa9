/* What `heddle view` keeps of a trace besides its file: a summary by stretches of events, and where to look for what.
 *
 * A stretch is so many events of the trace; there are at most 2^16 of them, however long the trace is. Everything finer than a
 * stretch is read from the file again. */
#pragma once
#include "trace/htr_ranges.h"

/* What one thread did in a stretch. */
struct lane_cell {
    thread_id thread;
    uint32_t accesses, others; /* events */
};

/* For how many events of a stretch a lock was held, and by whom last. */
struct lock_cell {
    uint32_t lock;
    thread_id owner;
    uint32_t held;
};

/* A lock held where a block begins. */
struct held_lock {
    uint32_t lock;
    thread_id owner;
    bool shared;
};

enum {
    STRETCHES_MOST = 1 << 16,
    STRETCH_LOCKS = 64, /* kept of a stretch, those held longest */
    FILTER_BITS = 1 << 12,
};

struct view_block {
    size_t held;                       /* first of its locks in `held` */
    uint64_t filter[FILTER_BITS / 64]; /* of objects and places of its events */
};

struct view_index {
    struct htr_ranges *file;
    unsigned shift;        /* a stretch has 2^shift events */
    size_t *stretch_lanes; /* by stretch, and one more: its first cell */
    size_t *stretch_locks;
    size_t stretches;
    struct lane_cell *lanes; /* of a stretch ascending by thread */
    size_t lanes_count, lanes_capacity;
    struct lock_cell *locks;
    size_t locks_count, locks_capacity;
    struct view_block *blocks; /* and one more, for where its locks end */
    size_t blocks_count;
    struct held_lock *held;
    size_t held_count, held_capacity;
};

/* Reads the file once. `index` is empty after a failure. */
enum status view_index_open(struct view_index *index, const char *path, const struct trace_limits *limits,
                            struct error *err);
void view_index_close(struct view_index *index);

/* Whether the block may hold events with this object or place. */
bool view_block_may_have(const struct view_index *index, size_t block, enum name_class class, uint32_t id);

/* Locks, followed from event to event: by lock, who holds it. */
struct lock_follower {
    struct followed_lock {
        thread_id owner;
        uint32_t exclusive, readers;
        uint32_t place;  /* in `list`, plus one; 0: not held */
        uint64_t before; /* events before it was taken, or before the stretch if that is later */
    } * locks;
    size_t locks_count, locks_capacity;
    uint32_t *list; /* those that are held */
    size_t list_count, list_capacity;
};

enum lock_change { LOCK_SAME, LOCK_TAKEN, LOCK_GIVEN_BACK };

/* Takes notice of event `i` of the window: whether a lock, its argument, is held from there on or no longer. */
enum lock_change lock_follow(struct lock_follower *f, const struct trace *window, size_t i, uint64_t number);
void lock_follow_from(struct lock_follower *f, const struct view_index *index, size_t block);
void lock_follower_free(struct lock_follower *f);
