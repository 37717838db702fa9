/* Shorter schedules: fewer changes from thread to thread, still showing the finding. */
#pragma once
#include "replay/plan.h"

/* A schedule for the finding with as few switches as could be found, accepted by the checker; the finding's own
 * when there is nothing to gain. Its tail is to be freed. */
void minimise_schedule(struct replay_case *c, const struct finding *finding, struct schedule *to);
