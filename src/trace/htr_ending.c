/* Blocks of the native format about the whole run: types of variables, what is printed, what frees memory, how it ended. Nothing is trusted. */
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <stdlib.h>
#include <string.h>

bool htr_types_decode(struct trace *trace, struct payload p, bool more)
{
    uint64_t count, variable, type;

    if (!get_varint(&p, &count) || count == 0)
        return false;
    for (; count > 0; count--) {
        if (!get_varint(&p, &variable) || !get_varint(&p, &type) || type == TYPE_UNKNOWN || type >= VALUE_TYPES)
            return false;
        if (variable >= trace_names(trace, NAME_VARIABLE)) {
            if (!more)
                return false;
            continue;
        }
        trace_set_variable_type(trace, (variable_id)variable, (enum value_type)type);
    }
    return p.at == p.end;
}

/* Variables from the `first` on; with `more`, those that the trace does not have are passed over. */
static bool set_types(struct trace *trace, uint64_t first, uint64_t count, enum value_type type, bool more)
{
    size_t known = trace_names(trace, NAME_VARIABLE);
    uint64_t end = first + count;

    if (end > known && !more)
        return false;
    for (uint64_t x = first; x < end && x < known; x++)
        trace_set_variable_type(trace, (variable_id)x, type);
    return true;
}

bool htr_type_runs_decode(struct trace *trace, struct payload p, bool more)
{
    uint64_t runs, skipped, length, type, next = 0;

    if (!get_varint(&p, &runs) || runs == 0)
        return false;
    for (; runs > 0; runs--) {
        if (!get_varint(&p, &skipped) || !get_varint(&p, &length) || !get_varint(&p, &type))
            return false;
        if (skipped > UINT32_MAX || length >= UINT32_MAX || type == TYPE_UNKNOWN || type >= VALUE_TYPES ||
            next > UINT32_MAX)
            return false;
        if (!set_types(trace, next + skipped, length + 1, (enum value_type)type, more))
            return false;
        next += skipped + length + 1;
    }
    return p.at == p.end;
}

/* Numbers of events before this block, ascending. */
static bool get_events(const struct trace *trace, struct payload p, bool frees, struct event_set *set)
{
    uint64_t count, step, event = 0;

    if (!get_varint(&p, &count) || count == 0)
        return false;
    for (; count > 0; count--) {
        if (!get_varint(&p, &step) || step == 0 || step > trace->count - event)
            return false;
        event += step;
        if (frees ? trace_kind(trace, event) != EVENT_WRITE : !kind_reads(trace_kind(trace, event)))
            return false;
        event_set_add(set, (uint32_t)event);
    }
    return p.at == p.end;
}

bool htr_printed_decode(struct trace *trace, struct payload p)
{
    return get_events(trace, p, false, &trace->printed);
}

bool htr_freeing_decode(struct trace *trace, struct payload p)
{
    return get_events(trace, p, true, &trace->freeing);
}

/* A line of text, to be freed; NULL: there is none. */
static char *get_line(struct payload *p)
{
    uint64_t length;
    const char *text;

    if (!get_varint(p, &length) || length > (size_t)(p->end - p->at))
        return NULL;
    text = (const char *)p->at;
    p->at += length;
    if (memchr(text, '\0', length) || memchr(text, '\n', length) || memchr(text, '\r', length))
        return NULL;
    return memory_text(text, length);
}

static bool get_outcome(struct trace_end *end, struct payload *p)
{
    uint64_t outcome, number;
    char *text;

    if (!get_varint(p, &outcome) || outcome >= RUN_OUTCOMES || !get_varint(p, &number) || !(text = get_line(p)))
        return false;
    if (outcome == RUN_UNKNOWN && (number != 0 || *text)) {
        free(text);
        return false;
    }
    trace_end_outcome(end, (enum run_outcome)outcome, number, *text ? text : NULL);
    free(text);
    return true;
}

static bool get_waiter(struct trace_end *end, struct payload *p)
{
    char *texts[4] = {NULL};
    bool good = true;

    for (int i = 0; i < 4 && good; i++)
        good = (texts[i] = get_line(p)) != NULL;
    good = good && *texts[0];
    if (good)
        trace_end_waiter(end, texts[0], texts[1], texts[2], texts[3]);
    for (int i = 0; i < 4; i++)
        free(texts[i]);
    return good;
}

static bool get_reason(struct trace_end *end, struct payload *p)
{
    char *reason = get_line(p);
    bool good = reason && *reason;

    if (good)
        trace_end_incomplete(end, reason);
    free(reason);
    return good;
}

bool htr_ending_decode(struct trace_end *end, struct payload p)
{
    uint64_t count;
    bool good;

    trace_end_free(end);
    good = get_outcome(end, &p) && get_varint(&p, &count);
    for (; good && count > 0; count--)
        good = get_waiter(end, &p);
    good = good && get_varint(&p, &count);
    for (; good && count > 0; count--)
        good = get_reason(end, &p);
    return good && p.at == p.end;
}
