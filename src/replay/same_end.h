/* Whether a recorded run that failed fails the same way again. */
#pragma once
#include "replay/confirm.h"

/* Fills the verdict from the run of the recorded schedule that the case has made: confirmed if that ended as the
 * trace says. */
void replay_same_end(const struct replay_case *c, struct replay_verdict *verdict);
