/* Values: of observed reads, of writes, of writes in a run that was not observed. */
#include "report/value.h"
#include "base/memory.h"
#include "report/value_run.h"

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
    v->run = run_values_new();
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
    run_values_free(v->run);
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

struct value value_in_run(const struct values *v, const struct schedule *s, uint32_t write,
                          variable_id variable)
{
    if (!v->source || write == EVENT_INIT || write <= s->prefix)
        return value_written(v, write, variable);
    return run_value(v, s, write, true);
}

struct value value_read_in_run(const struct values *v, const struct schedule *s, uint32_t read)
{
    if (!v->source || read <= s->prefix)
        return value_observed(v, read);
    return run_value(v, s, read, false);
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
