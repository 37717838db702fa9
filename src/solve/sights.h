/* What soft reads see in a run: the first one that sees a value it must not. */
#pragma once
#include "solve/solver.h"

struct sight_check;

struct sight_check *sight_check_new(const struct model *m);
void sight_check_free(struct sight_check *c);

/* The run: the first `start` events as observed, then `order`. Threads that end in `cut` with a read may see
 * anything there unless they keep. Returns the read to bind next, or EVENT_NONE when all see what they may. */
event_id sight_check_run(struct sight_check *c, const struct query *q, const uint32_t *cut, event_id start,
                         const event_id *order, uint32_t count);
