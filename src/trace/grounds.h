/* Grounds: which reads of its own thread an event stands on (semantics §1).
 *
 * `by` lists the reads that decide that the event happens, `from` those its value is made of. Both are kept in
 * a pool, relative to the event and each combination once: where code repeats, an event costs the 4 bytes of an
 * id. */
#pragma once
#include "base/error.h"
#include "trace/event.h"

/* Inclusive; an open side is INT64_MIN or INT64_MAX. */
struct value_range {
    int64_t low, high;
};

enum ground_form {
    GROUND_PLAIN,
    GROUND_RANGES, /* only in by: these values of the read lead here, too */
    GROUND_OFFSET, /* only in from, and alone there: the value is what the read saw, plus `offset` */
};

/* One item of a list. */
struct ground {
    uint32_t read; /* an earlier read of the thread; in the `from` of an rmw or cas its own number is allowed */
    enum ground_form form;
    uint64_t offset;                  /* added modulo 2^64 */
    const struct value_range *ranges; /* a value in any of them will do */
    uint32_t range_count;
};

/* An item as the pool keeps it. */
struct ground_item {
    uint32_t distance; /* from the read to the event, in event numbers; 0: the event itself */
    uint32_t form;
    uint32_t range_first, range_count;
    uint64_t offset;
};

/* A list of an event. Not given: every earlier read of the thread and, as `from` of an rmw or cas, its own. */
struct ground_list {
    bool given;
    uint32_t count;
    uint32_t event;
    const struct ground_item *items;
    const struct value_range *ranges; /* of the pool */
};

/* What a reader or a recorder hands in: an event's lists with event numbers as they are. */
struct grounds_given {
    bool by_given, from_given;
    uint32_t by_count, from_count;
    const struct ground *by, *from;
};

typedef uint32_t grounds_id;
#define GROUNDS_NONE 0 /* neither list is given */

struct grounds; /* the pool */

struct grounds *grounds_new(void);
void grounds_free(struct grounds *grounds);

/* How many combinations the pool holds, GROUNDS_NONE included: ids are below. */
size_t grounds_count(const struct grounds *grounds);

/* The id of the lists of `event`, new or known. No read may come after the event. */
grounds_id grounds_add(struct grounds *grounds, uint32_t event, const struct grounds_given *given);

/* The lists of `event`, which has this id. Valid until the next grounds_add. */
struct ground_list grounds_by(const struct grounds *grounds, grounds_id id, uint32_t event);
struct ground_list grounds_from(const struct grounds *grounds, grounds_id id, uint32_t event);

struct trace;

/* Whether some event of the trace has a list. */
bool trace_has_grounds(const struct trace *trace);

/* The lists of an event, in constant time. Valid until grounds are added to the trace. */
struct ground_list trace_by(const struct trace *trace, uint32_t event);
struct ground_list trace_from(const struct trace *trace, uint32_t event);

/* Gives an event of the trace these lists instead of those it has. */
void trace_set_grounds(struct trace *trace, uint32_t event, const struct grounds_given *given);

/* The trace without any grounds, as if the file had none. */
void trace_drop_grounds(struct trace *trace);

/* Are the lists of an event of the trace right by themselves: earlier reads of the thread, forms where they
 * belong? The error names the rule; the reader puts file and line in front. */
enum status grounds_check(const struct trace *trace, uint32_t event, struct error *err);

/* Do the grounds agree with the values that the whole trace records? On failure `*event` is the one at fault.
 */
enum status grounds_check_values(const struct trace *trace, uint32_t *event, struct error *err);

static inline struct ground ground_at(const struct ground_list *list, uint32_t index)
{
    const struct ground_item *item = &list->items[index];

    return (struct ground){
        .read = list->event - item->distance,
        .form = (enum ground_form)item->form,
        .offset = item->offset,
        .ranges = list->ranges ? list->ranges + item->range_first : NULL,
        .range_count = item->range_count,
    };
}

/* Whether the number, as two's complement, lies in one of the ground's ranges. */
static inline bool ground_allows(const struct ground *ground, uint64_t number)
{
    for (uint32_t i = 0; i < ground->range_count; i++)
        if ((int64_t)number >= ground->ranges[i].low && (int64_t)number <= ground->ranges[i].high)
            return true;
    return false;
}
