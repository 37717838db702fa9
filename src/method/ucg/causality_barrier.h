/* Causality barriers (CAV'10 §4, Algorithm 2 for n threads): places, one a thread, before which the observed
 * run can be taken as it is. No lock is held there, and nothing before them requires something after them. */
#pragma once
#include "method/ucg/causality.h"

struct barriers {
    const struct model *m;
    uint32_t *must;      /* by event and thread: how many events program order and requirements put before it */
    uint32_t *free_from; /* by place in thread_events: the last position up to there at which no lock is held */
};

void barriers_init(struct barriers *b, const struct model *m);
void barriers_free(struct barriers *b);

/* The last barrier before all that the property orders or leaves out, as a position a thread; false when it is
 * the start of the trace. */
bool barriers_find(const struct barriers *b, const struct causality_property *p, uint32_t *low);

/* Whether program order and requirements alone put one event before another, or they are the same. */
bool barriers_must(const struct barriers *b, event_id from, event_id to);
