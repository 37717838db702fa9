/* What grounds say of the sections of a lock: how far a section comes although a read saw something else, and which of its writes
 * may carry other numbers than they wrote. */
#include "model/guarded.h"

#include <assert.h>

/* How many writes of a section are followed from one to the next. */
enum { FOLLOWED = 8 };

uint32_t guarded_stop(const struct model *m, event_id read, struct known_value seen)
{
    uint32_t plain = read_plain_at(m, read), first = read_first_at(m, read);

    if (first >= plain)
        return plain;
    struct ground_list by = trace_by(m->trace, event_at(m, thread_of(m, read), first));
    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        if (g.read == read && !known_in_ranges(seen, g.ranges, g.range_count))
            return first;
    }
    return plain;
}

/* A write that is no sum carries what it wrote or something new, which no read takes for what it saw. A sum carries what it wrote
 * if the read that it adds to is as observed; and what it adds to something new is new. */
uint32_t guarded_adds_to(const struct model *m, event_id write, uint32_t end,
                         const struct guarded_events *events)
{
    for (unsigned i = 0; i < FOLLOWED; i++) {
        assert(kind_writes(kind_of(m, write)));
        struct made made = model_made(m, write);
        if (made.form != MADE_OFFSET || read_plain_at(m, made.read) <= end)
            return ADDS_TO_NOTHING;
        uint32_t op = map_get(&events->op_of, made.read);
        if (op > 0)
            return op - 1;
        write = m->source[made.read];
        if (made.read < events->begin || !map_get(&events->writes, write))
            return ADDS_TO_ANYTHING;
        /* What its own section wrote to a variable of the lock it sees in every run. */
    }
    return ADDS_TO_ANYTHING;
}
