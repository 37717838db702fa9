/* The reads of its own variable that a write stands on. */
#include "property/named.h"

struct named_reads named_reads(const struct model *m, event_id write, event_id last)
{
    if (last == EVENT_NONE || kind_reads(kind_of(m, write)))
        return (struct named_reads){.count = 0};
    return (struct named_reads){.reads = {last}, .count = 1};
}
