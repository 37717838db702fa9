/* Copies of traces that stay true to their grounds and values. */
#include "random/shrink_grounds.h"
#include "base/memory.h"
#include "trace/cut_down.h"

#include <stdlib.h>
#include <string.h>

/* Both lists of an event, free to change. */
struct lists {
    struct grounds_given given;
    struct ground *by, *from;
    struct value_range *ranges[2]; /* of their items */
};

static struct ground *items_of(struct ground_list list, struct value_range **ranges)
{
    struct ground *items = memory_new(list.count, sizeof *items);
    size_t count = 0;

    for (uint32_t i = 0; i < list.count; i++)
        count += ground_at(&list, i).range_count;
    *ranges = memory_new(count, sizeof **ranges);
    for (uint32_t i = list.count; i-- > 0;) {
        items[i] = ground_at(&list, i);
        count -= items[i].range_count;
        for (uint32_t r = 0; r < items[i].range_count; r++)
            (*ranges)[count + r] = items[i].ranges[r];
        items[i].ranges = *ranges + count;
    }
    return items;
}

static struct lists lists_of(const struct trace *trace, uint32_t event)
{
    struct ground_list by = trace_by(trace, event), from = trace_from(trace, event);
    struct lists lists;

    lists.by = items_of(by, &lists.ranges[0]);
    lists.from = items_of(from, &lists.ranges[1]);
    lists.given = (struct grounds_given){.by_given = by.given,
                                         .from_given = from.given,
                                         .by_count = by.count,
                                         .from_count = from.count,
                                         .by = lists.by,
                                         .from = lists.from};
    return lists;
}

static void lists_free(struct lists *lists)
{
    free(lists->by);
    free(lists->from);
    free(lists->ranges[0]);
    free(lists->ranges[1]);
}

static void set_lists(struct trace *to, uint32_t event, const struct lists *lists)
{
    if (lists->given.by_given || lists->given.from_given)
        trace_set_grounds(to, event, &lists->given);
}

void grounds_copy(struct trace *to, const struct trace *from, uint32_t event)
{
    struct lists lists = lists_of(from, event);

    set_lists(to, event, &lists);
    lists_free(&lists);
}

/* Items with the numbers that their reads have now; 0: dropped. */
static uint32_t renumber(struct ground *items, uint32_t count, const uint32_t *now)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < count; i++) {
        if (now[items[i].read] == 0)
            continue;
        items[kept] = items[i];
        items[kept++].read = now[items[i].read];
    }
    return kept;
}

/* The last write before `access` to its variable, or 0. */
static size_t write_before(const struct trace *t, size_t access)
{
    size_t found = EVENT_INIT;

    for (size_t e = 1; e < access; e++) {
        if (kind_writes(trace_kind(t, e)) && t->arg[e] == t->arg[access])
            found = e;
    }
    return found;
}

/* An event that has recorded what the read saw, or 0: the write that it sees or, where that is the initial one,
 * the first load that saw it, too. */
static size_t value_seen(const struct trace *t, size_t read)
{
    size_t from = write_before(t, read);

    for (size_t e = 1; from == EVENT_INIT && e <= t->count; e++) {
        bool loads = trace_kind(t, e) == EVENT_READ || trace_kind(t, e) == EVENT_ATOMIC_READ;
        if (loads && t->arg[e] == t->arg[read] && t->value_tag[e] != VALUE_NONE &&
            write_before(t, e) == EVENT_INIT)
            from = e;
    }
    return from != EVENT_INIT && t->value_tag[from] != VALUE_NONE ? from : 0;
}

/* A sum of what its read sees now. */
static void repair_sum(struct trace *t, size_t write)
{
    struct ground_list from = trace_from(t, (uint32_t)write);

    if (from.count != 1 || ground_at(&from, 0).form != GROUND_OFFSET)
        return;
    struct ground item = ground_at(&from, 0);
    size_t seen = value_seen(t, item.read);
    if (seen == 0 || t->value_tag[seen] == VALUE_NAME)
        return;
    t->value[write] = type_wrap(trace_variable_type(t, t->arg[write]), t->value[seen] + item.offset);
    t->value_tag[write] = (int64_t)t->value[write] < 0 ? VALUE_NEGATIVE : VALUE_UNSIGNED;
}

static void repair_values(struct trace *t)
{
    for (size_t e = 1; t->value_tag && e <= t->count; e++) {
        enum event_kind kind = trace_kind(t, e);

        if (!kind_accesses(kind) || t->value_tag[e] == VALUE_NONE)
            continue;
        if (kind_writes(kind)) {
            repair_sum(t, e);
            continue;
        }
        size_t seen = value_seen(t, e);
        if (seen != 0) {
            t->value_tag[e] = t->value_tag[seen];
            t->value[e] = t->value[seen];
        }
    }
}

void trace_without(struct trace *to, const struct trace *from, const bool *dropped)
{
    uint32_t *now = memory_new(from->count + 1, sizeof *now);

    trace_init(to);
    for (uint32_t e = 1; e <= from->count; e++) {
        if (dropped[e])
            continue;
        struct lists lists = lists_of(from, e);

        trace_append_from(to, from, trace_event(from, e));
        now[e] = (uint32_t)to->count;
        lists.given.by_count = renumber(lists.by, lists.given.by_count, now);
        lists.given.from_count = renumber(lists.from, lists.given.from_count, now);
        set_lists(to, now[e], &lists);
        lists_free(&lists);
    }
    free(now);
    repair_values(to);
}

static void remove_item(struct ground *items, uint32_t *count, uint32_t at)
{
    memmove(items + at, items + at + 1, (--*count - at) * sizeof *items);
}

/* The simpler forms of one item: none, plain, one of its ranges. */
static bool simplify_item(struct ground *items, uint32_t *count, unsigned *way)
{
    for (uint32_t i = 0; i < *count; i++) {
        if ((*way)-- == 0) {
            remove_item(items, count, i);
            return true;
        }
        if (items[i].form != GROUND_PLAIN && (*way)-- == 0) {
            items[i].form = GROUND_PLAIN;
            items[i].range_count = 0;
            return true;
        }
        for (uint32_t r = 0; items[i].range_count > 1 && r < items[i].range_count; r++) {
            if ((*way)-- == 0) {
                items[i].ranges += r;
                items[i].range_count = 1;
                return true;
            }
        }
    }
    return false;
}

/* One list: not given at all, or one item simpler. */
static bool simplify_list(bool *given, struct ground *items, uint32_t *count, unsigned *way)
{
    if (!*given)
        return false;
    if ((*way)-- == 0) {
        *given = false;
        *count = 0;
        return true;
    }
    return simplify_item(items, count, way);
}

bool grounds_simplify(struct trace *trace, uint32_t event, unsigned way)
{
    struct lists lists = lists_of(trace, event);
    struct grounds_given *given = &lists.given;
    bool done = simplify_list(&given->by_given, lists.by, &given->by_count, &way) ||
                simplify_list(&given->from_given, lists.from, &given->from_count, &way);

    if (done)
        trace_set_grounds(trace, event, given);
    lists_free(&lists);
    return done;
}
