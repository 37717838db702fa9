/* Writes the native format: collects the events of a block and the names they need. */
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct htr_writer {
    struct output *out;
    struct htr_press *press;
    const char *path;
    const struct names *names;
    unsigned features;
    uint64_t written;                 /* events in blocks that are out, or on their way */
    uint32_t names_out[NAME_CLASSES]; /* names in these */
    struct event *events;             /* of the block being collected */
    size_t pending;
    struct stack_column stacks;
    struct grounds_column grounds;
};

static void raise_to(uint32_t *count, uint32_t id)
{
    if (id + 1 > *count) /* ARG_NONE and NAME_NONE wrap to 0 */
        *count = id + 1;
}

/* How many names of each class the events so far use. */
static void count_names(const struct htr_writer *w, uint32_t used[NAME_CLASSES])
{
    memcpy(used, w->names_out, sizeof w->names_out);
    for (size_t i = 0; i < w->pending; i++) {
        const struct event *e = &w->events[i];
        enum name_class class = kind_argument(op_kind(e->op));
        raise_to(&used[NAME_THREAD], e->thread);
        if (class < NAME_CLASSES)
            raise_to(&used[class], e->arg);
        if (w->features & HTR_LOCATIONS)
            raise_to(&used[NAME_LOCATION], e->location);
        if (w->features & HTR_VALUES && e->value_tag == VALUE_NAME)
            raise_to(&used[NAME_VALUE], (uint32_t)e->value);
    }
}

/* A block holds the names its events need, so a file that is cut short has no others. */
static void put_names(struct htr_writer *w, struct htr_batch *b)
{
    uint32_t used[NAME_CLASSES];
    size_t unnamed = 0;

    count_names(w, used);
    for (int class = 0; class < NAME_CLASSES; class ++) {
        const struct names *names = &w->names[class];
        bool written = w->features & HTR_NAMES || class >= NAME_LOCATION;

        assert(used[class] >= w->names_out[class] && (!written || used[class] <= names_count(names)));
        batch_varint(b, used[class] - w->names_out[class]);
        unnamed += written ? 0 : used[class] - w->names_out[class];
        for (uint32_t id = w->names_out[class]; written && id < used[class]; id++) {
            batch_varint(b, names_length(names, id));
            batch_bytes(b, names_text(names, id), names_length(names, id));
        }
        w->names_out[class] = used[class];
    }
    if (unnamed > HTR_UNNAMED)
        b->failed = "too many objects at once to leave their names out";
}

/* Fills in what kind of block the current batch is, and lets it go. */
static void put_block(struct htr_writer *w, enum htr_block type)
{
    struct htr_batch *b = press_batch(w->press);

    assert(type == HTR_EVENTS || b->count == 0);
    b->type = type;
    b->before = w->written;
    press_put(w->press);
}

/* The events that were collected. */
static void put_events(struct htr_writer *w)
{
    struct htr_batch *b = press_batch(w->press);
    struct event *events = w->events;
    size_t count = w->pending;

    if (count == 0)
        return;
    batch_varint(b, count);
    put_names(w, b);
    if (w->features & HTR_GROUNDS)
        grounds_column_out(&w->grounds, b);
    if (w->stacks.table && !stack_column_make(&w->stacks, events, count))
        w->stacks.bytes_count = 0;
    w->events = b->events ? b->events : memory_new(HTR_BLOCK_EVENTS, sizeof *w->events);
    w->pending = 0;
    b->events = events;
    b->count = count;
    put_block(w, HTR_EVENTS);
    w->written += count;
    if (w->stacks.bytes_count) {
        batch_bytes(press_batch(w->press), w->stacks.bytes, w->stacks.bytes_count);
        put_block(w, HTR_STACKS);
    }
}

/* For what comes after these. */
static struct htr_batch *next_batch(struct htr_writer *w)
{
    put_events(w);
    return press_batch(w->press);
}

void htr_flush(struct htr_writer *w)
{
    put_events(w);
    press_wait(w->press);
}

static void write_header(struct output *out, unsigned features)
{
    unsigned char header[HTR_HEADER_SIZE] = {0};

    if (features & HTR_DIFFERENCES)
        features &= ~(unsigned)HTR_GROUNDS;
    memcpy(header, HTR_MAGIC, HTR_MAGIC_SIZE);
    header[8] = HTR_VERSION;
    for (int i = 0; i < 4; i++)
        header[12 + i] = (unsigned char)(features >> 8 * i);
    output_write(out, header, sizeof header);
    output_flush(out);
}

enum status htr_create(struct htr_writer **writer, const char *path, unsigned features,
                       const struct names *names, struct error *err)
{
    struct output *out;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;

    if (!(features & HTR_GROUNDS))
        features &= ~(unsigned)HTR_DIFFERENCES;
    struct htr_writer *w = memory_new(1, sizeof *w);
    w->out = out;
    w->path = path;
    w->features = features;
    w->names = names;
    w->press = press_new(out, features);
    w->events = memory_new(HTR_BLOCK_EVENTS, sizeof *w->events);
    if (features & HTR_GROUNDS)
        grounds_column_init(&w->grounds, features);
    write_header(out, features);
    *writer = w;
    return HEDDLE_OK;
}

enum status htr_announce(const char *path, struct error *err)
{
    struct output *out;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;
    write_header(out, HTR_USUAL);
    return output_close(out, err);
}

void htr_stacks(struct htr_writer *w, const struct stacks *stacks)
{
    assert(w->written + w->pending == 0 && !w->stacks.table);
    w->stacks.table = stacks;
    w->stacks.of = memory_new(HTR_BLOCK_EVENTS, sizeof *w->stacks.of);
}

void htr_grounds(struct htr_writer *w, const struct grounds *pool)
{
    assert(w->written + w->pending == 0 && w->features & HTR_GROUNDS);
    w->grounds.pool = pool;
}

void htr_stack(struct htr_writer *w, stack_id stack)
{
    assert(stack == STACK_NONE || (w->stacks.table && stack <= w->stacks.table->sites_count));
    w->stacks.now = stack;
}

/* The number of the event that is appended next. */
static uint32_t next_number(const struct htr_writer *w)
{
    return (uint32_t)(w->written + w->pending + 1);
}

grounds_id htr_give(struct htr_writer *w, const struct event *event, const struct grounds_given *given)
{
    assert(!w->grounds.pool);
    return w->features & HTR_GROUNDS ? grounds_column_give(&w->grounds, event, next_number(w), given)
                                     : GROUNDS_NONE;
}

void htr_append(struct htr_writer *w, const struct event *event)
{
    struct event *kept = &w->events[w->pending];

    assert(w->pending < HTR_BLOCK_EVENTS);
    *kept = *event;
    if (w->stacks.table)
        w->stacks.of[w->pending] = w->stacks.now;
    if (w->features & HTR_GROUNDS)
        kept->grounds = grounds_column_put(&w->grounds, event, next_number(w));
    w->pending++;
    if (w->pending == HTR_BLOCK_EVENTS)
        put_events(w);
}

uint32_t htr_named(const struct htr_writer *w, enum name_class class)
{
    return w->names_out[class];
}

void htr_origin(struct htr_writer *w, const struct trace_origin *origin)
{
    size_t length = origin->program ? strlen(origin->program) : 0;
    struct htr_batch *b = next_batch(w);

    batch_varint(b, origin->dropped_variables);
    batch_varint(b, origin->dropped_events);
    batch_varint(b, length);
    if (length)
        batch_bytes(b, origin->program, length);
    if (origin->binary)
        batch_varint(b, HTR_ORIGIN_BINARY);
    put_block(w, HTR_ORIGIN);
}

/* How many variables from `x` on have its type. */
static size_t type_run(const uint8_t *types, size_t x, size_t count)
{
    size_t end = x;

    while (end < count && types[end] == types[x])
        end++;
    return end - x;
}

void htr_types(struct htr_writer *w, const uint8_t *types, size_t count)
{
    struct htr_batch *b = next_batch(w);
    size_t known = w->names_out[NAME_VARIABLE] < count ? w->names_out[NAME_VARIABLE] : count, runs = 0,
           skipped = 0;

    for (size_t x = 0; x < known; x += type_run(types, x, known))
        runs += types[x] != TYPE_UNKNOWN;
    if (runs == 0)
        return;
    batch_varint(b, runs);
    for (size_t x = 0, length; x < known; x += length) {
        length = type_run(types, x, known);
        if (types[x] == TYPE_UNKNOWN) {
            skipped = length;
            continue;
        }
        batch_varint(b, skipped);
        batch_varint(b, length - 1);
        batch_varint(b, types[x]);
        skipped = 0;
    }
    put_block(w, HTR_TYPE_RUNS);
}

static void put_marked(struct htr_writer *w, const struct event_set *set, uint32_t type)
{
    struct htr_batch *b;
    uint32_t last = 0;

    if (set->events_count == 0)
        return;
    b = next_batch(w);
    batch_varint(b, set->events_count);
    for (size_t i = 0; i < set->events_count; i++) {
        assert(set->events[i] > last);
        batch_varint(b, set->events[i] - last);
        last = set->events[i];
    }
    put_block(w, type);
}

void htr_printed(struct htr_writer *w, const struct event_set *printed)
{
    put_marked(w, printed, HTR_PRINTED);
}

void htr_freeing(struct htr_writer *w, const struct event_set *freeing)
{
    put_marked(w, freeing, HTR_FREEING);
}

static void put_text(struct htr_batch *b, const char *text)
{
    batch_varint(b, strlen(text));
    batch_bytes(b, text, strlen(text));
}

/* Waiting threads are told by name. */
void htr_ending(struct htr_writer *w, const struct trace_end *end)
{
    size_t waiters = w->features & HTR_NAMES ? end->waiters_count : 0;
    struct htr_batch *b;

    if (end->outcome == RUN_UNKNOWN && waiters + end->incomplete_count == 0)
        return;
    b = next_batch(w);
    batch_varint(b, end->outcome);
    batch_varint(b, end->number);
    put_text(b, end->text ? end->text : "");
    batch_varint(b, waiters);
    for (size_t i = 0; i < waiters; i++) {
        put_text(b, end->waiters[i].thread);
        put_text(b, end->waiters[i].what);
        put_text(b, end->waiters[i].place);
        put_text(b, end->waiters[i].holder);
    }
    batch_varint(b, end->incomplete_count);
    for (size_t i = 0; i < end->incomplete_count; i++)
        put_text(b, end->incomplete[i]);
    put_block(w, HTR_ENDING);
}

void htr_functions(struct htr_writer *w, const struct names *functions)
{
    struct htr_batch *b;

    if (names_count(functions) == 0)
        return;
    b = next_batch(w);
    batch_varint(b, names_count(functions));
    for (uint32_t id = 0; id < names_count(functions); id++) {
        batch_varint(b, names_length(functions, id));
        batch_bytes(b, names_text(functions, id), names_length(functions, id));
    }
    put_block(w, HTR_FUNCTIONS);
}

void htr_journal(struct htr_writer *w, const unsigned char *bytes, size_t length)
{
    if (length == 0)
        return;
    batch_bytes(next_batch(w), bytes, length);
    put_block(w, HTR_JOURNAL);
}

void htr_part(struct htr_writer *w, const unsigned char *bytes, size_t length)
{
    batch_bytes(press_batch(w->press), bytes, length);
    put_block(w, HTR_PART);
}

enum status htr_close(struct htr_writer *w, struct error *err)
{
    struct htr_batch *last = next_batch(w);
    const char *failed;
    enum status status;

    assert(w->pending == 0);
    batch_varint(last, w->written);
    put_block(w, HTR_END);
    failed = press_end(w->press);
    status = output_close(w->out, err);
    if (status == HEDDLE_OK && failed)
        status = fail(err, HEDDLE_UNSUPPORTED, "%s: %s", w->path, failed);
    free(w->events);
    free(w->stacks.of);
    free(w->stacks.bytes);
    grounds_column_free(&w->grounds);
    free(w);
    return status;
}
