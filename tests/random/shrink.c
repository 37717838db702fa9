/* Makes a failing trace small: greedy, biggest steps first, until none helps. */
#include "random/shrink.h"
#include "base/memory.h"
#include "random/print.h"
#include "trace/validate.h"

#include <stdlib.h>
#include <string.h>

#define PAIRS_UP_TO 64 /* events for which all pairs are tried: beyond it takes too long */

struct shrinker {
    struct trace *trace;
    bool (*fails)(const struct trace *t, void *context);
    void *context;
    bool *dropped; /* by event: what the next candidate leaves out */
};

static bool trace_valid(const struct trace *t)
{
    struct validator validator;
    struct error err;
    bool valid = true;

    validator_init(&validator, t);
    for (size_t number = 1; valid && number <= t->count; number++) {
        struct event e = trace_event(t, number);
        valid = validator_event(&validator, &e, &err) == HEDDLE_OK;
    }
    validator_free(&validator);
    return valid;
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

/* The last write among the first `end` events to the variable of `read`, or 0. */
static size_t write_before(const struct trace *t, size_t read, size_t end)
{
    size_t found = EVENT_INIT;

    for (size_t e = 1; e < end; e++) {
        if (kind_writes(trace_kind(t, e)) && t->arg[e] == t->arg[read])
            found = e;
    }
    return found;
}

/* A read whose write is gone reads from another: gives it the value that write has. The first read of the
 * initial value keeps its own and the others follow. */
static void repair_values(struct trace *t)
{
    if (!t->value_tag)
        return;
    for (size_t e = 1; e <= t->count; e++) {
        if (!kind_reads(trace_kind(t, e)) || kind_writes(trace_kind(t, e)))
            continue;

        size_t from = write_before(t, e, e);
        for (size_t earlier = 1; from == EVENT_INIT && earlier < e; earlier++) {
            if (kind_accesses(trace_kind(t, earlier)) && t->arg[earlier] == t->arg[e])
                from = earlier; /* a read of the initial value too */
        }
        if (from != EVENT_INIT) {
            t->value_tag[e] = t->value_tag[from];
            t->value[e] = t->value[from];
        }
    }
}

/* Tries the trace without the events marked as dropped, and clears the marks. */
static bool try_drop(struct shrinker *s)
{
    struct trace candidate;

    trace_init(&candidate);
    for (size_t number = 1; number <= s->trace->count; number++) {
        if (!s->dropped[number])
            trace_append_from(&candidate, s->trace, trace_event(s->trace, number));
    }
    memset(s->dropped, 0, (s->trace->count + 1) * sizeof *s->dropped);
    repair_values(&candidate);
    return try_candidate(s, &candidate);
}

static bool drop_threads(struct shrinker *s)
{
    bool any = false;

    for (thread_id thread = 0; thread < trace_names(s->trace, NAME_THREAD);) {
        for (size_t e = 1; e <= s->trace->count; e++) {
            bool about = kind_argument(trace_kind(s->trace, e)) == NAME_THREAD && s->trace->arg[e] == thread;
            s->dropped[e] = about || s->trace->thread[e] == thread;
        }
        if (try_drop(s))
            any = true; /* the ids of the others have moved up */
        else
            thread++;
    }
    return any;
}

/* Runs of neighbours: half the trace, a quarter, … one event. */
static bool drop_ranges(struct shrinker *s)
{
    bool any = false;

    for (size_t length = s->trace->count / 2; length > 0; length /= 2) {
        for (size_t start = 1; start <= s->trace->count;) {
            for (size_t e = start; e < start + length && e <= s->trace->count; e++)
                s->dropped[e] = true;
            if (try_drop(s))
                any = true;
            else
                start += length;
        }
    }
    return any;
}

/* Two events that are only valid together, such as an acquire and its release. */
static bool drop_pairs(struct shrinker *s)
{
    bool any = false;

    for (size_t first = 1; first <= s->trace->count && s->trace->count <= PAIRS_UP_TO; first++) {
        for (size_t second = first + 1; second <= s->trace->count; second++) {
            s->dropped[first] = s->dropped[second] = true;
            if (try_drop(s)) {
                any = true;
                second = first; /* `first` is another event now */
            }
        }
    }
    return any;
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
    }
    if (changed)
        return try_candidate(s, &candidate);
    trace_free(&candidate);
    return false;
}

static bool forget_value(struct event *e)
{
    bool had = e->value_tag != VALUE_NONE;

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
    }
    return any;
}

void shrink_trace(struct trace *t, bool (*fails)(const struct trace *t, void *context), void *context)
{
    struct shrinker s = {.trace = t, .fails = fails, .context = context};
    bool again = true;

    s.dropped = memory_new(t->count + 1, sizeof *s.dropped);
    while (again) {
        again = drop_threads(&s);
        again |= drop_ranges(&s);
        again |= drop_pairs(&s);
        again |= simplify(&s);
    }
    free(s.dropped);
}
