/* The state of a search, and moving threads about in it. Private to csp_state.c and csp_search.c. */
#pragma once
#include "base/stop.h"
#include "method/csp/csp_search.h"

#define THREAD_NONE UINT32_MAX

/* One step of the way, and what it takes to take it back. */
struct taken {
    thread_id thread;
    uint32_t leaf;
    process_id leaf_before, thread_before;
    uint32_t open_before, missed_before;
};

/* A state of the depth-first part: where the way to it left the one above, and the last choice tried in it. */
struct csp_frame {
    size_t mark;
    event_id tried;
};

struct csp_search {
    struct csp_processes *pr;
    const struct csp_plan *p;
    const struct model *m;
    uint64_t budget;
    const stop_flag *stop;
    struct csp_search_stats stats;

    event_id goal[2], prefix;
    uint32_t *position, *limit, *scanned; /* by thread */
    process_id *thread;                   /* by thread: the process it has become */
    thread_id *movers;                    /* threads with something left in their windows */
    uint32_t mover_count;
    bool *blocked; /* by thread: its next step to a rest failed since the last that did not */

    process_id *leaf; /* by process of the plan; of an older epoch: as after the prefix */
    uint32_t *leaf_epoch, epoch;

    uint32_t open;   /* sections that are open and that others may want */
    uint32_t missed; /* tries that can no longer fail */
    struct taken *path;
    size_t path_count, path_capacity;
    size_t committed; /* the way to the last rest */

    struct csp_frame *frames;
    size_t frames_count, frames_capacity;
    uint32_t *states; /* positions of the movers, one state after the other */
    size_t states_count, states_capacity;
    uint32_t *slots; /* open addressing over 1 + number of a state; 0 is free */
    size_t slot_count, visited;
    struct csp_steps steps;
};

/* Everything as after the observed prefix from which the race (a, b) is looked for, with windows for all
 * threads. */
void state_start(struct csp_search *s, event_id a, event_id b);

/* Does the thread's next event, which there must be, if SYNC lets it. */
bool state_take(struct csp_search *s, thread_id t);

/* Takes the last events back until the way is `to` long. */
void state_take_back(struct csp_search *s, size_t to);

/* Whether an event can be disabled by others or disables some of theirs. */
bool state_is_choice(const struct csp_search *s, thread_id t, const struct csp_link *link);

/* Adds the state to those visited; false if it was there. */
bool state_add(struct csp_search *s);

/* What the thread does next inside its window, or NULL. */
static inline const struct csp_link *next_link(const struct csp_search *s, thread_id t)
{
    return s->position[t] < s->limit[t] ? chain_link(s->p, t, s->position[t]) : NULL;
}

/* Whether no lock is held that others want, and no try was passed by. */
static inline bool is_rest(const struct csp_search *s)
{
    return s->open == 0 && s->missed == 0;
}
