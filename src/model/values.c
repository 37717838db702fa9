/* Values: which writes leave a variable as another one would (SPEC §2, --same-value).
 *
 * A read is soft when another write than its source carries the value it saw: a run may let it see that one
 * instead. */
#include "base/map.h"
#include "base/memory.h"
#include "model/model_parts.h"

#include <xxhash.h>

/* What a write leaves in x. */
static struct known_value value_written(const struct model *m, event_id write, variable_id x)
{
    const struct trace *trace = m->trace;

    if (write == EVENT_INIT)
        return m->initial_values[x];
    return (struct known_value){(enum value_tag)trace->value_tag[write], trace->value[write]};
}

/* What a read saw. */
static struct known_value value_read(const struct model *m, event_id read)
{
    const struct trace *trace = m->trace;

    if (!kind_updates(kind_of(m, read)) && trace->value_tag[read] != VALUE_NONE)
        return (struct known_value){(enum value_tag)trace->value_tag[read], trace->value[read]};
    return value_written(m, m->source[read], arg_of(m, read));
}

bool model_same_value(const struct model *m, event_id write, event_id read)
{
    if (write == m->source[read])
        return true;

    struct known_value left = value_written(m, write, arg_of(m, read)), seen = value_read(m, read);
    return left.tag != VALUE_NONE && left.tag == seen.tag && left.number == seen.number;
}

/* The initial value of a variable is known when a plain or atomic read saw it. */
static void find_initial_values(struct model *m)
{
    const struct trace *trace = m->trace;

    m->initial_values = memory_new(m->variable_count, sizeof *m->initial_values);
    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] == EVENT_INIT && !kind_updates(kind_of(m, e)) && trace->value_tag[e] != VALUE_NONE)
            m->initial_values[arg_of(m, e)] =
                (struct known_value){(enum value_tag)trace->value_tag[e], trace->value[e]};
}

/* Counts the writes that leave a value in a variable; the key stands for both. */
static uint32_t *writers_of(struct map *writers, variable_id x, struct known_value value)
{
    struct {
        uint64_t number;
        uint32_t variable, tag;
    } key = {value.number, x, (uint32_t)value.tag};

    return map_at(writers, XXH3_64bits(&key, sizeof key));
}

void values_find_soft(struct model *m)
{
    struct map writers = {0};

    find_initial_values(m);
    m->soft = memory_new(m->event_count / 8 + 1, 1);
    for (variable_id x = 0; x < m->variable_count; x++)
        if (m->initial_values[x].tag != VALUE_NONE)
            ++*writers_of(&writers, x, m->initial_values[x]);
    for (event_id e = 1; e <= m->event_count; e++)
        if (kind_writes(kind_of(m, e)) && m->trace->value_tag[e] != VALUE_NONE)
            ++*writers_of(&writers, arg_of(m, e), value_written(m, e, arg_of(m, e)));
    for (event_id e = 1; e <= m->event_count; e++) {
        if (m->source[e] == EVENT_NONE)
            continue;
        struct known_value seen = value_read(m, e);
        struct known_value left = value_written(m, m->source[e], arg_of(m, e));
        bool own = left.tag == seen.tag && left.number == seen.number; /* the source is among the writers */
        if (seen.tag != VALUE_NONE && *writers_of(&writers, arg_of(m, e), seen) > own)
            m->soft[e / 8] |= (uint8_t)(1u << e % 8);
    }
    map_free(&writers);
}
