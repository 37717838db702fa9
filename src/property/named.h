/* The reads of its own variable that a write stands on (semantics §3, stale): at most one that decides it and
 * one that its value is made of.
 *
 * Of several that a list names only the last counts: the thread has read again. A list that is not given names
 * none: what a recorder does not know must not become a finding. A cas compares again as it writes. */
#pragma once
#include "model/model.h"
#include "trace/grounds.h"

struct named_reads {
    event_id reads[2];
    unsigned count;
};

/* Whether a list that is given decides the write by ranges of what the read sees, which its value is not made
 * of. */
bool named_with_range(const struct model *m, event_id write, event_id read, struct ground *by);

/* Whether the remote write leaves what the read saw, or lets the check pass, when it comes right before the
 * write. */
enum likeness {
    LIKENESS_OPEN, /* it depends on the run */
    LIKENESS_SAME,
    LIKENESS_OTHER
};

enum likeness named_likeness(const struct model *m, event_id read, event_id remote, event_id write);

struct named_reads named_reads(const struct model *m, event_id write);
