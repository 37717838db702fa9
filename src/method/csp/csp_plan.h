/* What the CSP model of a trace is made of: for each thread its chain of synchronization events, and what keeps
 * them in order.
 *
 * Two kinds of processes do that. Stages let the events of a stage happen in any order once those of the stages
 * before it have: a fork before a start, an end before a join, waits before their notify before their wake-ups,
 * all arrivals at a barrier before all departures, a post before the wait that takes it. Locks exclude; a try
 * that failed needs its section open. Accesses are not in chains: each lies between two links of its thread's
 * chain, and data is ignored, so accesses between the same two links race with the same others. */
#pragma once
#include "finding/finding.h"
#include "method/csp/process.h"
#include "model/model.h"

#include "base/map.h"

#define LEAF_NONE UINT32_MAX

enum link_kind { LINK_EVENT, LINK_START, LINK_END };

/* One step of a thread. A start comes at its thread's first event, an end at its last. */
struct csp_link {
    event_id event;
    csp_event label;
    uint32_t leaf; /* the process that has a say: stages, then locks; LEAF_NONE: it is free to happen */
    enum link_kind kind;
    bool takes;     /* takes a lock, in either mode */
    bool gives;     /* releases one */
    uint32_t tries; /* of an exclusive release: how many tries failed in its section */
};

/* A member of a process of stages. */
struct csp_member {
    uint32_t process, stage;
    csp_event label;
    event_id event;
    thread_id thread;
    uint32_t position; /* in its thread's chain */
};

enum lock_operation { LOCK_TAKE, LOCK_UPGRADE, LOCK_GIVE, LOCK_SHARE, LOCK_UNSHARE, LOCK_TRY };

/* What a lock's process can be asked for. */
struct csp_lock_label {
    lock_id lock;
    enum lock_operation operation;
    thread_id thread;
    csp_event label;
    uint32_t section; /* of a try, and of an acquire whose section made tries fail; otherwise SECTION_NONE */
};

struct csp_plan {
    const struct model *m;
    uint32_t *chain_start; /* thread_count + 1: where each chain begins in `links` */
    struct csp_link *links;
    size_t links_count, links_capacity;
    uint32_t *chain_position; /* by event: how many links of its thread come before it */
    uint32_t *rest_up;        /* by link: the next position at which its thread holds no lock */

    struct csp_member *members; /* sorted by process, stage and event */
    size_t members_count, members_capacity;
    uint32_t *member_start; /* stage_count + 1 */
    uint32_t stage_count;   /* processes of stages */

    struct csp_lock_label *lock_labels; /* sorted by lock */
    size_t lock_labels_count, lock_labels_capacity;
    uint32_t *lock_start; /* lock_count + 1 */

    uint32_t *rest;     /* by event number: the last number up to it after which no lock is held that another
                           thread takes later */
    struct last_takes { /* by lock: the thread that takes it last, and the last time another one does */
        thread_id thread;
        event_id last, other;
    } * last_takes;

    struct map labels; /* of lock operations and accesses → label */
    csp_event next_label;
    csp_event race;
};

void csp_plan_build(struct csp_plan *p, const struct model *m);
void csp_plan_free(struct csp_plan *p);

/* The part of csp_plan_build with a file of its own. */
void csp_plan_rests(struct csp_plan *p);

static inline uint32_t chain_length(const struct csp_plan *p, thread_id t)
{
    return p->chain_start[t + 1] - p->chain_start[t];
}

static inline const struct csp_link *chain_link(const struct csp_plan *p, thread_id t, uint32_t position)
{
    return &p->links[p->chain_start[t] + position];
}

/* A number for the accesses of one thread that lie between the same links. */
static inline uint32_t csp_segment(const struct csp_plan *p, event_id access)
{
    thread_id t = thread_of(p->m, access);

    return p->chain_start[t] + t + p->chain_position[access];
}

/* How many links of a thread are among the first `number` events of the trace. O(log). */
uint32_t chain_count_up_to(const struct csp_plan *p, thread_id t, event_id number);

/* The last time that another thread than `t` takes the lock, or 0. */
event_id csp_taken_by_others(const struct csp_plan *p, lock_id lock, thread_id t);

/* read.t.v, write.t.v, and the same for atomic ones: what an access is called. */
csp_event csp_access_label(struct csp_plan *p, thread_id t, variable_id v, bool writes, bool atomic);
