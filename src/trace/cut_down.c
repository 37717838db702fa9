/* Makes traces smaller. */
#include "trace/cut_down.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum { PAIRS_UP_TO = 60 }; /* events for which all pairs are tried */

struct cut_down {
    const struct trace *t;
    trace_cutter *cut;
    void *context;
    bool *dropped; /* by event: what the next attempt leaves out */
};

static uint32_t copy_name(struct trace *to, const struct trace *from, enum name_class class, uint32_t id)
{
    return names_add(&to->names[class], trace_name(from, class, id), names_length(&from->names[class], id));
}

void trace_append_from(struct trace *to, const struct trace *from, struct event event)
{
    enum name_class class = kind_argument(op_kind(event.op));
    enum value_type type = TYPE_UNKNOWN;

    if (kind_accesses(op_kind(event.op)))
        type = trace_variable_type(from, event.arg);
    event.thread = copy_name(to, from, NAME_THREAD, event.thread);
    event.grounds = GROUNDS_NONE; /* of the other trace's pool */
    if (class != NAME_CLASSES && event.arg != ARG_NONE)
        event.arg = copy_name(to, from, class, event.arg);
    if (type != TYPE_UNKNOWN)
        trace_set_variable_type(to, event.arg, type);
    if (event.location != NAME_NONE)
        event.location = copy_name(to, from, NAME_LOCATION, event.location);
    if (event.value_tag == VALUE_NAME)
        event.value = copy_name(to, from, NAME_VALUE, (uint32_t)event.value);
    trace_append(to, &event);
}

/* Tries to leave out what is marked, and clears the marks. */
static bool try_cut(struct cut_down *c)
{
    size_t count = c->t->count;
    bool done = c->cut(c->dropped, c->context);

    memset(c->dropped, 0, (count + 1) * sizeof *c->dropped);
    return done;
}

/* All events about one object of a class; of a thread also what it does itself. */
static bool cut_objects(struct cut_down *c, enum name_class class)
{
    bool any = false;

    for (uint32_t object = 0; object < trace_names(c->t, class);) {
        for (size_t e = 1; e <= c->t->count; e++)
            c->dropped[e] = (kind_argument(trace_kind(c->t, e)) == class && c->t->arg[e] == object) ||
                            (class == NAME_THREAD && c->t->thread[e] == object);
        if (try_cut(c))
            any = true; /* the ids of the others have moved up */
        else
            object++;
    }
    return any;
}

/* Runs of neighbours: half the trace, a quarter, … one event. */
static bool cut_ranges(struct cut_down *c)
{
    bool any = false;

    for (size_t length = c->t->count / 2; length > 0; length /= 2) {
        for (size_t start = 1; start <= c->t->count;) {
            for (size_t e = start; e < start + length && e <= c->t->count; e++)
                c->dropped[e] = true;
            if (try_cut(c))
                any = true;
            else
                start += length;
        }
    }
    return any;
}

/* Two events that are only valid together, such as an acquire and its release. */
static bool cut_pairs(struct cut_down *c)
{
    bool any = false;

    for (size_t first = 1; first <= c->t->count && c->t->count <= PAIRS_UP_TO; first++) {
        for (size_t second = first + 1; second <= c->t->count; second++) {
            c->dropped[first] = c->dropped[second] = true;
            if (try_cut(c)) {
                any = true;
                second = first; /* `first` is another event now */
            }
        }
    }
    return any;
}

bool trace_cut_down(const struct trace *t, trace_cutter *cut, void *context)
{
    struct cut_down c = {t, cut, context, memory_new(t->count + 1, sizeof *c.dropped)};
    bool any = cut_objects(&c, NAME_THREAD);

    any |= cut_objects(&c, NAME_VARIABLE);
    any |= cut_objects(&c, NAME_LOCK);
    any |= cut_ranges(&c);
    any |= cut_pairs(&c);
    free(c.dropped);
    return any;
}
