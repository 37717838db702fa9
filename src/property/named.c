/* The reads of its own variable that a write stands on. */
#include "property/named.h"

/* The last read of the write's variable that the list names, or EVENT_NONE. */
static event_id last_named(const struct model *m, struct ground_list list, event_id write)
{
    event_id named = EVENT_NONE;

    for (uint32_t i = 0; i < list.count; i++) {
        event_id read = ground_at(&list, i).read;
        if (arg_of(m, read) == arg_of(m, write) && (named == EVENT_NONE || read > named))
            named = read;
    }
    return named;
}

struct named_reads named_reads(const struct model *m, event_id write)
{
    struct named_reads named = {.count = 0};

    if (!m->grounds || kind_of(m, write) == EVENT_CAS)
        return named;
    event_id by = last_named(m, trace_by(m->trace, write), write);
    event_id from = last_named(m, trace_from(m->trace, write), write);
    if (by != EVENT_NONE)
        named.reads[named.count++] = by;
    if (from != EVENT_NONE && from != write && from != by)
        named.reads[named.count++] = from;
    return named;
}

bool named_with_range(const struct model *m, event_id write, event_id read, struct ground *by)
{
    struct ground_list decides, makes;
    bool found = false;

    if (!m->grounds)
        return false;
    decides = trace_by(m->trace, write);
    makes = trace_from(m->trace, write);
    for (uint32_t i = 0; i < makes.count; i++)
        if (ground_at(&makes, i).read == read)
            return false;
    for (uint32_t i = 0; i < decides.count && !found && makes.given; i++) {
        *by = ground_at(&decides, i);
        found = by->read == read && by->form == GROUND_RANGES;
    }
    return found;
}

/* Whether every run that holds the event has the read as observed. */
static bool is_kept(const struct model *m, event_id read, event_id e)
{
    return read_plain_at(m, read) <= m->position[e];
}

/* Whether the write carries what it wrote in the trace in every run in which it does write. */
static bool is_fixed(const struct model *m, event_id write)
{
    struct made made = model_made(m, write);
    bool cas = kind_of(m, write) == EVENT_CAS; /* it writes only as observed */

    switch (made.form) {
    case MADE_CONSTANT:
        return true;
    case MADE_OFFSET:
        return made.read == write ? cas : is_kept(m, made.read, write);
    case MADE_OF:
        for (uint32_t i = 0; i < made.list.count; i++) {
            event_id read = ground_at(&made.list, i).read;
            if (read == write ? !cas : !is_kept(m, read, write))
                return false;
        }
        return true;
    default:
        return (cas || !kind_reads(kind_of(m, write))) && !(m->grounds && trace_by(m->trace, write).given);
    }
}

enum likeness named_likeness(const struct model *m, event_id read, event_id remote, event_id write)
{
    struct known_value left = model_written(m, remote, arg_of(m, remote));
    struct ground by;

    if (!m->values)
        return LIKENESS_OTHER;
    if (!is_fixed(m, remote))
        return LIKENESS_OPEN;
    if (left.tag == VALUE_NONE)
        return LIKENESS_OTHER;
    if (named_with_range(m, write, read, &by) && known_in_ranges(left, by.ranges, by.range_count))
        return LIKENESS_SAME;
    if (!is_kept(m, read, write))
        return LIKENESS_OPEN;
    return known_equal(left, model_seen(m, read)) ? LIKENESS_SAME : LIKENESS_OTHER;
}
