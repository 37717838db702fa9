/* The processes of the paper for a plan: threads, stages (its FORK and JOIN among them), locks (its MUTEX), the
 * pattern of a race. */
#pragma once
#include "method/csp/csp_plan.h"

/* Who might race on what. */
struct csp_pattern {
    thread_id one, other;
    variable_id variable;
};

struct csp_processes {
    struct csp_plan *p;
    struct csp *c;
    csp_set synchronization; /* all labels of links */
    struct csp_pattern *patterns;
    size_t patterns_count, patterns_capacity;
    event_id *latest_release; /* by section: the last release of the lock's sections so far */
};

void csp_processes_init(struct csp_processes *pr, struct csp_plan *p);
void csp_processes_free(struct csp_processes *pr);

/* Starts over with an empty workshop; processes made before are gone. */
void csp_processes_reset(struct csp_processes *pr);

/* A thread with `position` links of its chain behind it. If `access` is not 0 the thread ends with it, an
 * access of its own that is the only one in the process. */
process_id csp_thread(struct csp_processes *pr, thread_id t, uint32_t position, event_id access);

/* What a process of the plan is after the first `number` events of the trace: of stages, or of a lock. */
process_id csp_leaf(struct csp_processes *pr, uint32_t leaf, event_id number);

/* PATTERN(t1, t2, v): does `race` right after two accesses that race, and lets everything happen meanwhile. */
process_id csp_pattern(struct csp_processes *pr, struct csp_pattern pattern);

/* The access as the pattern sees it. */
csp_event csp_label_of(struct csp_processes *pr, event_id access);
