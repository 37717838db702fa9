/* Makes an example small: leaves events out as long as it stays an example, large steps first. */
#include "method/graph/reduce.h"
#include "base/memory.h"
#include "method/graph/compare.h"
#include "trace/validate.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_UP_TO = 60 }; /* events for which all pairs are tried */

struct reducer {
    struct trace *t;
    const struct compare_options *options;
    const stop_flag *stop;
    enum difference wanted;
    event_id *read, *challenger;
    bool *dropped; /* by event: what the next attempt leaves out */
};

static uint32_t copy_name(struct trace *to, const struct trace *from, enum name_class class, uint32_t id)
{
    if (id == NAME_NONE)
        return id;
    return names_add(&to->names[class], trace_name(from, class, id), names_length(&from->names[class], id));
}

static void copy_event(struct trace *to, const struct trace *from, size_t number)
{
    struct event e = trace_event(from, number);
    enum name_class class = kind_argument(op_kind(e.op));

    e.thread = copy_name(to, from, NAME_THREAD, e.thread);
    if (class != NAME_CLASSES && e.arg != ARG_NONE)
        e.arg = copy_name(to, from, class, e.arg);
    e.location = copy_name(to, from, NAME_LOCATION, e.location);
    if (op_kind(e.op) != EVENT_SEM_INIT)
        e.value_tag = VALUE_NONE;
    e.grounds = GROUNDS_NONE;
    trace_append(to, &e);
}

void trace_copy_events(struct trace *to, const struct trace *from)
{
    trace_init(to);
    for (size_t number = 1; number <= from->count; number++)
        copy_event(to, from, number);
}

static bool is_valid(const struct trace *t)
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

static bool still_differs(const struct reducer *r, const struct trace *t, event_id read, event_id challenger)
{
    struct model m;
    struct error err;
    unsigned kind;
    bool differs;

    if (!is_valid(t) || model_build_plain(&m, t, &err) != HEDDLE_OK)
        return false;
    differs = m.source[read] != challenger &&
              compare_pair(&m, r->options, r->stop, read, challenger, &kind) == r->wanted;
    model_free(&m);
    return differs;
}

/* The initial write is the simplest challenger. */
static bool try_initial(struct reducer *r)
{
    if (*r->challenger == EVENT_INIT || !still_differs(r, r->t, *r->read, EVENT_INIT))
        return false;
    *r->challenger = EVENT_INIT;
    return true;
}

/* Tries the trace without the events marked, and clears the marks. */
static bool try_drop(struct reducer *r)
{
    event_id read = 0, challenger = 0;
    struct trace smaller;
    bool done = false;

    trace_init(&smaller);
    for (size_t number = 1; number <= r->t->count; number++) {
        if (r->dropped[number])
            continue;
        copy_event(&smaller, r->t, number);
        if (number == *r->read)
            read = (event_id)smaller.count;
        if (number == *r->challenger)
            challenger = (event_id)smaller.count;
    }
    memset(r->dropped, 0, (r->t->count + 1) * sizeof *r->dropped);
    if (smaller.count < r->t->count && read != 0 && (challenger != 0 || *r->challenger == EVENT_INIT) &&
        !*r->stop)
        done = still_differs(r, &smaller, read, challenger);
    if (!done) {
        trace_free(&smaller);
        return false;
    }
    trace_free(r->t);
    *r->t = smaller;
    *r->read = read;
    *r->challenger = challenger;
    return true;
}

static bool drop_threads(struct reducer *r)
{
    bool any = false;

    for (thread_id thread = 0; thread < trace_names(r->t, NAME_THREAD);) {
        for (size_t e = 1; e <= r->t->count; e++)
            r->dropped[e] = r->t->thread[e] == thread ||
                            (kind_argument(trace_kind(r->t, e)) == NAME_THREAD && r->t->arg[e] == thread);
        if (try_drop(r))
            any = true; /* the others have moved up */
        else
            thread++;
    }
    return any;
}

/* All events about one object of a class. */
static bool drop_objects(struct reducer *r, enum name_class class)
{
    bool any = false;

    for (uint32_t object = 0; object < trace_names(r->t, class);) {
        for (size_t e = 1; e <= r->t->count; e++)
            r->dropped[e] = kind_argument(trace_kind(r->t, e)) == class && r->t->arg[e] == object;
        if (try_drop(r))
            any = true;
        else
            object++;
    }
    return any;
}

static bool drop_ranges(struct reducer *r)
{
    bool any = false;

    for (size_t length = r->t->count / 2; length > 0; length /= 2) {
        for (size_t start = 1; start <= r->t->count;) {
            for (size_t e = start; e < start + length && e <= r->t->count; e++)
                r->dropped[e] = true;
            if (try_drop(r))
                any = true;
            else
                start += length;
        }
    }
    return any;
}

/* An acquire goes with its release. */
static bool drop_pairs(struct reducer *r)
{
    bool any = false;

    for (size_t first = 1; first <= r->t->count && r->t->count <= PAIRS_UP_TO; first++) {
        for (size_t second = first + 1; second <= r->t->count; second++) {
            r->dropped[first] = r->dropped[second] = true;
            if (try_drop(r)) {
                any = true;
                second = first;
            }
        }
    }
    return any;
}

void compare_reduce(struct trace *t, const struct compare_options *options, const stop_flag *stop,
                    enum difference difference, event_id *read, event_id *challenger)
{
    struct reducer r = {.t = t,
                        .options = options,
                        .stop = stop,
                        .wanted = difference,
                        .read = read,
                        .challenger = challenger,
                        .dropped = memory_new(t->count + 1, sizeof *r.dropped)};
    bool again = true;

    while (again && !*stop) {
        again = try_initial(&r);
        again |= drop_threads(&r);
        again |= drop_objects(&r, NAME_VARIABLE);
        again |= drop_objects(&r, NAME_LOCK);
        again |= drop_ranges(&r);
        again |= drop_pairs(&r);
    }
    free(r.dropped);
}
