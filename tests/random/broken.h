/* Findings with their schedules, right and broken, before the checker: it accepts the right ones, and of the broken ones none that
 * the oracle does not have. */
#pragma once
#include "finding/finding.h"
#include "random/oracle.h"

/* Whether the checker and the oracle differ on what is made of these findings, all of which are right; says it. `tuple_of` gives a
 * finding in the oracle's terms. */
bool broken_differ(FILE *out, const struct trace *t, struct oracle_options how,
                   const struct finding_list *right, const struct oracle_sets *sets,
                   struct tuple (*tuple_of)(const struct trace *t, const struct finding *f),
                   enum oracle_property (*counterpart)(enum property property));
