/* Values: of observed reads, of writes, of writes in a run that was not observed. */
#include "report/value.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void values_init(struct values *v, const struct trace *trace)
{
    memset(v, 0, sizeof *v);
    v->trace = trace;
    if (!trace->value_tag)
        return;

    uint32_t *last = memory_new(trace_names(trace, NAME_VARIABLE), sizeof *last);
    v->source = memory_new(trace->count + 1, sizeof *v->source);
    v->initial = memory_new(trace_names(trace, NAME_VARIABLE), sizeof *v->initial);
    for (uint32_t e = 1; e <= trace->count; e++) {
        enum event_kind kind = trace_kind(trace, e);
        variable_id x = trace->arg[e];

        if (!kind_accesses(kind))
            continue;
        v->source[e] = last[x];
        if (kind_writes(kind))
            last[x] = e;
        else if (last[x] == EVENT_INIT && v->initial[x] == 0 && trace->value_tag[e] != VALUE_NONE)
            v->initial[x] = e;
    }
    free(last);
}

void values_free(struct values *v)
{
    free(v->source);
    free(v->initial);
}

static struct value recorded(const struct values *v, uint32_t event)
{
    return (struct value){(enum value_tag)v->trace->value_tag[event], v->trace->value[event]};
}

struct value value_written(const struct values *v, uint32_t write, variable_id variable)
{
    if (!v->source || (write == EVENT_INIT && v->initial[variable] == 0))
        return (struct value){VALUE_NONE, 0};
    return recorded(v, write == EVENT_INIT ? v->initial[variable] : write);
}

struct value value_observed(const struct values *v, uint32_t read)
{
    if (!v->source)
        return (struct value){VALUE_NONE, 0};
    if (!kind_updates(trace_kind(v->trace, read)) && v->trace->value_tag[read] != VALUE_NONE)
        return recorded(v, read);
    return value_written(v, v->source[read], v->trace->arg[read]);
}

static bool writes_to(const struct trace *trace, uint32_t event, variable_id variable)
{
    return kind_writes(trace_kind(trace, event)) && trace->arg[event] == variable;
}

struct value value_in_run(const struct values *v, const struct schedule *s, uint32_t write,
                          variable_id variable)
{
    const struct trace *trace = v->trace;
    uint32_t expected = write; /* backwards: the next write to the variable we must meet */
    bool started = false;
    uint32_t i = s->tail_count;

    if (!v->source)
        return (struct value){VALUE_NONE, 0};
    while (expected > s->prefix && kind_updates(trace_kind(trace, expected))) {
        while (i > 0 && (started ? !writes_to(trace, s->tail[i - 1], variable) : s->tail[i - 1] != write))
            i--;
        if (i == 0)
            return (struct value){VALUE_NONE, 0};
        if (s->tail[--i] != expected)
            return (struct value){VALUE_NONE, 0};
        started = true;
        expected = v->source[expected];
    }
    /* A chain that ends in a plain write or in the prefix: is that what the last rmw reads? */
    if (started) {
        while (i > 0 && !writes_to(trace, s->tail[i - 1], variable))
            i--;
        if (i > 0 ? s->tail[i - 1] != expected : expected > s->prefix)
            return (struct value){VALUE_NONE, 0};
    }
    return value_written(v, write, variable);
}

struct value value_read_in_run(const struct values *v, const struct schedule *s, uint32_t read)
{
    variable_id x = v->trace->arg[read];
    uint32_t i = 0;

    if (!v->source || read <= s->prefix)
        return value_observed(v, read);
    while (i < s->tail_count && s->tail[i] != read)
        i++;
    if (i == s->tail_count)
        return (struct value){VALUE_NONE, 0};
    while (i > 0 && !writes_to(v->trace, s->tail[i - 1], x))
        i--;
    if (i > 0)
        return value_in_run(v, s, s->tail[i - 1], x);
    /* Then it is the last write of the prefix: back from write to write until we are in it. */
    uint32_t source = v->source[read];
    while (source > s->prefix)
        source = v->source[source];
    return value_written(v, source, x);
}

struct value value_of_step(const struct values *v, const struct schedule *s, uint32_t event)
{
    enum event_kind kind = trace_kind(v->trace, event);

    if (!kind_accesses(kind))
        return (struct value){VALUE_NONE, 0};
    if (kind_writes(kind))
        return value_in_run(v, s, event, v->trace->arg[event]);
    return value_read_in_run(v, s, event);
}
