/* One candidate that a person names: decided as a check decides it, and the verdict explained. */
#pragma once
#include "base/buffer.h"
#include "base/error.h"
#include "property/check.h"
#include "solve/solver.h"

/* Decides the candidate; its events are those of candidate_fill. Of an infeasible one `why` says the reason. A schedule, which is
 * certified, is the caller's to free. Fails if the events are no candidate of the property. */
enum status candidate_explain(const struct model *m, enum property property, const uint32_t *events,
                              uint32_t count, const struct check_options *options, const stop_flag *stop,
                              struct verdict *verdict, struct buffer *why, struct error *err);
