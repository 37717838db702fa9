/* Whether two ways to check a trace say the same: in everything, or as far as they must. */
#pragma once
#include "finding/results.h"
#include "trace/trace.h"

/* Number by number. */
bool results_equal(const struct results *a, const struct results *b);

/* The same verdicts. Which assumptions a contradiction needed depends on the order in which it was found: schedules and the class
 * of a refutation may differ then, and the order of findings, since what one way leaves for another round of the budget the other
 * may decide at once. Verdicts may not, but what one way leaves undecided in the end the other may decide. */
bool results_agree(const struct results *a, const struct results *b);

/* The same groups. Where reads or waits are in doubt, a grouped check spends little on candidates at places that a finding stands
 * for, and asks last those that take long. How much that is differs between both ways: one may skip a candidate that the other
 * counts, or show it first. Everything else is the same. */
bool groups_agree(const struct trace *t, const struct results *a, const struct results *b);
