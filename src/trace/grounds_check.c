/* Checks grounds: first each event on its own, then against the values of the whole trace. */
#include "base/memory.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <stdlib.h>

/* A list and its word, for messages. */
struct list {
    const struct trace *trace;
    struct ground_list grounds;
    const char *word;
    bool from;
};

static enum status check_item(const struct list *list, const struct ground *g, struct error *err)
{
    const struct trace *trace = list->trace;
    uint32_t event = list->grounds.event;
    enum event_kind kind = trace_kind(trace, event);

    if (g->read == event && !list->from)
        return fail(err, HEDDLE_BAD_TRACE, "%s names %" PRIu32 ", the event itself", list->word, g->read);
    if (g->read == event && !kind_updates(kind))
        return fail(err, HEDDLE_BAD_TRACE, "from names %" PRIu32 ", the event itself, which reads nothing",
                    g->read);
    if (g->read == EVENT_INIT || g->read > event)
        return fail(err, HEDDLE_BAD_TRACE, "%s names %" PRIu32 ", which is no earlier event", list->word,
                    g->read);
    if (trace->thread[g->read] != trace->thread[event])
        return fail(err, HEDDLE_BAD_TRACE, "%s names %" PRIu32 ", an event of %.80s and not of %.80s",
                    list->word, g->read, trace_name(trace, NAME_THREAD, trace->thread[g->read]),
                    trace_name(trace, NAME_THREAD, trace->thread[event]));
    if (!kind_reads(trace_kind(trace, g->read)))
        return fail(err, HEDDLE_BAD_TRACE, "%s names %" PRIu32 ", which is no read: %s", list->word, g->read,
                    kind_word(trace_kind(trace, g->read)));
    if (g->form == GROUND_RANGES && list->from)
        return fail(err, HEDDLE_BAD_TRACE, "from names %" PRIu32 " with ranges, which belong in by", g->read);
    if (g->form == GROUND_OFFSET && !list->from)
        return fail(err, HEDDLE_BAD_TRACE, "by names %" PRIu32 " with an offset, which belongs in from",
                    g->read);
    if (g->form == GROUND_OFFSET && list->grounds.count > 1)
        return fail(err, HEDDLE_BAD_TRACE, "from names %" PRIu32 " with an offset among other reads", g->read);
    for (uint32_t i = 0; i < g->range_count; i++)
        if (g->ranges[i].low > g->ranges[i].high)
            return fail(err, HEDDLE_BAD_TRACE,
                        "the range %" PRId64 "..%" PRId64 " of read %" PRIu32 " is empty", g->ranges[i].low,
                        g->ranges[i].high, g->read);
    return HEDDLE_OK;
}

static enum status check_list(const struct list *list, struct error *err)
{
    for (uint32_t i = 0; i < list->grounds.count; i++) {
        struct ground g = ground_at(&list->grounds, i);
        if (check_item(list, &g, err) != HEDDLE_OK)
            return err->status;
    }
    return HEDDLE_OK;
}

enum status grounds_check(const struct trace *trace, uint32_t event, struct error *err)
{
    const struct list by = {trace, trace_by(trace, event), "by", false};
    const struct list from = {trace, trace_from(trace, event), "from", true};

    if (from.grounds.given && !kind_writes(trace_kind(trace, event)))
        return fail(err, HEDDLE_BAD_TRACE, "%s writes nothing, so it has no from",
                    kind_word(trace_kind(trace, event)));
    if (check_list(&by, err) != HEDDLE_OK)
        return err->status;
    return check_list(&from, err);
}

/* What reads saw: their own value, or of an rmw or cas, which records what it wrote, the value of the write it
 * saw. */
struct seen {
    const struct trace *trace;
    uint32_t *source;  /* by event, of each rmw and cas: the write it saw, or EVENT_INIT */
    uint32_t *initial; /* by variable: a read that saw the initial value and recorded it, or 0 */
};

static void seen_init(struct seen *s, const struct trace *trace)
{
    size_t variables = trace_names(trace, NAME_VARIABLE);
    uint32_t *last = memory_new(variables, sizeof *last);

    s->trace = trace;
    s->source = memory_new(trace->count + 1, sizeof *s->source);
    s->initial = memory_new(variables, sizeof *s->initial);
    for (uint32_t e = 1; e <= trace->count; e++) {
        enum event_kind kind = trace_kind(trace, e);
        variable_id x = trace->arg[e];

        if (!kind_accesses(kind))
            continue;
        s->source[e] = last[x];
        if (kind_writes(kind))
            last[x] = e;
        else if (last[x] == EVENT_INIT && trace->value_tag[e] != VALUE_NONE)
            s->initial[x] = e;
    }
    free(last);
}

static void seen_free(struct seen *s)
{
    free(s->source);
    free(s->initial);
}

/* The event whose recorded value is what the read saw, or 0. */
static uint32_t seen_in(const struct seen *s, uint32_t read)
{
    uint32_t in = read;

    if (kind_updates(trace_kind(s->trace, read)))
        in = s->source[read] != EVENT_INIT ? s->source[read] : s->initial[s->trace->arg[read]];
    return in;
}

static bool has_number(const struct trace *trace, uint32_t event)
{
    return event != 0 &&
           (trace->value_tag[event] == VALUE_UNSIGNED || trace->value_tag[event] == VALUE_NEGATIVE);
}

static enum status check_ranges(const struct seen *s, uint32_t event, struct error *err)
{
    struct ground_list by = trace_by(s->trace, event);

    for (uint32_t i = 0; i < by.count; i++) {
        struct ground g = ground_at(&by, i);
        uint32_t in = g.form == GROUND_RANGES ? seen_in(s, g.read) : 0;
        if (has_number(s->trace, in) && !ground_allows(&g, s->trace->value[in]))
            return fail(err, HEDDLE_BAD_TRACE,
                        "by names read %" PRIu32 " with ranges that leave out the value it saw, %" PRId64,
                        g.read, (int64_t)s->trace->value[in]);
    }
    return HEDDLE_OK;
}

static enum status check_offset(const struct seen *s, uint32_t event, struct error *err)
{
    const struct trace *trace = s->trace;
    struct ground_list from = trace_from(trace, event);
    enum value_type type;
    struct ground g;
    uint32_t in;

    if (from.count == 0)
        return HEDDLE_OK;
    g = ground_at(&from, 0);
    in = g.form == GROUND_OFFSET ? seen_in(s, g.read) : 0;
    if (!has_number(trace, in) || trace->value_tag[event] == VALUE_NONE)
        return HEDDLE_OK;
    type = trace_variable_type(trace, trace->arg[event]);
    if (has_number(trace, event) &&
        type_wrap(type, trace->value[in] + g.offset) == type_wrap(type, trace->value[event]))
        return HEDDLE_OK;
    return fail(err, HEDDLE_BAD_TRACE,
                "from says read %" PRIu32 "%+" PRId64 ", which is %" PRId64 ", but another value was written",
                g.read, (int64_t)g.offset, (int64_t)type_wrap(type, trace->value[in] + g.offset));
}

enum status grounds_check_values(const struct trace *trace, uint32_t *event, struct error *err)
{
    struct seen seen;
    enum status status = HEDDLE_OK;

    if (!trace->grounds || !trace->value_tag)
        return HEDDLE_OK;
    seen_init(&seen, trace);
    for (uint32_t e = 1; e <= trace->count && status == HEDDLE_OK; e++) {
        if (trace->grounds[e] == GROUNDS_NONE)
            continue;
        status = check_ranges(&seen, e, err);
        if (status == HEDDLE_OK)
            status = check_offset(&seen, e, err);
        *event = e;
    }
    seen_free(&seen);
    return status;
}
