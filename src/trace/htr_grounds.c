/* Grounds in the native format: shapes, which name reads by how many reads of the thread lie between, are written
 * once a file and predicted from where in the code an event is (docs/trace-format.md). */
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <assert.h>
#include <stdlib.h>

/* In shapes alone: an offset that is what the event writes less what the read saw. */
enum { GROUND_DIFFERENCE = GROUND_OFFSET + 1 };

static struct thread_reads *first_reads_of(struct read_index *index, thread_id thread)
{
    while (thread >= index->threads_count)
        ARRAY_PUSH(index, threads, (struct thread_reads){0});
    return &index->threads[thread];
}

static inline struct thread_reads *reads_of(struct read_index *index, thread_id thread)
{
    return thread < index->threads_count ? &index->threads[thread] : first_reads_of(index, thread);
}

static inline void note_read(struct thread_reads *t, event_op op, uint32_t number)
{
    if (kind_reads(op_kind(op)))
        ARRAY_PUSH(t, reads, number);
}

static bool is_number(uint8_t value_tag)
{
    return value_tag == VALUE_UNSIGNED || value_tag == VALUE_NEGATIVE;
}

/* The value of an event that only reads is what it saw. */
static bool saw_number(event_op op, uint8_t value_tag)
{
    return kind_reads(op_kind(op)) && !kind_updates(op_kind(op)) && is_number(value_tag);
}

/* After note_read. */
static inline void note_number(struct thread_reads *t, const struct event *e)
{
    if (saw_number(e->op, e->value_tag))
        t->seen[t->reads_count % NUMBERS_KEPT] = (struct seen_by_read){(uint32_t)t->reads_count, e->value};
}

static void read_index_free(struct read_index *index)
{
    for (size_t i = 0; i < index->threads_count; i++)
        free(index->threads[i].reads);
    free(index->threads);
}

/* The ordinal of a read among those of its thread, from 1. Most grounds name one of the last few. */
static uint32_t ordinal_of(const struct thread_reads *t, uint32_t read)
{
    size_t low = 0, high = t->reads_count;

    for (int tries = 0; tries < 8 && high > 0; tries++, high--)
        if (t->reads[high - 1] == read)
            return (uint32_t)high;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->reads[middle] < read)
            low = middle + 1;
        else
            high = middle;
    }
    return (uint32_t)low + 1;
}

static void collect(struct ground_scratch *s, const struct ground_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        ARRAY_PUSH(s, grounds, ground_at(list, i));
}

/* The id of the lists in a pool, whose reads stand in `grounds`: those of by, then those of from. */
static grounds_id add_collected(struct grounds *to, uint32_t event, const struct ground_scratch *s,
                                struct grounds_given given)
{
    given.by = s->grounds;
    given.from = s->grounds ? s->grounds + given.by_count : NULL;
    return grounds_add(to, event, &given);
}

static struct grounds_given lengths_of(const struct ground_list *by, const struct ground_list *from)
{
    return (struct grounds_given){
        .by_given = by->given, .from_given = from->given, .by_count = by->count, .from_count = from->count};
}

void grounds_column_init(struct grounds_column *c, unsigned features)
{
    c->differences = features & HTR_DIFFERENCES && features & HTR_VALUES;
    c->shapes = grounds_new();
    c->shapes_out = 1;
}

void grounds_column_free(struct grounds_column *c)
{
    grounds_free(c->shapes);
    read_index_free(&c->index);
    free(c->scratch.grounds);
    free(c->pooled.grounds);
}

/* Whether `from`, whose reads are ordinals, is one read plus what the values of both events tell. */
static bool is_difference(const struct event *e, const struct ground *from, const struct thread_reads *t)
{
    const struct seen_by_read *seen = &t->seen[from->read % NUMBERS_KEPT];

    return from->form == GROUND_OFFSET && is_number(e->value_tag) && seen->ordinal == from->read &&
           e->value - seen->number == from->offset;
}

/* A list of event `number`, which comes next, with the ordinals of its reads: the event has the next one of the thread. Field by
 * field: the list was just written so, and one copy would wait for that. */
static void take_list(struct ground_scratch *s, const struct ground *list, uint32_t count, uint32_t number,
                      const struct thread_reads *t)
{
    if (s->grounds_count + count > s->grounds_capacity)
        s->grounds =
            memory_grow(s->grounds, &s->grounds_capacity, s->grounds_count + count, sizeof *s->grounds);
    for (uint32_t i = 0; i < count; i++) {
        struct ground *to = &s->grounds[s->grounds_count++];
        to->range_count = list[i].range_count;
        to->read = list[i].read == number ? (uint32_t)t->reads_count + 1 : ordinal_of(t, list[i].read);
        to->ranges = list[i].ranges;
        to->form = list[i].form;
        to->offset = list[i].offset;
    }
}

/* The id of the shape of the event that comes next, whose lists were taken. */
static grounds_id shape_of(struct grounds_column *c, const struct event *e, const struct thread_reads *t,
                           const struct grounds_given *given)
{
    struct ground *grounds = c->scratch.grounds;

    assert(c->scratch.grounds_count == given->by_count + given->from_count);
    if (c->differences && given->from_count == 1 && is_difference(e, &grounds[given->by_count], t))
        grounds[given->by_count].form = (enum ground_form)GROUND_DIFFERENCE;
    return add_collected(c->shapes, (uint32_t)t->reads_count + 1, &c->scratch, *given);
}

grounds_id grounds_column_give(struct grounds_column *c, const struct event *e, uint32_t number,
                               const struct grounds_given *given)
{
    const struct thread_reads *t = reads_of(&c->index, e->thread);
    struct grounds_given known = {.by_given = given->by_given, .from_given = given->from_given};

    known.by_count = given->by_given ? given->by_count : 0;
    known.from_count = given->from_given ? given->from_count : 0;
    c->scratch.grounds_count = 0;
    take_list(&c->scratch, given->by, known.by_count, number, t);
    take_list(&c->scratch, given->from, known.from_count, number, t);
    return shape_of(c, e, t, &known);
}

/* The shape of lists of the pool. */
static grounds_id pooled_shape(struct grounds_column *c, const struct event *e, uint32_t number)
{
    struct ground_list by = grounds_by(c->pool, e->grounds, number);
    struct ground_list from = grounds_from(c->pool, e->grounds, number);
    struct grounds_given given = lengths_of(&by, &from);

    c->pooled.grounds_count = 0;
    collect(&c->pooled, &by);
    collect(&c->pooled, &from);
    given.by = c->pooled.grounds;
    given.from = c->pooled.grounds ? c->pooled.grounds + given.by_count : NULL;
    return grounds_column_give(c, e, number, &given);
}

grounds_id grounds_column_put(struct grounds_column *c, const struct event *e, uint32_t number)
{
    grounds_id shape = c->pool && e->grounds != GROUNDS_NONE ? pooled_shape(c, e, number) : e->grounds;
    struct thread_reads *t = reads_of(&c->index, e->thread);

    assert(shape < grounds_count(c->shapes));
    note_read(t, e->op, number);
    note_number(t, e);
    return shape;
}

static void put_list(struct htr_batch *b, const struct ground_list *list)
{
    if (!list->given)
        return;
    batch_varint(b, list->count);
    for (uint32_t i = 0; i < list->count; i++) {
        const struct ground_item *item = &list->items[i];
        batch_varint(b, (uint64_t)item->distance << 2 | item->form);
        if (item->form == GROUND_OFFSET)
            batch_varint(b, htr_zigzag(item->offset));
        if (item->form != GROUND_RANGES)
            continue;
        batch_varint(b, item->range_count);
        for (uint32_t k = 0; k < item->range_count; k++) {
            const struct value_range *range = &list->ranges[item->range_first + k];
            batch_varint(b, htr_zigzag((uint64_t)range->low));
            batch_varint(b, (uint64_t)range->high - (uint64_t)range->low);
        }
    }
}

void grounds_column_out(struct grounds_column *c, struct htr_batch *b)
{
    batch_varint(b, grounds_count(c->shapes) - c->shapes_out);
    for (; c->shapes_out < grounds_count(c->shapes); c->shapes_out++) {
        struct ground_list by = grounds_by(c->shapes, c->shapes_out, 0);
        struct ground_list from = grounds_from(c->shapes, c->shapes_out, 0);
        batch_byte(b, (unsigned char)(by.given | from.given << 1));
        put_list(b, &by);
        put_list(b, &from);
    }
}

void grounds_decoder_free(struct grounds_decoder *d)
{
    grounds_free(d->shapes);
    read_index_free(&d->index);
    free(d->scratch.grounds);
    free(d->ranges);
}

static bool get_ranges(struct grounds_decoder *d, struct payload *in, struct ground *g)
{
    uint64_t count, low, more;

    if (!get_varint(in, &count) || count == 0 || count > (size_t)(in->end - in->at) / 2)
        return false;
    g->range_count = (uint32_t)count;
    for (; count > 0; count--) {
        if (!get_varint(in, &low) || !get_varint(in, &more))
            return false;
        int64_t from = (int64_t)htr_unzigzag(low);
        if (more > (uint64_t)INT64_MAX - (uint64_t)from)
            return false;
        ARRAY_PUSH(d, ranges, (struct value_range){from, (int64_t)((uint64_t)from + more)});
    }
    return true;
}

/* The reads of a shape are distances: from event 2^32-1 they come out right. */
static bool get_list(struct grounds_decoder *d, struct payload *in, uint32_t *items)
{
    uint64_t count, word, offset = 0;

    if (!get_varint(in, &count) || count > (size_t)(in->end - in->at))
        return false;
    *items = (uint32_t)count;
    for (; count > 0; count--) {
        struct ground g = {0};
        if (!get_varint(in, &word) || word >> 2 >= UINT32_MAX ||
            ((word & 3) == GROUND_DIFFERENCE && !d->differences))
            return false;
        g.read = UINT32_MAX - (uint32_t)(word >> 2);
        g.form = (enum ground_form)(word & 3);
        if ((g.form == GROUND_OFFSET && !get_varint(in, &offset)) ||
            (g.form == GROUND_RANGES && !get_ranges(d, in, &g)))
            return false;
        g.offset = g.form == GROUND_OFFSET ? htr_unzigzag(offset) : 0;
        ARRAY_PUSH(&d->scratch, grounds, g);
    }
    return true;
}

static bool get_shape(struct grounds_decoder *d, struct payload *in)
{
    struct grounds_given given = {0};
    size_t known = grounds_count(d->shapes), range = 0;
    uint64_t lists;

    d->scratch.grounds_count = d->ranges_count = 0;
    if (!get_varint(in, &lists) || lists == 0 || lists > 3)
        return false;
    given.by_given = lists & 1;
    given.from_given = lists & 2;
    if ((given.by_given && !get_list(d, in, &given.by_count)) ||
        (given.from_given && !get_list(d, in, &given.from_count)))
        return false;
    for (size_t i = 0; i < d->scratch.grounds_count; i++) {
        d->scratch.grounds[i].ranges = d->ranges ? d->ranges + range : NULL;
        range += d->scratch.grounds[i].range_count;
    }
    given.by = d->scratch.grounds;
    given.from = d->scratch.grounds ? d->scratch.grounds + given.by_count : NULL;
    return grounds_add(d->shapes, UINT32_MAX, &given) == known; /* none stands twice */
}

bool grounds_decoder_shapes(struct grounds_decoder *d, struct payload *in)
{
    uint64_t count;

    if (!d->shapes)
        d->shapes = grounds_new();
    if (!get_varint(in, &count))
        return false;
    for (; count > 0; count--)
        if (!get_shape(d, in))
            return false;
    return true;
}

/* Makes an offset of a difference; false where the trace does not tell it. */
static bool subtract(const struct trace *trace, uint32_t number, struct ground *g)
{
    if (!trace->value || !is_number(trace->value_tag[number]) ||
        !saw_number(trace->op[g->read], trace->value_tag[g->read]))
        return false;
    g->form = GROUND_OFFSET;
    g->offset = trace->value[number] - trace->value[g->read];
    return true;
}

/* Puts the reads of a list where its distances say; false where there is none. */
static bool resolve(struct grounds_decoder *d, const struct trace *trace, const struct ground_list *list,
                    const struct thread_reads *t, uint32_t number)
{
    for (uint32_t i = 0; i < list->count; i++) {
        struct ground g = ground_at(list, i);
        uint32_t back = list->items[i].distance;
        if (back > t->reads_count)
            return false;
        g.read = back == 0 ? number : t->reads[t->reads_count - back];
        if (list->items[i].form == GROUND_DIFFERENCE && !subtract(trace, number, &g))
            return false;
        ARRAY_PUSH(&d->scratch, grounds, g);
    }
    return true;
}

bool grounds_decoder_event(struct grounds_decoder *d, const struct trace *trace, uint32_t number,
                           grounds_id shape, grounds_id *id)
{
    thread_id thread = trace->thread[number];

    *id = GROUNDS_NONE;
    if (shape != GROUNDS_NONE) {
        const struct thread_reads *t = reads_of(&d->index, thread);
        if (shape >= grounds_count(d->shapes))
            return false;
        struct ground_list by = grounds_by(d->shapes, shape, number);
        struct ground_list from = grounds_from(d->shapes, shape, number);
        d->scratch.grounds_count = 0;
        if (!resolve(d, trace, &by, t, number) || !resolve(d, trace, &from, t, number))
            return false;
        *id = add_collected(trace->ground_pool, number, &d->scratch, lengths_of(&by, &from));
    }
    note_read(reads_of(&d->index, thread), trace->op[number], number);
    return true;
}
