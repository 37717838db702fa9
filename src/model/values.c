/* Values as the trace records them (semantics §1, "Values in a run"). */
#include "model/values.h"
#include "model/model_parts.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

bool known_in_ranges(struct known_value v, const struct value_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; known_is_number(v) && i < count; i++)
        if ((int64_t)v.number >= ranges[i].low && (int64_t)v.number <= ranges[i].high)
            return true;
    return false;
}

static struct known_value recorded(const struct model *m, event_id e)
{
    return (struct known_value){(enum value_tag)m->trace->value_tag[e], m->trace->value[e]};
}

struct known_value model_written(const struct model *m, event_id write, variable_id x)
{
    if (!m->values)
        return (struct known_value){VALUE_NONE, 0};
    if (write == EVENT_INIT)
        return m->initial_values[x];
    uint32_t sum =
        m->sums_count > 0 && m->trace->value_tag[write] == VALUE_NONE ? map_get(&m->sum_of, write) : 0;
    return sum ? m->sums[sum - 1] : recorded(m, write);
}

/* The value of an event that reads and writes is what it wrote. */
struct known_value model_seen(const struct model *m, event_id read)
{
    assert(m->source[read] != EVENT_NONE);
    if (m->values && !kind_writes(kind_of(m, read)) && m->trace->value_tag[read] != VALUE_NONE)
        return recorded(m, read);
    return model_written(m, m->source[read], arg_of(m, read));
}

struct made model_made(const struct model *m, event_id write)
{
    struct made made = {.form = MADE_OF_ALL};

    if (!m->grounds)
        return made;
    made.list = trace_from(m->trace, write);
    if (!made.list.given)
        return made;
    made.form = made.list.count == 0 ? MADE_CONSTANT : MADE_OF;
    if (m->values && made.list.count == 1) {
        struct ground g = ground_at(&made.list, 0);
        if (g.form == GROUND_OFFSET) {
            made.form = MADE_OFFSET;
            made.read = g.read;
            made.offset = g.offset;
        }
    }
    return made;
}

struct known_value model_add(const struct model *m, variable_id x, uint64_t number, uint64_t offset)
{
    uint64_t sum = type_wrap(trace_variable_type(m->trace, x), number + offset);

    return (struct known_value){(int64_t)sum < 0 ? VALUE_NEGATIVE : VALUE_UNSIGNED, sum};
}

bool model_may_carry(const struct model *m, event_id write, variable_id x, struct known_value value)
{
    if (known_equal(model_written(m, write, x), value))
        return true;
    return model_adds(m, write) && known_in_ranges(value, &m->sum_bounds[x], 1);
}

bool model_may_sum_to(const struct model *m, variable_id x, const struct value_range *ranges, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (ranges[i].low <= m->sum_bounds[x].high && ranges[i].high >= m->sum_bounds[x].low)
            return true;
    return false;
}

/* Which writes add to what was read; and what they wrote, where the trace does not record it. */
void values_find_sums(struct model *m)
{
    for (event_id e = 1; e <= m->event_count && m->grounds; e++) {
        struct made made = {.form = MADE_CONSTANT};
        if (kind_writes(kind_of(m, e)))
            made = model_made(m, e);
        if (made.form != MADE_OFFSET)
            continue;
        if (!m->adds)
            m->adds = memory_new(m->event_count / 8 + 1, 1);
        m->adds[e / 8] |= (uint8_t)(1u << e % 8);
        struct known_value seen = model_seen(m, made.read);
        if (m->trace->value_tag[e] != VALUE_NONE || !known_is_number(seen))
            continue;
        ARRAY_PUSH(m, sums, model_add(m, arg_of(m, e), seen.number, made.offset));
        *map_at(&m->sum_of, e) = (uint32_t)m->sums_count;
    }
}

/* Numbers up to this are added without wrapping, as often as a trace has events. */
#define SUMMED_MOST (INT64_C(1) << 30)

/* What is known of the numbers in a variable while bounds are found. */
struct sum_span {
    int64_t low, high;   /* of what the trace has in it */
    int64_t less, more;  /* what sums take away, and add, in all */
    int64_t least, most; /* … one of them */
    bool open;           /* there are no bounds */
};

static void span_number(struct sum_span *span, struct known_value value)
{
    int64_t number = (int64_t)value.number;

    if (!known_is_number(value))
        return;
    span->open |= number > SUMMED_MOST || number < -SUMMED_MOST;
    span->low = number < span->low ? number : span->low;
    span->high = number > span->high ? number : span->high;
}

static void span_sum(struct sum_span *span, int64_t offset)
{
    span->open |= offset > SUMMED_MOST || offset < -SUMMED_MOST;
    if (span->open)
        return;
    span->less += offset < 0 ? offset : 0;
    span->more += offset > 0 ? offset : 0;
    span->least = offset < span->least ? offset : span->least;
    span->most = offset > span->most ? offset : span->most;
}

/* A sum adds to what another write left, which may be a sum, and so on back to a number that the trace has; no write comes
 * twice in a run. */
static struct value_range span_bounds(const struct model *m, variable_id x, const struct sum_span *span)
{
    enum value_type type = trace_variable_type(m->trace, x);

    if (span->open || span->low > span->high || span->least > span->most)
        return (struct value_range){INT64_MIN, INT64_MAX};
    int64_t low = span->low + span->less, high = span->high + span->more;
    if ((int64_t)type_wrap(type, (uint64_t)low) != low || (int64_t)type_wrap(type, (uint64_t)high) != high)
        return (struct value_range){INT64_MIN, INT64_MAX}; /* a number may wrap */
    return (struct value_range){span->less < 0 ? low : low + span->least,
                                span->more > 0 ? high : high + span->most};
}

/* Finds the bounds of sums, which are known. */
void values_bound_sums(struct model *m)
{
    struct sum_span *spans = m->adds ? memory_new(m->variable_count, sizeof *spans) : NULL;

    if (!spans)
        return;
    for (variable_id x = 0; x < m->variable_count; x++) {
        spans[x] =
            (struct sum_span){.low = INT64_MAX, .high = INT64_MIN, .least = INT64_MAX, .most = INT64_MIN};
        span_number(&spans[x], m->initial_values[x]);
    }
    for (event_id e = 1; e <= m->event_count; e++) {
        if (!kind_accesses(kind_of(m, e)))
            continue;
        struct sum_span *span = &spans[arg_of(m, e)];
        span_number(span, recorded(m, e));
        if (!model_adds(m, e))
            continue;
        struct made made = model_made(m, e);
        span_number(span, model_written(m, e, arg_of(m, e)));
        span_sum(span, (int64_t)made.offset);
        span->open |= arg_of(m, made.read) != arg_of(m, e);
    }
    m->sum_bounds = memory_new(m->variable_count, sizeof *m->sum_bounds);
    for (variable_id x = 0; x < m->variable_count; x++)
        m->sum_bounds[x] = span_bounds(m, x, &spans[x]);
    free(spans);
}

/* The initial value of a variable is known when a plain or atomic read saw it. */
void values_find_initial(struct model *m)
{
    m->initial_values = memory_new(m->variable_count, sizeof *m->initial_values);
    for (event_id e = 1; e <= m->event_count; e++)
        if (m->source[e] == EVENT_INIT && !kind_writes(kind_of(m, e)) && m->trace->value_tag[e] != VALUE_NONE)
            m->initial_values[arg_of(m, e)] = recorded(m, e);
}
