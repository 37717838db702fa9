/* A trace as text on a stream, and copies event by event. */
#include "random/print.h"

#include <inttypes.h>

static void print_value(FILE *out, const struct trace *trace, const struct event *e)
{
    switch (e->value_tag) {
    case VALUE_UNSIGNED:
        fprintf(out, "=%" PRIu64, e->value);
        break;
    case VALUE_NEGATIVE:
        fprintf(out, "=%" PRId64, (int64_t)e->value);
        break;
    case VALUE_NAME:
        fprintf(out, "=%s", trace_name(trace, NAME_VALUE, (uint32_t)e->value));
        break;
    default:
        break;
    }
}

void trace_print_std(FILE *out, const struct trace *trace)
{
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        enum event_kind kind = op_kind(e.op);

        fprintf(out, "%s|%s%s", trace_name(trace, NAME_THREAD, e.thread), kind_word(kind),
                order_suffix(op_order(e.op)));
        if (e.arg != ARG_NONE) {
            fprintf(out, "(%s", trace_name(trace, kind_argument(kind), e.arg));
            print_value(out, trace, &e);
            fputc(')', out);
        }
        fprintf(out, "|%s\n", e.location == NAME_NONE ? "" : trace_name(trace, NAME_LOCATION, e.location));
    }
}

static uint32_t copy_name(struct trace *to, const struct trace *from, enum name_class class, uint32_t id)
{
    const struct names *names = &from->names[class];

    return names_add(&to->names[class], names_text(names, id), names_length(names, id));
}

void trace_append_from(struct trace *to, const struct trace *from, struct event event)
{
    event.thread = copy_name(to, from, NAME_THREAD, event.thread);
    event.grounds = GROUNDS_NONE; /* of the other trace's pool */
    if (event.arg != ARG_NONE)
        event.arg = copy_name(to, from, kind_argument(op_kind(event.op)), event.arg);
    if (event.location != NAME_NONE)
        event.location = copy_name(to, from, NAME_LOCATION, event.location);
    if (event.value_tag == VALUE_NAME)
        event.value = copy_name(to, from, NAME_VALUE, (uint32_t)event.value);
    trace_append(to, &event);
}
