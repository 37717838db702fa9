/* The reads of its own variable that a write stands on (SPEC §3, stale): at most one that decides it and one
 * that its value is made of.
 *
 * Of several that a list names only the last counts: the thread has looked again. A list that is not given names
 * none: which of the earlier reads matter is not known. A cas looks again as it writes. */
#pragma once
#include "model/model.h"
#include "trace/grounds.h"

struct named_reads {
    event_id reads[2];
    unsigned count;
};

/* `last` is the last read of the variable in the write's thread before the write, or EVENT_NONE. */
struct named_reads named_reads(const struct model *m, event_id write, event_id last);
