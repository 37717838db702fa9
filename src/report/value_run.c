/* The values of one run: every read of its tail sees the last write before it, every write carries what its
 * grounds make of that. */
#include "report/value_run.h"
#include "base/map.h"
#include "base/memory.h"
#include "trace/grounds.h"

#include <stdlib.h>
#include <string.h>

enum { TAIL_MOST = 1 << 16 };

struct happened {
    struct value read, written;
    bool as_observed; /* a read sees the value it saw */
};

struct run_values {
    const uint32_t *tail; /* of the run that is worked out */
    uint32_t tail_count, prefix;
    struct happened *list; /* by position in the tail */
    size_t list_capacity;
    struct map position; /* event → position in the tail + 1 */
    struct map last;     /* variable → event of the tail that wrote it last */
    struct map changed;  /* thread → 1: one of its reads was not as observed */
};

struct run_values *run_values_new(void)
{
    return memory_new(1, sizeof(struct run_values));
}

static void forget(struct run_values *r)
{
    map_free(&r->position);
    map_free(&r->last);
    map_free(&r->changed);
    memset(&r->position, 0, sizeof r->position);
    memset(&r->last, 0, sizeof r->last);
    memset(&r->changed, 0, sizeof r->changed);
    r->tail = NULL;
}

void run_values_free(struct run_values *r)
{
    if (!r)
        return;
    forget(r);
    free(r->list);
    free(r);
}

/* The last write to the variable before the run leaves the observed order. */
static uint32_t last_of_prefix(const struct values *v, uint32_t event, uint32_t prefix)
{
    uint32_t source = v->source[event];

    while (source > prefix)
        source = v->source[source];
    return source;
}

static bool is_number(struct value value)
{
    return value.tag == VALUE_UNSIGNED || value.tag == VALUE_NEGATIVE;
}

static const struct happened *found(const struct run_values *r, uint32_t event)
{
    uint32_t at = map_get(&r->position, event);

    return at > 0 ? &r->list[at - 1] : NULL;
}

/* Whether a read that the write depends on is as observed: those of the prefix are. */
static bool is_as_observed(const struct run_values *r, uint32_t read)
{
    const struct happened *h = found(r, read);

    return read <= r->prefix || (h && h->as_observed);
}

static struct value seen_by(const struct values *v, const struct run_values *r, uint32_t read)
{
    const struct happened *h = found(r, read);

    return read <= r->prefix ? value_observed(v, read) : h ? h->read : (struct value){VALUE_NONE, 0};
}

/* The number that a variable holds, as traces tell it. */
static struct value number_of(const struct trace *trace, variable_id x, uint64_t number)
{
    enum value_type type = trace_variable_type(trace, x);
    uint64_t wrapped = type_wrap(type, number);
    bool negative = (int64_t)wrapped < 0 && type != TYPE_U64;

    return (struct value){negative ? VALUE_NEGATIVE : VALUE_UNSIGNED, wrapped};
}

static struct value carried(const struct values *v, const struct run_values *r, uint32_t write)
{
    const struct trace *trace = v->trace;
    struct value recorded = value_written(v, write, trace->arg[write]);
    struct ground_list from = trace_from(trace, write);

    if (!from.given)
        return map_get(&r->changed, trace->thread[write]) ? (struct value){VALUE_NONE, 0} : recorded;
    for (uint32_t i = 0; i < from.count; i++) {
        struct ground ground = ground_at(&from, i);
        struct value seen;
        if (is_as_observed(r, ground.read))
            continue;
        seen = seen_by(v, r, ground.read);
        return ground.form == GROUND_OFFSET && is_number(seen)
                   ? number_of(trace, trace->arg[write], seen.number + ground.offset)
                   : (struct value){VALUE_NONE, 0};
    }
    return recorded;
}

static void happen(const struct values *v, struct run_values *r, uint32_t event, struct happened *h)
{
    const struct trace *trace = v->trace;
    enum event_kind kind = trace_kind(trace, event);
    variable_id x = trace->arg[event];

    if (kind_reads(kind)) {
        uint32_t last = map_get(&r->last, x);
        uint32_t source = last ? last : last_of_prefix(v, event, r->prefix);
        struct value observed = value_observed(v, event);
        h->read = source > r->prefix ? r->list[map_get(&r->position, source) - 1].written
                                     : value_written(v, source, x);
        h->as_observed = value_known(h->read) ? value_equal(h->read, observed)
                                              : source == v->source[event] && source <= r->prefix;
        if (!h->as_observed)
            *map_at(&r->changed, trace->thread[event]) = 1;
    }
    if (kind_writes(kind)) {
        h->written = carried(v, r, event);
        *map_at(&r->last, x) = event;
    }
}

static void work_out(const struct values *v, struct run_values *r, const struct schedule *s)
{
    forget(r);
    r->tail = s->tail;
    r->tail_count = s->tail_count;
    r->prefix = s->prefix;
    if (s->tail_count > r->list_capacity) {
        r->list = memory_resize(r->list, s->tail_count, sizeof *r->list);
        r->list_capacity = s->tail_count;
    }
    memset(r->list, 0, s->tail_count * sizeof *r->list);
    for (uint32_t i = 0; i < s->tail_count; i++) {
        uint32_t event = s->tail[i];
        *map_at(&r->position, event) = i + 1;
        if (kind_accesses(trace_kind(v->trace, event)))
            happen(v, r, event, &r->list[i]);
    }
}

struct value run_value(const struct values *v, const struct schedule *s, uint32_t event, bool written)
{
    struct run_values *r = v->run;
    const struct happened *h;

    if (s->tail_count == 0 || s->tail_count > TAIL_MOST)
        return (struct value){VALUE_NONE, 0};
    if (r->tail != s->tail || r->tail_count != s->tail_count || r->prefix != s->prefix)
        work_out(v, r, s);
    h = found(r, event);
    return h ? (written ? h->written : h->read) : (struct value){VALUE_NONE, 0};
}
