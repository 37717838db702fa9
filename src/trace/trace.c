/* A trace in memory: columns that grow together. */
#include "trace/trace.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void trace_reserve(struct trace *trace, size_t more)
{
    size_t capacity = trace->capacity;

    if (trace->count + 1 + more <= capacity)
        return;
    trace->op = memory_grow(trace->op, &capacity, trace->count + 1 + more, sizeof *trace->op);
    trace->capacity = capacity;
    trace->thread = memory_resize(trace->thread, capacity, sizeof *trace->thread);
    trace->arg = memory_resize(trace->arg, capacity, sizeof *trace->arg);
    trace->location = memory_resize(trace->location, capacity, sizeof *trace->location);
    if (trace->value_tag) {
        trace->value_tag = memory_resize(trace->value_tag, capacity, sizeof *trace->value_tag);
        trace->value = memory_resize(trace->value, capacity, sizeof *trace->value);
    }
    if (trace->grounds)
        trace->grounds = memory_resize(trace->grounds, capacity, sizeof *trace->grounds);
}

void trace_add_values(struct trace *trace)
{
    assert(!trace->value_tag && !trace->value);
    trace->value_tag = memory_resize(NULL, trace->capacity, sizeof *trace->value_tag);
    trace->value = memory_resize(NULL, trace->capacity, sizeof *trace->value);
    memset(trace->value_tag, VALUE_NONE, (trace->count + 1) * sizeof *trace->value_tag);
    memset(trace->value, 0, (trace->count + 1) * sizeof *trace->value);
}

void trace_add_grounds(struct trace *trace)
{
    assert(!trace->grounds);
    if (!trace->ground_pool)
        trace->ground_pool = grounds_new();
    trace->grounds = memory_resize(NULL, trace->capacity, sizeof *trace->grounds);
    memset(trace->grounds, 0, (trace->count + 1) * sizeof *trace->grounds);
}

void trace_set_variable_type(struct trace *trace, variable_id variable, enum value_type type)
{
    size_t known = trace->variable_types;

    assert(variable != NAME_NONE && type <= UINT8_MAX);
    if (variable >= known) {
        trace->variable_type = memory_grow(trace->variable_type, &trace->variable_types, (size_t)variable + 1,
                                           sizeof *trace->variable_type);
        memset(trace->variable_type + known, TYPE_UNKNOWN, trace->variable_types - known);
    }
    trace->variable_type[variable] = (uint8_t)type;
}

void trace_init(struct trace *trace)
{
    memset(trace, 0, sizeof *trace);
    for (int class = 0; class < NAME_CLASSES; class ++)
        names_init(&trace->names[class]);
    names_init(&trace->functions);
    trace_reserve(trace, 1);
    trace->op[EVENT_INIT] = op_make(EVENT_WRITE, ORDER_NONE);
    trace->thread[EVENT_INIT] = NAME_NONE;
    trace->arg[EVENT_INIT] = ARG_NONE;
    trace->location[EVENT_INIT] = NAME_NONE;
}

void trace_free(struct trace *trace)
{
    free(trace->op);
    free(trace->thread);
    free(trace->arg);
    free(trace->location);
    free(trace->value_tag);
    free(trace->value);
    free(trace->variable_type);
    trace_drop_grounds(trace);
    trace_end_free(&trace->end);
    event_set_free(&trace->printed);
    event_set_free(&trace->freeing);
    for (int class = 0; class < NAME_CLASSES; class ++)
        names_free(&trace->names[class]);
    names_free(&trace->functions);
    stacks_free(trace->stacks);
    stretches_free(&trace->own_places);
    free(trace->origin.program);
    free(trace->journal);
    free(trace->parts);
    free(trace->note);
    memset(trace, 0, sizeof *trace);
}

struct event trace_event(const struct trace *trace, size_t number)
{
    assert(number <= trace->count);
    return (struct event){
        .op = trace->op[number],
        .thread = trace->thread[number],
        .arg = trace->arg[number],
        .location = trace->location[number],
        .value_tag = trace->value_tag ? trace->value_tag[number] : VALUE_NONE,
        .value = trace->value ? trace->value[number] : 0,
        .grounds = trace->grounds ? trace->grounds[number] : GROUNDS_NONE,
    };
}
