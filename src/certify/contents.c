/* Values in a run (semantics §1): what writes carry, what reads see, and whether that is as observed. */
#include "certify/certify_parts.h"

static const struct content nothing_known = {CONTENT_NEW, 0};

/* The value in the event's own record; CONTENT_NEW: it has none. */
static struct content recorded(const struct trace *trace, uint32_t event)
{
    enum value_type type;

    if (!trace->value_tag || trace->value_tag[event] == VALUE_NONE)
        return nothing_known;
    if (trace->value_tag[event] == VALUE_NAME)
        return (struct content){CONTENT_NAME, trace->value[event]};
    type = trace_variable_type(trace, trace->arg[event]);
    return (struct content){CONTENT_NUMBER, type_wrap(type, trace->value[event])};
}

/* Of the trace alone: what a write wrote; grounds may say so where its record does not. */
static struct content written(const struct certify_index *index, uint32_t write, variable_id x, bool grounds)
{
    struct content content = nothing_known;
    uint32_t sum =
        write == EVENT_INIT || index->sums_count == 0 || !grounds ? 0 : map_get(&index->summed, write);

    if (write != EVENT_INIT)
        content = recorded(index->trace, write);
    else if (index->initial_reader && index->initial_reader[x])
        content = recorded(index->trace, index->initial_reader[x]);
    if (content_known(content))
        return content;
    if (sum)
        return (struct content){CONTENT_NUMBER, index->sums[sum - 1]};
    return (struct content){CONTENT_UNRECORDED, write};
}

/* Of the trace alone: what a read saw. What an rmw or cas records is what it wrote. */
static struct content read_then(const struct certify_index *index, uint32_t read, bool grounds)
{
    struct content own = nothing_known;

    if (!kind_updates(trace_kind(index->trace, read)))
        own = recorded(index->trace, read);
    return content_known(own) ? own : written(index, source_of(index, read), index->trace->arg[read], grounds);
}

/* The item of a `from` that is one read and an offset; false: it is something else. */
static bool sum_item(const struct trace *trace, uint32_t write, struct ground *item)
{
    struct ground_list from = trace_from(trace, write);

    if (from.count != 1)
        return false;
    *item = ground_at(&from, 0);
    return item->form == GROUND_OFFSET;
}

static struct content add_up(const struct trace *trace, uint32_t write, uint64_t offset, struct content seen)
{
    enum value_type type = trace_variable_type(trace, trace->arg[write]);

    if (seen.kind != CONTENT_NUMBER)
        return nothing_known;
    return (struct content){CONTENT_NUMBER, type_wrap(type, seen.number + offset)};
}

/* Sums that the trace leaves to be worked out. */
void index_values(struct certify_index *index)
{
    const struct trace *trace = index->trace;
    struct ground item;

    for (uint32_t e = 1; trace->value_tag && trace_has_grounds(trace) && e <= index->count; e++) {
        if (!kind_writes(trace_kind(trace, e)) || trace->value_tag[e] != VALUE_NONE ||
            !sum_item(trace, e, &item))
            continue;
        struct content sum = add_up(trace, e, item.offset, read_then(index, item.read, true));
        if (sum.kind == CONTENT_NUMBER) {
            ARRAY_PUSH(index, sums, sum.number);
            *map_at(&index->summed, e) = (uint32_t)index->sums_count;
        }
    }
}

struct content content_written(const struct certifier *c, uint32_t write, variable_id x)
{
    if (c->options.values_ignore)
        return (struct content){CONTENT_UNRECORDED, write};
    return written(c->index, write, x, !c->options.grounds_ignore);
}

struct content content_read(const struct certifier *c, uint32_t read)
{
    if (c->options.values_ignore)
        return (struct content){CONTENT_UNRECORDED, source_of(c->index, read)};
    return read_then(c->index, read, !c->options.grounds_ignore);
}

struct content content_sum(const struct certifier *c, uint32_t write, struct content seen)
{
    struct ground item;

    if (c->options.values_ignore || c->options.grounds_ignore || !sum_item(c->index->trace, write, &item))
        return nothing_known;
    return add_up(c->index->trace, write, item.offset, seen);
}

/* The write to the variable of `access`, which is not in the prefix, that the prefix ends with. Looks back in
 * growing steps: schedules leave the observed order shortly before what they are about. */
static uint32_t prefix_write(const struct certifier *c, uint32_t access)
{
    const struct certify_index *index = c->index;
    uint32_t floor = index->write_start[index->trace->arg[access]];
    uint32_t high = index->detail[access]; /* writes from here on are after the prefix */
    uint32_t low, step = 1;

    for (;; step *= 2) {
        low = high - floor > step ? high - step : floor;
        if (low == high)
            return EVENT_INIT;
        if (index->writes[low] <= c->prefix)
            break;
        high = low;
    }
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (index->writes[middle] <= c->prefix)
            low = middle;
        else
            high = middle;
    }
    return index->writes[low];
}

/* All of the prefix is as observed, so its last write carries what it wrote. */
struct certified_variable *variable_at(struct certifier *c, uint32_t access)
{
    variable_id v = c->index->trace->arg[access];
    struct certified_variable *x = &c->variables[v];

    if (x->epoch != c->epoch) {
        uint32_t last = prefix_write(c, access);
        *x = (struct certified_variable){
            .epoch = c->epoch, .last = last, .content = content_written(c, last, v)};
    }
    return x;
}

struct certified_sight sight_of(struct certifier *c, uint32_t read)
{
    const struct certified_variable *x = variable_at(c, read);
    struct content then = content_read(c, read);
    struct certified_sight sight = {.source = x->last, .seen = x->content};

    if (x->last == source_of(c->index, read) &&
        content_same(x->content, content_written(c, x->last, c->index->trace->arg[read]))) {
        sight.seen = then;
        sight.as_observed = true;
    } else {
        sight.as_observed = content_known(then) && content_same(then, x->content);
    }
    return sight;
}

void read_variable(struct certifier *c, struct thread_state *t, uint32_t read)
{
    struct certified_sight sight = sight_of(c, read);

    if (!sight.as_observed)
        ARRAY_PUSH(t, news, ((struct news){read, sight.source, sight.seen}));
}

const struct news *news_of(const struct certifier *c, uint32_t read)
{
    const struct thread_state *t = &c->threads[c->index->trace->thread[read]];
    size_t low = 0, high = t->epoch == c->epoch ? t->news_count : 0;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->news[middle].read < read)
            low = middle + 1;
        else
            high = middle;
    }
    return low < t->news_count && t->epoch == c->epoch && t->news[low].read == read ? &t->news[low] : NULL;
}

/* Whether all reads that the value is made of are as observed. */
static bool made_as_observed(const struct certifier *c, uint32_t write)
{
    struct ground_list from = trace_from(c->index->trace, write);

    if (!from.given || c->options.grounds_ignore)
        return c->threads[c->index->trace->thread[write]].news_count == 0;
    for (uint32_t i = 0; i < from.count; i++)
        if (news_of(c, ground_at(&from, i).read))
            return false;
    return true;
}

static struct content carried_by(const struct certifier *c, uint32_t write)
{
    struct content carried = nothing_known;
    struct ground item;

    if (sum_item(c->index->trace, write, &item)) {
        const struct news *news = news_of(c, item.read);
        carried = content_sum(c, write, news ? news->seen : content_read(c, item.read));
    }
    if (content_known(carried))
        return carried;
    return made_as_observed(c, write) ? content_written(c, write, c->index->trace->arg[write]) : nothing_known;
}

void write_variable(struct certifier *c, uint32_t write)
{
    struct content carried = carried_by(c, write);

    c->variables[c->index->trace->arg[write]] =
        (struct certified_variable){.epoch = c->epoch, .last = write, .content = carried};
}
