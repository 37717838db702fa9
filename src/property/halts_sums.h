/* What variables that threads count in can hold where threads halt; private to halts. */
#pragma once
#include "model/model.h"

struct halts_sums;

/* NULL if no variable of the model tells anything. */
struct halts_sums *halts_sums_new(const struct model *m);
void halts_sums_free(struct halts_sums *s);

/* Each thread stands somewhere from `low` to `high`, where what comes next can happen. Raises the one and lowers the other to
 * where variables can hold the numbers that reads must have seen by then. False if there is no such place. `s` may be
 * NULL. */
bool halts_sums_limit(struct halts_sums *s, uint32_t *low, uint32_t *high);
