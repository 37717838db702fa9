/* Further rounds of a check: batches that left something undecided because their work was used up are done again, with what is
 * left of it, in parts. How they are split depends on what they left undecided and never on the number of workers. Private to
 * this room. */
#pragma once
#include "property/rounds.h"

/* Brings what is to be done again into an order that does not depend on the number of workers. */
void again_sort(struct again_list *again);

/* In a grouped check, what was left undecided at locations that a finding is about needs no other round. `found`: so many lists
 * of findings that hold for good. */
void again_drop_shown(struct check_plan *plan, const struct finding_list *const *found, size_t count);

/* Lists the parts of the next round, and shares the work out evenly among the units that left something undecided. False: there
 * are none. */
bool again_plan(struct check_plan *plan, double work);

/* After a round: its parts take the place of what they are parts of, unless the round was stopped. */
void again_take(struct check_plan *plan);
