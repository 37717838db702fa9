/* --method=ucg: races and atomicity violations by the universal causality graphs of CAV'10 (semantics §5). */
#pragma once
#include "base/stop.h"
#include "property/check.h"

/* Checks for races and atomicity violations, as the options ask for; fills `results`. What the causality graphs
 * leave is decided by the exact solver; its findings are certified like those of every exact check. */
void ucg_check(const struct model *m, const struct check_options *options, const stop_flag *stop,
               struct results *results);
