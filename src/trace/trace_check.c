/* What holds of every trace that was loaded. */
#include "base/invariant.h"
#include "trace/trace.h"
#include "trace/validate.h"

/* Ids lie within the names there are. */
static bool ids_are_known(const struct trace *trace)
{
    for (size_t e = 1; e <= trace->count; e++) {
        enum name_class class = kind_argument(trace_kind(trace, e));
        assert(trace_kind(trace, e) < EVENT_KINDS && op_order(trace->op[e]) < ORDERS);
        assert(trace->thread[e] < trace_names(trace, NAME_THREAD));
        assert(trace->arg[e] == ARG_NONE ||
               (class < NAME_CLASSES && trace->arg[e] < trace_names(trace, class)));
        assert(trace->arg[e] != ARG_NONE || class == NAME_CLASSES || class == NAME_BLOCK);
        assert(trace->location[e] == NAME_NONE || trace->location[e] < trace_names(trace, NAME_LOCATION));
    }
    return true;
}

static bool values_are_sound(const struct trace *trace)
{
    for (size_t e = 1; trace->value_tag && e <= trace->count; e++) {
        assert(trace->value_tag[e] <= VALUE_NAME);
        assert(trace->value_tag[e] == VALUE_NONE || kind_has_value(trace_kind(trace, e)));
        assert(trace->value_tag[e] != VALUE_NEGATIVE || trace->value[e] >> 63 == 1);
        assert(trace->value_tag[e] != VALUE_NAME || trace->value[e] < trace_names(trace, NAME_VALUE));
    }
    return true;
}

/* What an event stands on are earlier reads of its own thread, each named once. */
static bool grounds_are_sound(const struct trace *trace)
{
    for (uint32_t e = 1; trace->grounds && e <= trace->count; e++) {
        struct ground_list by = trace_by(trace, e);
        assert(trace->grounds[e] < grounds_count(trace->ground_pool));
        for (uint32_t i = 0; i < by.count; i++) {
            struct ground g = ground_at(&by, i);
            assert(g.read >= 1 && g.read < e && trace->thread[g.read] == trace->thread[e]);
            assert(kind_reads(trace_kind(trace, g.read)));
        }
    }
    return true;
}

bool trace_is_sound(const struct trace *trace)
{
    struct error err;

    assert(trace->count < trace->capacity);
    assert(trace_kind(trace, EVENT_INIT) == EVENT_WRITE && trace->thread[EVENT_INIT] == NAME_NONE);
    assert(!trace->value_tag == !trace->value && (!trace->grounds || trace->ground_pool));
    assert(ids_are_known(trace) && values_are_sound(trace) && grounds_are_sound(trace));
    assert(validate_again(trace, NULL, &err) == HEDDLE_OK);
    return true;
}
