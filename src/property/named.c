/* The reads of its own variable that a write stands on. */
#include "property/named.h"

/* The last read of the write's variable that the list names; the write itself where it has looked again. */
static event_id last_named(const struct model *m, const struct ground_list *list, event_id write, event_id last)
{
    event_id named = EVENT_NONE;

    if (!list->given || last == EVENT_NONE)
        return EVENT_NONE;
    for (uint32_t i = 0; i < list->count; i++) {
        event_id read = ground_at(list, i).read;
        if (arg_of(m, read) == arg_of(m, write) && (named == EVENT_NONE || read > named))
            named = read;
    }
    return named;
}

struct named_reads named_reads(const struct model *m, event_id write, event_id last)
{
    struct ground_list lists[] = {trace_by(m->trace, write), trace_from(m->trace, write)};
    struct named_reads named = {.count = 0};

    for (unsigned i = 0; i < 2 && kind_of(m, write) != EVENT_CAS; i++) {
        event_id read = last_named(m, &lists[i], write, last);
        if (read != EVENT_NONE && read != write && (named.count == 0 || named.reads[0] != read))
            named.reads[named.count++] = read;
    }
    return named;
}
