/* Compares traces event by event. Names get the ids of the second trace first, so that numbers are compared. */
#include "replay/same_trace.h"
#include "base/memory.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct trace_pair {
    const struct trace *was, *is;
    bool values;
    uint32_t *ids[NAME_CLASSES]; /* by id in `was`: the id in `is`, NAME_NONE: the name is not there */
};

static uint32_t translate(const struct trace_pair *p, enum name_class class, uint32_t id)
{
    return class < NAME_CLASSES && id < trace_names(p->was, class) ? p->ids[class][id] : id;
}

static bool same_value(const struct trace_pair *p, size_t a, size_t b)
{
    const struct trace *was = p->was, *is = p->is;

    if (!p->values || !was->value_tag || !is->value_tag)
        return true;
    if (was->value_tag[a] != is->value_tag[b])
        return false;
    return (was->value_tag[a] == VALUE_NAME ? translate(p, NAME_VALUE, (uint32_t)was->value[a])
                                            : was->value[a]) == is->value[b];
}

/* What a change does if it sees something else is told by what it depends on, and not every run records that. */
static event_op compared_op(event_op op)
{
    return op_kind(op) == EVENT_CAS ? op_make(EVENT_RMW, op_order(op)) : op;
}

static bool same_event(const struct trace_pair *p, size_t a, size_t b)
{
    const struct trace *was = p->was, *is = p->is;

    assert(a >= 1 && a <= was->count && b >= 1 && b <= is->count);
    return compared_op(was->op[a]) == compared_op(is->op[b]) &&
           translate(p, NAME_THREAD, was->thread[a]) == is->thread[b] &&
           translate(p, kind_argument(trace_kind(was, a)), was->arg[a]) == is->arg[b] &&
           translate(p, NAME_LOCATION, was->location[a]) == is->location[b] && same_value(p, a, b);
}

/* A request to be notified posts once for every thread that came of it, and a timer may make more threads now. */
static bool posts_again(const struct trace *t, size_t number)
{
    return number > 1 && trace_kind(t, number) == EVENT_POST && t->op[number] == t->op[number - 1] &&
           t->thread[number] == t->thread[number - 1] && t->arg[number] == t->arg[number - 1] &&
           t->location[number] == t->location[number - 1];
}

static void describe(const struct trace *trace, size_t number, char *to, size_t room)
{
    if (number > trace->count) {
        snprintf(to, room, "the end of the run");
        return;
    }
    struct event e = trace_event(trace, number);
    enum name_class class = kind_argument(op_kind(e.op));
    char value[64] = "";

    if (e.value_tag == VALUE_UNSIGNED)
        snprintf(value, sizeof value, "=%" PRIu64, e.value);
    else if (e.value_tag == VALUE_NEGATIVE)
        snprintf(value, sizeof value, "=%" PRId64, (int64_t)e.value);
    snprintf(to, room, "%.60s: %s(%.60s%s) at %.80s", trace_name(trace, NAME_THREAD, e.thread),
             kind_word(op_kind(e.op)),
             class < NAME_CLASSES && e.arg != ARG_NONE ? trace_name(trace, class, e.arg) : "", value,
             e.location == NAME_NONE ? "an unknown place" : trace_name(trace, NAME_LOCATION, e.location));
}

static void pair_names(struct trace_pair *p)
{
    for (int class = 0; class < NAME_CLASSES; class ++) {
        size_t count = trace_names(p->was, (enum name_class) class);
        p->ids[class] = memory_new(count + 1, sizeof *p->ids[class]);
        for (uint32_t id = 0; id < count; id++) {
            const char *text = trace_name(p->was, (enum name_class) class, id);
            p->ids[class][id] = names_find(&p->is->names[class], text, strlen(text));
        }
    }
}

static uint32_t same_events(struct trace_pair *p, uint32_t *at)
{
    uint32_t same = 0, next = 1;

    pair_names(p);
    while (same < p->was->count && next <= p->is->count)
        if (same_event(p, same + 1, next)) {
            same++;
            if (at)
                at[same] = next;
            next++;
        } else if (at && posts_again(p->is, next)) {
            next++;
        } else {
            break;
        }
    for (int class = 0; class < NAME_CLASSES; class ++)
        free(p->ids[class]);
    return same;
}

uint32_t events_again(const struct trace *was, const struct trace *is, uint32_t *at)
{
    return same_events(&(struct trace_pair){.was = was, .is = is}, at);
}

bool same_trace(const struct trace *was, const struct trace *is, char *why, size_t room)
{
    bool part = was->note || was->end.incomplete_count > 0;
    uint32_t same = same_events(&(struct trace_pair){.was = was, .is = is, .values = true}, NULL);
    char expected[300], got[300];

    if (same == was->count && (part || same == is->count))
        return true;
    describe(was, same + 1, expected, sizeof expected);
    describe(is, same + 1, got, sizeof got);
    snprintf(why, room, "event %u was %s; now it is %s", same + 1, expected, got);
    return false;
}
