/* Findings by source locations, for the methods that work on one thread. */
#pragma once
#include "base/map.h"
#include "finding/finding.h"
#include "trace/trace.h"

/* Adds a finding or, where `groups` knows one of the same property with the same set of locations, counts it
 * there. Without `groups` each is one of its own. Returns the finding that has it; valid until the next is
 * added. */
struct finding *located_add(struct finding_list *list, struct map *groups, const struct trace *trace,
                            enum property property, const uint32_t *events, uint32_t count);

/* Seconds of CPU time of this thread so far. */
double located_seconds(void);
