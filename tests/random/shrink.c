/* Makes a failing trace small: greedy, biggest steps first, until none helps. */
#include "random/shrink.h"
#include "random/shrink_grounds.h"
#include "trace/cut_down.h"
#include "trace/validate.h"

struct shrinker {
    struct trace *trace;
    bool (*fails)(const struct trace *t, void *context);
    void *context;
};

static bool trace_valid(const struct trace *t)
{
    struct error err;
    uint32_t at;
    bool valid = validate_again(t, NULL, &err) == HEDDLE_OK;

    for (size_t number = 1; valid && number <= t->count; number++)
        valid = grounds_check(t, (uint32_t)number, &err) == HEDDLE_OK;
    return valid && grounds_check_values(t, &at, &err) == HEDDLE_OK;
}

/* Takes the candidate in place of the trace if it will do; frees the other one. */
static bool try_candidate(struct shrinker *s, struct trace *candidate)
{
    if (!trace_valid(candidate) || !s->fails(candidate, s->context)) {
        trace_free(candidate);
        return false;
    }
    trace_free(s->trace);
    *s->trace = *candidate;
    return true;
}

/* Tries the trace without the events marked as dropped. */
static bool try_drop(const bool *dropped, void *context)
{
    struct shrinker *s = context;
    struct trace candidate;

    trace_without(&candidate, s->trace, dropped);
    return try_candidate(s, &candidate);
}

/* Tries the trace with one event changed, or with all when `only` is 0. */
static bool try_change(struct shrinker *s, size_t only, bool (*change)(struct event *e))
{
    bool changed = false;
    struct trace candidate;

    trace_init(&candidate);
    for (size_t number = 1; number <= s->trace->count; number++) {
        struct event e = trace_event(s->trace, number);
        if (only == 0 || only == number)
            changed |= change(&e);
        trace_append_from(&candidate, s->trace, e);
        grounds_copy(&candidate, s->trace, (uint32_t)number);
    }
    if (changed)
        return try_candidate(s, &candidate);
    trace_free(&candidate);
    return false;
}

/* Tries each way to make the grounds of an event simpler. */
static bool simplify_grounds(struct shrinker *s, size_t event)
{
    bool any = false;

    for (unsigned way = 0;;) {
        struct trace candidate;

        trace_init(&candidate);
        for (size_t number = 1; number <= s->trace->count; number++) {
            trace_append_from(&candidate, s->trace, trace_event(s->trace, number));
            grounds_copy(&candidate, s->trace, (uint32_t)number);
        }
        if (!grounds_simplify(&candidate, (uint32_t)event, way)) {
            trace_free(&candidate);
            return any;
        }
        if (try_candidate(s, &candidate))
            any = true; /* the same number is another way now */
        else
            way++;
    }
}

static bool forget_value(struct event *e)
{
    bool had = e->value_tag != VALUE_NONE && op_kind(e->op) != EVENT_SEM_INIT;

    if (!had)
        return false;
    e->value_tag = VALUE_NONE;
    return had;
}

static bool forget_location(struct event *e)
{
    bool had = e->location != NAME_NONE;

    e->location = NAME_NONE;
    return had;
}

static bool default_order(struct event *e)
{
    bool had = op_kind(e->op) != EVENT_FENCE && op_order(e->op) != ORDER_NONE;

    if (had)
        e->op = op_make(op_kind(e->op), ORDER_NONE);
    return had;
}

static bool make_plain(struct event *e)
{
    bool atomic = op_kind(e->op) == EVENT_ATOMIC_READ || op_kind(e->op) == EVENT_ATOMIC_WRITE;

    if (atomic)
        e->op = op_make(op_kind(e->op) == EVENT_ATOMIC_READ ? EVENT_READ : EVENT_WRITE, ORDER_NONE);
    return atomic;
}

static bool simplify(struct shrinker *s)
{
    /* Values go all at once: a trace that lacks some of them asks other questions than one with all. */
    bool any = try_change(s, 0, forget_value);

    any |= try_change(s, 0, forget_location);
    for (size_t e = 1; e <= s->trace->count; e++) {
        any |= try_change(s, e, default_order);
        any |= try_change(s, e, make_plain);
        any |= simplify_grounds(s, e);
    }
    return any;
}

void shrink_trace(struct trace *t, bool (*fails)(const struct trace *t, void *context), void *context)
{
    struct shrinker s = {.trace = t, .fails = fails, .context = context};
    bool again = true;

    while (again) {
        again = trace_cut_down(t, try_drop, &s);
        again |= simplify(&s);
    }
}
