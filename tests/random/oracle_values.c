/* Grounds and values of a small trace (semantics §1): what an event stands on, what writes wrote and reads saw. */
#include "random/oracle_meaning.h"

/* Every earlier read of the thread. */
static event_set earlier_reads(const struct meaning *m, size_t event)
{
    return m->reads & m->of_thread[m->thread[event]] & (one_event(event) - 1);
}

static void read_by(struct meaning *m, size_t e)
{
    struct ground_list list = trace_by(m->trace, (uint32_t)e);

    if (!list.given || m->options.grounds_ignore) {
        m->by[e] = earlier_reads(m, e);
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        struct ground item = ground_at(&list, i);
        m->named_by[e] |= one_event(item.read);
        if (item.form == GROUND_RANGES && !m->options.values_ignore)
            m->by_ranges[e] = true;
        else
            m->by[e] |= one_event(item.read);
    }
}

static void read_from(struct meaning *m, size_t e)
{
    struct ground_list list = trace_from(m->trace, (uint32_t)e);

    if (!list.given || m->options.grounds_ignore) {
        m->from[e] = earlier_reads(m, e) | (m->reads & one_event(e));
        return;
    }
    for (uint32_t i = 0; i < list.count; i++) {
        struct ground item = ground_at(&list, i);
        m->named_from[e] |= one_event(item.read);
        m->from[e] |= one_event(item.read);
        if (item.form == GROUND_OFFSET && list.count == 1 && !m->options.values_ignore) {
            m->from_sum[e] = item.read;
            m->from_offset[e] = item.offset;
        }
    }
}

void meaning_grounds(struct meaning *m)
{
    for (size_t e = 1; e <= m->count; e++) {
        read_by(m, e);
        if (kind_writes(kind_of(m, e)))
            read_from(m, e);
    }
}

bool meaning_in_ranges(const struct meaning *m, size_t event, size_t read, struct oracle_value seen)
{
    struct ground_list list = trace_by(m->trace, (uint32_t)event);
    bool any = false;

    if (seen.kind != VALUE_NUMBER || has_event(m->by[event], read))
        return false;
    for (uint32_t i = 0; i < list.count; i++) {
        struct ground item = ground_at(&list, i);
        if (item.read != read)
            continue;
        if (!ground_allows(&item, seen.number))
            return false;
        any = true;
    }
    return any;
}

static struct oracle_value recorded(const struct meaning *m, size_t event)
{
    const struct trace *trace = m->trace;

    if (m->options.values_ignore || !trace->value_tag || trace->value_tag[event] == VALUE_NONE)
        return (struct oracle_value){VALUE_NEW, 0};
    if (trace->value_tag[event] == VALUE_NAME)
        return (struct oracle_value){VALUE_NAMED, trace->value[event]};
    enum value_type type = trace_variable_type(trace, trace->arg[event]);
    return (struct oracle_value){VALUE_NUMBER, type_wrap(type, trace->value[event])};
}

struct oracle_value meaning_sum(const struct meaning *m, size_t write, struct oracle_value seen)
{
    enum value_type type = trace_variable_type(m->trace, m->trace->arg[write]);

    if (!m->from_sum[write] || seen.kind != VALUE_NUMBER)
        return (struct oracle_value){VALUE_NEW, 0};
    return (struct oracle_value){VALUE_NUMBER, type_wrap(type, seen.number + m->from_offset[write])};
}

/* The initial value is known if a plain or atomic load saw it; an rmw or cas records what it wrote. */
static void find_initial_values(struct meaning *m)
{
    for (size_t x = 0; x < OBJECTS; x++)
        m->initial[x] = (struct oracle_value){VALUE_ORIGINAL, EVENT_INIT};
    for (size_t e = m->count; e > 0; e--) {
        bool loads = kind_of(m, e) == EVENT_READ || kind_of(m, e) == EVENT_ATOMIC_READ;
        if (loads && m->rf[e] == EVENT_INIT && value_known(recorded(m, e)))
            m->initial[m->variable[e]] = recorded(m, e);
    }
}

void meaning_values(struct meaning *m)
{
    find_initial_values(m);
    for (size_t e = 1; e <= m->count; e++) {
        enum event_kind kind = kind_of(m, e);

        if (kind_reads(kind)) {
            m->saw[e] = kind_writes(kind) ? (struct oracle_value){VALUE_NEW, 0} : recorded(m, e);
            if (!value_known(m->saw[e]))
                m->saw[e] = m->rf[e] == EVENT_INIT ? m->initial[m->variable[e]] : m->wrote[m->rf[e]];
        }
        if (!kind_writes(kind))
            continue;
        m->wrote[e] = recorded(m, e);
        if (!value_known(m->wrote[e]))
            m->wrote[e] = meaning_sum(m, e, m->saw[m->from_sum[e]]);
        if (!value_known(m->wrote[e]))
            m->wrote[e] = (struct oracle_value){VALUE_ORIGINAL, e};
    }
}

/* Whether the read sees the same write as in the trace, and what that wrote there. */
static bool sees_the_same(const struct meaning *m, size_t read, size_t source, struct oracle_value carried)
{
    struct oracle_value then = source == EVENT_INIT ? m->initial[m->variable[read]] : m->wrote[source];

    return source == m->rf[read] && values_equal(carried, then);
}

struct oracle_value meaning_seen(const struct meaning *m, size_t read, size_t source,
                                 struct oracle_value carried)
{
    return sees_the_same(m, read, source, carried) ? m->saw[read] : carried;
}

bool meaning_as_observed(const struct meaning *m, size_t read, size_t source, struct oracle_value carried)
{
    return m->options.ignore_data || sees_the_same(m, read, source, carried) ||
           (value_known(m->saw[read]) && values_equal(m->saw[read], carried));
}
