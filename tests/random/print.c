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

static void print_ranges(FILE *out, const struct ground *item)
{
    for (uint32_t i = 0; i < item->range_count; i++) {
        fputc(i == 0 ? '[' : ';', out);
        if (item->ranges[i].low != INT64_MIN)
            fprintf(out, "%" PRId64, item->ranges[i].low);
        fprintf(out, "..");
        if (item->ranges[i].high != INT64_MAX)
            fprintf(out, "%" PRId64, item->ranges[i].high);
    }
    fputc(']', out);
}

static void print_list(FILE *out, const char *before, struct ground_list list)
{
    if (!list.given)
        return;
    fprintf(out, "%s %s", before, list.count == 0 ? "-" : "");
    for (uint32_t i = 0; i < list.count; i++) {
        struct ground item = ground_at(&list, i);
        fprintf(out, "%s%" PRIu32, i > 0 ? "," : "", item.read);
        if (item.form == GROUND_RANGES)
            print_ranges(out, &item);
        if (item.form == GROUND_OFFSET)
            fprintf(out, "%+" PRId64, (int64_t)item.offset);
    }
}

static void print_grounds(FILE *out, const struct trace *trace, uint32_t event)
{
    struct ground_list by = trace_by(trace, event), from = trace_from(trace, event);

    print_list(out, "|by", by);
    print_list(out, by.given ? " from" : "|from", from);
}

void trace_print_std(FILE *out, const struct trace *trace)
{
    for (variable_id x = 0; x < trace_names(trace, NAME_VARIABLE); x++) {
        if (trace_variable_type(trace, x) != TYPE_UNKNOWN)
            fprintf(out, "#type %s %s\n", trace_name(trace, NAME_VARIABLE, x),
                    type_word(trace_variable_type(trace, x)));
    }
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
        fprintf(out, "|%s", e.location == NAME_NONE ? "" : trace_name(trace, NAME_LOCATION, e.location));
        print_grounds(out, trace, (uint32_t)number);
        fputc('\n', out);
    }
}
