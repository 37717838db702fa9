/* Whether the trace of a replayed run shows a finding. An event counts as having happened only if the trace
 * has it at the same position of its thread, with the same kind and place. */
#pragma once
#include "replay/outcome.h"
#include "replay/plan.h"

struct attempt {
    struct replay_case *c;
    const struct finding *finding;
    struct schedule_script script;
    struct replay_result result;
};

/* Whether the run did what the finding says can happen; says in `to` what it did. Where something else
 * happened, the result's divergence says what. */
bool evidence_shows(struct attempt *attempt, struct buffer *to);
