/* Traces on which the published methods, which take synchronization as the trace shows it and know no grounds, mean
 * the same runs as semantics §2. */
#pragma once
#include "trace/trace.h"

/* Whether the trace has none of cas, exit, join, waits, semaphores and grounds. */
static inline bool trace_is_plain(const struct trace *t)
{
    for (size_t e = 1; e <= t->count; e++) {
        enum event_kind kind = trace_kind(t, e);
        enum name_class class = kind_argument(kind);

        if (kind == EVENT_CAS || kind == EVENT_EXIT || kind == EVENT_JOIN || class == NAME_CONDITION ||
            class == NAME_SEMAPHORE)
            return false;
    }
    return !trace_has_grounds(t);
}
