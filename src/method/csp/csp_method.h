/* --method=csp: races by CSP models of the trace and trace refinement, data ignored (semantics §5). */
#pragma once
#include "base/stop.h"
#include "property/check.h"

/* Checks for races; fills `results`. Each is certified by conditions 1–3 of semantics §2 and confirmed by the
 * exact solver, or marked as needing another path. */
void csp_check(const struct model *m, const struct check_options *options, const stop_flag *stop,
               struct results *results);
