/* Findings put in order and grouped by the places in the source they are about. */
#pragma once
#include "finding/results.h"
#include "trace/trace.h"

/* Sorts findings by property and events, and numbers their groups from 1 within each property: one group for
 * each set of source locations, where the initial write, and what has no location, counts as a place of its
 * own; conflicts in a block and cycles of blocks stay apart. In a grouped check only the first finding of each
 * group stays, with the counts of all added up. Undecided ones are sorted and numbered the same way, and all
 * stay. The outcome does not depend on the order they come in. */
void group_findings(struct results *results, const struct trace *trace);
