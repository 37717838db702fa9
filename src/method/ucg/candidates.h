/* Candidates for races and atomicity violations as CAV'10 counts them: accesses that lie between the same
 * synchronization events of a thread share their causality graphs. */
#pragma once
#include "model/model.h"

struct access_group {
    thread_id thread;
    uint32_t segment; /* between two synchronization events of its thread; unique in the trace */
    bool writes, atomic;
    const event_id *events; /* in order */
    uint32_t count;
};

struct access_groups {
    struct access_group *list;
    size_t list_count, list_capacity;
    event_id *pool;
};

/* By event: the segment it lies in. To be freed. */
uint32_t *segments_new(const struct model *m);

/* The accesses to a variable, grouped by thread, segment and kind. */
void access_groups_build(struct access_groups *g, const struct model *m, const uint32_t *segment,
                         variable_id x);
void access_groups_free(struct access_groups *g);

/* Whether locks that exclude each other are held at both events: the lockset test. */
bool locks_exclude(const struct model *m, event_id a, event_id b);

/* Whether one section around both a and c excludes one around b. */
bool locks_exclude_between(const struct model *m, event_id a, event_id c, event_id b);
