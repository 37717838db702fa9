/* Makes an example small: leaves events out as long as it stays an example. */
#include "method/graph/reduce.h"
#include "method/graph/compare.h"
#include "trace/cut_down.h"
#include "trace/validate.h"

struct reducer {
    struct trace *t;
    const struct compare_options *options;
    const stop_flag *stop;
    enum difference wanted;
    event_id *read, *challenger;
};

/* Without its value, unless that is a semaphore's count. */
static void copy_event(struct trace *to, const struct trace *from, size_t number)
{
    struct event e = trace_event(from, number);

    if (op_kind(e.op) != EVENT_SEM_INIT)
        e.value_tag = VALUE_NONE;
    trace_append_from(to, from, e);
}

void trace_copy_events(struct trace *to, const struct trace *from)
{
    trace_init(to);
    for (size_t number = 1; number <= from->count; number++)
        copy_event(to, from, number);
}

static bool still_differs(const struct reducer *r, const struct trace *t, event_id read, event_id challenger)
{
    struct model m;
    struct error err;
    unsigned kind;
    bool differs;

    if (validate_again(t, NULL, &err) != HEDDLE_OK || model_build_plain(&m, t, &err) != HEDDLE_OK)
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

/* Takes the trace without some events in its place if that still differs. */
static bool try_drop(const bool *dropped, void *context)
{
    struct reducer *r = context;
    event_id read = 0, challenger = 0;
    struct trace smaller;
    bool done = false;

    trace_init(&smaller);
    for (size_t number = 1; number <= r->t->count; number++) {
        if (dropped[number])
            continue;
        copy_event(&smaller, r->t, number);
        if (number == *r->read)
            read = (event_id)smaller.count;
        if (number == *r->challenger)
            challenger = (event_id)smaller.count;
    }
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

void compare_reduce(struct trace *t, const struct compare_options *options, const stop_flag *stop,
                    enum difference difference, event_id *read, event_id *challenger)
{
    struct reducer r = {
        .t = t, .options = options, .stop = stop, .wanted = difference, .read = read, .challenger = challenger};
    bool again = true;

    while (again && !*stop) {
        again = try_initial(&r);
        again |= trace_cut_down(t, try_drop, &r);
    }
}
