/* Writes the native format: collects a block of events, turns it into columns, compresses, appends. */
#include "base/memory.h"
#include "trace/htr_parts.h"
#include "trace/output.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

struct htr_writer {
    struct output *out;
    const char *path;
    const struct names *names;
    unsigned features;
    uint64_t written;                 /* events in blocks that are out */
    uint32_t names_out[NAME_CLASSES]; /* names in blocks that are out */
    struct event *events;             /* of the block being collected */
    size_t pending;
    struct stack_column stacks;
    uint64_t *column;
    unsigned char *raw; /* the block before compression */
    size_t raw_count, raw_capacity;
    unsigned char *stored; /* after */
    size_t stored_capacity;
    ZSTD_CCtx *zstd;
    const char *failed; /* why no whole file can come of this any more; NULL while all is well */
};

static void put_byte(struct htr_writer *w, unsigned char byte)
{
    ARRAY_PUSH(w, raw, byte);
}

static void put_varint(struct htr_writer *w, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        put_byte(w, (unsigned char)(value | 0x80));
    put_byte(w, (unsigned char)value);
}

static void put_bytes(struct htr_writer *w, const void *bytes, size_t length)
{
    if (w->raw_count + length > w->raw_capacity)
        w->raw = memory_grow(w->raw, &w->raw_capacity, w->raw_count + length, 1);
    memcpy(w->raw + w->raw_count, bytes, length);
    w->raw_count += length;
}

/* A column: the bytes an element needs, then the lowest bytes of all, the next ones of all, … */
static void put_column(struct htr_writer *w, size_t count)
{
    uint64_t all = 0;
    unsigned char width = 0;

    for (size_t i = 0; i < count; i++)
        all |= w->column[i];
    for (; all; all >>= 8)
        width++;
    put_byte(w, width);
    if (w->raw_count + width * count > w->raw_capacity)
        w->raw = memory_grow(w->raw, &w->raw_capacity, w->raw_count + width * count, 1);
    for (unsigned plane = 0; plane < width; plane++) {
        unsigned char *to = w->raw + w->raw_count;
        for (size_t i = 0; i < count; i++)
            to[i] = (unsigned char)(w->column[i] >> 8 * plane);
        w->raw_count += count;
    }
}

static void store_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static void store_u64(unsigned char *to, uint64_t value)
{
    store_u32(to, (uint32_t)value);
    store_u32(to + 4, (uint32_t)(value >> 32));
}

/* Compresses what is in `raw` and appends it as one block. */
static void put_block(struct htr_writer *w, enum htr_block type)
{
    unsigned char header[HTR_BLOCK_HEADER_SIZE] = {0};
    size_t raw = w->raw_count, bound = ZSTD_compressBound(raw);

    w->raw_count = 0;
    if (raw > HTR_BLOCK_BYTES || bound > HTR_BLOCK_BYTES)
        w->failed = "the names of a block are longer than the format allows";
    if (w->failed)
        return;
    if (bound > w->stored_capacity)
        w->stored = memory_grow(w->stored, &w->stored_capacity, bound, 1);
    size_t stored = ZSTD_compressCCtx(w->zstd, w->stored, bound, w->raw, raw, 3);
    if (ZSTD_isError(stored)) {
        w->failed = "the compressor failed";
        return;
    }
    store_u32(header, type);
    store_u32(header + 4, (uint32_t)raw);
    store_u32(header + 8, (uint32_t)stored);
    store_u64(header + 16, w->written);
    store_u64(header + 24, XXH3_64bits_withSeed(w->stored, stored, XXH3_64bits(header, 24)));
    output_write(w->out, header, sizeof header);
    output_write(w->out, w->stored, stored);
    output_flush(w->out);
}

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
static void put_names(struct htr_writer *w)
{
    uint32_t used[NAME_CLASSES];
    size_t unnamed = 0;

    count_names(w, used);
    for (int class = 0; class < NAME_CLASSES; class ++) {
        const struct names *names = &w->names[class];
        bool written = w->features & HTR_NAMES || class >= NAME_LOCATION;

        put_varint(w, used[class] - w->names_out[class]);
        unnamed += written ? 0 : used[class] - w->names_out[class];
        for (uint32_t id = w->names_out[class]; written && id < used[class]; id++) {
            put_varint(w, names_length(names, id));
            put_bytes(w, names_text(names, id), names_length(names, id));
        }
        w->names_out[class] = used[class];
    }
    if (unnamed > HTR_UNNAMED)
        w->failed = "too many objects at once to leave their names out";
}

static void put_threads(struct htr_writer *w)
{
    size_t runs = 0;

    for (size_t i = 0; i < w->pending; i++)
        runs += i == 0 || w->events[i].thread != w->events[i - 1].thread;
    put_varint(w, runs);
    for (size_t i = 0, start = 0; i < w->pending; i++) {
        if (i + 1 < w->pending && w->events[i + 1].thread == w->events[i].thread)
            continue;
        put_varint(w, w->events[i].thread);
        put_varint(w, i - start);
        start = i + 1;
    }
}

/* Where in the code a thread goes on is near where it was. */
static void put_locations(struct htr_writer *w)
{
    uint32_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < w->pending; i++) {
        uint32_t *before = &last[htr_slot(w->events[i].thread)];
        uint32_t now = w->events[i].location + 1; /* 0: no location */
        w->column[i] = htr_zigzag((uint64_t)now - *before);
        *before = now;
    }
    put_column(w, w->pending);
}

static uint32_t place_of(const struct htr_writer *w, const struct event *e)
{
    return w->features & HTR_LOCATIONS ? e->location + 1 : 0;
}

/* The same place in the code does the same thing, to the same object or its neighbour. */
static void put_ops(struct htr_writer *w)
{
    event_op last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < w->pending; i++) {
        event_op *before = &last[htr_slot(place_of(w, &w->events[i]))];
        w->column[i] = w->events[i].op ^ *before;
        *before = w->events[i].op;
    }
    put_column(w, w->pending);
}

static void put_args(struct htr_writer *w)
{
    uint32_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < w->pending; i++) {
        uint32_t *before = &last[htr_slot(place_of(w, &w->events[i]))];
        uint32_t now = w->events[i].arg + 1; /* 0: no argument */
        w->column[i] = htr_zigzag((uint64_t)now - *before);
        *before = now;
    }
    put_column(w, w->pending);
}

/* A read mostly sees what its variable was last seen to hold. */
static void put_values(struct htr_writer *w)
{
    uint64_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < w->pending; i++)
        w->column[i] = w->events[i].value_tag;
    put_column(w, w->pending);
    for (size_t i = 0; i < w->pending; i++) {
        uint64_t *before = &last[htr_slot(w->events[i].arg)];
        w->column[i] = 0;
        if (w->events[i].value_tag == VALUE_NONE)
            continue;
        w->column[i] = htr_zigzag(w->events[i].value - *before);
        *before = w->events[i].value;
    }
    put_column(w, w->pending);
}

void htr_flush(struct htr_writer *w)
{
    if (w->pending == 0)
        return;
    put_varint(w, w->pending);
    put_names(w);
    put_threads(w);
    if (w->features & HTR_LOCATIONS)
        put_locations(w);
    put_ops(w);
    put_args(w);
    if (w->features & HTR_VALUES)
        put_values(w);
    put_block(w, HTR_EVENTS);
    w->written += w->pending;
    if (w->stacks.table && stack_column_make(&w->stacks, w->events, w->pending)) {
        put_bytes(w, w->stacks.bytes, w->stacks.bytes_count);
        put_block(w, HTR_STACKS);
    }
    w->pending = 0;
}

enum status htr_create(struct htr_writer **writer, const char *path, unsigned features,
                       const struct names *names, struct error *err)
{
    unsigned char header[HTR_HEADER_SIZE] = {0};
    struct output *out;

    if (output_open(&out, path, err) != HEDDLE_OK)
        return err->status;

    struct htr_writer *w = memory_new(1, sizeof *w);
    w->out = out;
    w->path = path;
    w->features = features;
    w->names = names;
    w->zstd = ZSTD_createCCtx();
    w->events = memory_new(HTR_BLOCK_EVENTS, sizeof *w->events);
    w->column = memory_new(HTR_BLOCK_EVENTS, sizeof *w->column);
    memcpy(header, HTR_MAGIC, HTR_MAGIC_SIZE);
    header[8] = HTR_VERSION;
    store_u32(header + 12, features);
    output_write(out, header, sizeof header);
    output_flush(out);
    *writer = w;
    return HEDDLE_OK;
}

void htr_stacks(struct htr_writer *w, const struct stacks *stacks)
{
    assert(w->written + w->pending == 0 && !w->stacks.table);
    w->stacks.table = stacks;
    w->stacks.of = memory_new(HTR_BLOCK_EVENTS, sizeof *w->stacks.of);
}

void htr_stack(struct htr_writer *w, stack_id stack)
{
    w->stacks.now = stack;
}

void htr_append(struct htr_writer *w, const struct event *event)
{
    if (w->stacks.table)
        w->stacks.of[w->pending] = w->stacks.now;
    w->events[w->pending++] = *event;
    if (w->pending == HTR_BLOCK_EVENTS)
        htr_flush(w);
}

void htr_origin(struct htr_writer *w, const struct trace_origin *origin)
{
    size_t length = origin->program ? strlen(origin->program) : 0;

    htr_flush(w);
    put_varint(w, origin->dropped_variables);
    put_varint(w, origin->dropped_events);
    put_varint(w, length);
    if (length)
        put_bytes(w, origin->program, length);
    if (origin->binary)
        put_varint(w, HTR_ORIGIN_BINARY);
    put_block(w, HTR_ORIGIN);
}

void htr_functions(struct htr_writer *w, const struct names *functions)
{
    if (names_count(functions) == 0)
        return;
    htr_flush(w);
    put_varint(w, names_count(functions));
    for (uint32_t id = 0; id < names_count(functions); id++) {
        put_varint(w, names_length(functions, id));
        put_bytes(w, names_text(functions, id), names_length(functions, id));
    }
    put_block(w, HTR_FUNCTIONS);
}

void htr_journal(struct htr_writer *w, const unsigned char *bytes, size_t length)
{
    if (length == 0)
        return;
    htr_flush(w);
    put_bytes(w, bytes, length);
    put_block(w, HTR_JOURNAL);
}

void htr_part(struct htr_writer *w, const unsigned char *bytes, size_t length)
{
    put_bytes(w, bytes, length);
    put_block(w, HTR_PART);
}

enum status htr_close(struct htr_writer *w, struct error *err)
{
    htr_flush(w);
    put_varint(w, w->written);
    put_block(w, HTR_END);

    enum status status = output_close(w->out, err);
    if (status == HEDDLE_OK && w->failed)
        status = fail(err, HEDDLE_UNSUPPORTED, "%s: %s", w->path, w->failed);
    ZSTD_freeCCtx(w->zstd);
    free(w->events);
    free(w->column);
    free(w->stacks.of);
    free(w->stacks.bytes);
    free(w->raw);
    free(w->stored);
    free(w);
    return status;
}
