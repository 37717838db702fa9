/* Open sections that a run cannot leave open: a write that the run holds would come between a read in them and its source. */
#pragma once
#include "solve/cut.h"

/* Whether every run that holds `least` would have to release a section that the query keeps open. Raises `least` to what
 * these runs hold otherwise. */
bool overtaken_refutes(const struct model *m, const struct query *q, uint32_t *least, struct rivals *rivals);
