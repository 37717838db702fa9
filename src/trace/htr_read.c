/* Reads the native format: block by block, nothing in a file is trusted. */
#include "base/memory.h"
#include "trace/htr.h"
#include "trace/validate.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

struct htr_reader {
    struct trace *trace;
    struct input *in;
    struct validator validator;
    unsigned features;
    bool ended;
    unsigned char *stored;
    size_t stored_capacity;
    unsigned char *raw; /* the block being decoded: raw[at … end) is still to come */
    size_t raw_capacity;
    const unsigned char *at, *end;
    uint32_t thread[HTR_BLOCK_EVENTS];
    uint64_t location[HTR_BLOCK_EVENTS];
    uint64_t op[HTR_BLOCK_EVENTS];
    uint64_t arg[HTR_BLOCK_EVENTS];
    uint64_t tag[HTR_BLOCK_EVENTS];
    uint64_t value[HTR_BLOCK_EVENTS];
    uint32_t last_location[HTR_SLOTS];
    event_op last_op[HTR_SLOTS];
    uint32_t last_arg[HTR_SLOTS];
    uint64_t last_value[HTR_SLOTS];
};

static uint32_t load_u32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static uint64_t load_u64(const unsigned char *from)
{
    return load_u32(from) | (uint64_t)load_u32(from + 4) << 32;
}

static enum status damaged(const struct htr_reader *r, struct error *err, const char *what)
{
    return fail(err, HEDDLE_BAD_TRACE, "%s: damaged block after event %zu: %s", input_name(r->in),
                r->trace->count, what);
}

static bool get_varint(struct htr_reader *r, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        unsigned char byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool get_column(struct htr_reader *r, uint64_t *to, size_t count)
{
    if (r->at == r->end)
        return false;

    unsigned width = *r->at++;
    if (width > 8 || (size_t)(r->end - r->at) < width * count)
        return false;
    const unsigned char *p = r->at;
    r->at += width * count;
    switch (width) { /* the usual widths, each in one pass */
    case 0:
        memset(to, 0, count * sizeof *to);
        return true;
    case 1:
        for (size_t i = 0; i < count; i++)
            to[i] = p[i];
        return true;
    case 2:
        for (size_t i = 0; i < count; i++)
            to[i] = p[i] | (unsigned)p[i + count] << 8;
        return true;
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = p[i];
        for (unsigned plane = 1; plane < width; plane++)
            for (size_t i = 0; i < count; i++)
                to[i] |= (uint64_t)p[i + plane * count] << 8 * plane;
        return true;
    }
}

/* A name for an object of a file written without names. */
static size_t default_name(char *to, size_t room, int class, size_t id)
{
    static const char *const prefix[NAME_CLASSES] = {"T", "x", "l", "c", "b", "s", "block", "", ""};

    return (size_t)snprintf(to, room, "%s%zu", prefix[class], id);
}

static enum status get_names(struct htr_reader *r, struct error *err)
{
    for (int class = 0; class < NAME_CLASSES; class ++) {
        struct names *names = &r->trace->names[class];
        bool written = r->features & HTR_NAMES || class >= NAME_LOCATION;
        uint64_t count, length;
        char made[32];

        if (!get_varint(r, &count) || count > (written ? HTR_BLOCK_BYTES : HTR_UNNAMED))
            return damaged(r, err, "bad count of names");
        while (count-- > 0) {
            size_t id = names_count(names);
            const char *text = made;
            if (!written) {
                length = default_name(made, sizeof made, class, id);
            } else if (!get_varint(r, &length) || length > (size_t)(r->end - r->at)) {
                return damaged(r, err, "bad name");
            } else {
                text = (const char *)r->at;
                r->at += length;
            }
            if (memchr(text, '\0', length) || names_add(names, text, length) != id)
                return damaged(r, err, "a name stands twice");
        }
    }
    return HEDDLE_OK;
}

static bool get_threads(struct htr_reader *r, size_t count)
{
    size_t known = trace_names(r->trace, NAME_THREAD), filled = 0;
    uint64_t runs, thread, more;

    if (!get_varint(r, &runs))
        return false;
    while (runs-- > 0) {
        if (!get_varint(r, &thread) || !get_varint(r, &more) || thread >= known || more >= count - filled)
            return false;
        for (size_t i = 0; i <= more; i++)
            r->thread[filled++] = (uint32_t)thread;
    }
    return filled == count;
}

static bool get_columns(struct htr_reader *r, size_t count)
{
    if (!get_threads(r, count))
        return false;
    if (r->features & HTR_LOCATIONS && !get_column(r, r->location, count))
        return false;
    if (!get_column(r, r->op, count) || !get_column(r, r->arg, count))
        return false;
    if (r->features & HTR_VALUES && (!get_column(r, r->tag, count) || !get_column(r, r->value, count)))
        return false;
    return r->at == r->end;
}

/* Undoes the prediction of location, operation and argument of event `i`; false if an id is out of range. */
static inline bool decode_event(struct htr_reader *r, size_t i, struct event *e)
{
    uint32_t place = 0;

    e->thread = r->thread[i];
    if (r->features & HTR_LOCATIONS) {
        uint32_t *before = &r->last_location[htr_slot(e->thread)];
        place = *before = (uint32_t)(*before + htr_unzigzag(r->location[i]));
        if (place > trace_names(r->trace, NAME_LOCATION))
            return false;
    }
    e->location = place - 1;

    size_t slot = htr_slot(place);
    e->op = r->last_op[slot] ^= (event_op)r->op[i];
    uint32_t arg = r->last_arg[slot] += (uint32_t)htr_unzigzag(r->arg[i]);
    e->arg = arg - 1;
    if (op_kind(e->op) >= EVENT_KINDS || op_order(e->op) >= ORDERS)
        return false;

    enum name_class class = kind_argument(op_kind(e->op));
    if (class == NAME_CLASSES || (class == NAME_BLOCK && arg == 0))
        return arg == 0;
    return e->arg < trace_names(r->trace, class);
}

static inline bool decode_value(struct htr_reader *r, size_t i, struct event *e)
{
    e->value_tag = (uint8_t)r->tag[i];
    e->value = 0;
    if (r->tag[i] == VALUE_NONE)
        return true;
    if (r->tag[i] > VALUE_NAME || !kind_accesses(op_kind(e->op)))
        return false;
    e->value = r->last_value[htr_slot(e->arg)] += htr_unzigzag(r->value[i]);
    return e->value_tag != VALUE_NAME || e->value < trace_names(r->trace, NAME_VALUE);
}

static enum status read_events(struct htr_reader *r, struct error *err)
{
    uint64_t count;
    struct event e = {.value_tag = VALUE_NONE};

    if (!get_varint(r, &count) || count == 0 || count > HTR_BLOCK_EVENTS)
        return damaged(r, err, "bad count of events");
    if (get_names(r, err) != HEDDLE_OK)
        return err->status;
    if (!get_columns(r, count))
        return damaged(r, err, "bad column");
    memset(r->last_location, 0, sizeof r->last_location);
    memset(r->last_op, 0, sizeof r->last_op);
    memset(r->last_arg, 0, sizeof r->last_arg);
    memset(r->last_value, 0, sizeof r->last_value);
    for (size_t i = 0; i < count; i++) {
        if (!decode_event(r, i, &e) || (r->features & HTR_VALUES && !decode_value(r, i, &e)))
            return damaged(r, err, "a number is out of range");
        if (!validator_passes(&r->validator, &e) && validator_event(&r->validator, &e, err) != HEDDLE_OK)
            return error_prefix(err, "%s: event %zu: ", input_name(r->in), r->trace->count + 1);
        trace_append(r->trace, &e);
    }
    return HEDDLE_OK;
}

static enum status read_origin(struct htr_reader *r, struct error *err)
{
    struct trace_origin *origin = &r->trace->origin;
    uint64_t length;

    if (!get_varint(r, &origin->dropped_variables) || !get_varint(r, &origin->dropped_events) ||
        !get_varint(r, &length) || length != (size_t)(r->end - r->at))
        return damaged(r, err, "bad origin");
    free(origin->program);
    origin->program = length ? memory_text((const char *)r->at, length) : NULL;
    return HEDDLE_OK;
}

static enum status read_end(struct htr_reader *r, struct error *err)
{
    uint64_t events;
    unsigned char byte;
    size_t got;

    if (!get_varint(r, &events) || events != r->trace->count)
        return damaged(r, err, "the end counts other events");
    r->ended = true;
    if (input_read(r->in, &byte, 1, &got, err) != HEDDLE_OK)
        return err->status;
    return got == 0 ? HEDDLE_OK : damaged(r, err, "bytes after the end");
}

static void note_missing(struct htr_reader *r, size_t bytes)
{
    char text[256];
    int length =
        snprintf(text, sizeof text,
                 "the file stops before its end after event %zu (%zu bytes of a block are left over): its "
                 "writer was killed or the file was cut",
                 r->trace->count, bytes);

    r->trace->note = memory_text(text, (size_t)length);
    r->ended = true;
}

/* Reads one block into `raw`; sets `ended` and a note where the file stops. */
static enum status fetch_block(struct htr_reader *r, uint32_t *type, struct error *err)
{
    unsigned char header[HTR_BLOCK_HEADER_SIZE];
    size_t got;

    if (input_read_full(r->in, header, sizeof header, &got, err) != HEDDLE_OK)
        return err->status;
    if (got < sizeof header) {
        note_missing(r, got);
        return HEDDLE_OK;
    }

    uint32_t raw = load_u32(header + 4), stored = load_u32(header + 8);
    *type = load_u32(header);
    if (raw > HTR_BLOCK_BYTES || stored > HTR_BLOCK_BYTES || load_u32(header + 12) != 0 ||
        load_u64(header + 16) != r->trace->count)
        return damaged(r, err, "bad block header");

    /* Grow as bytes arrive: a header may promise more than the file has. */
    for (size_t have = 0; have < stored; have += got) {
        size_t want = stored - have < 1 << 20 ? stored - have : 1 << 20;
        if (have + want > r->stored_capacity)
            r->stored = memory_grow(r->stored, &r->stored_capacity, have + want, 1);
        if (input_read_full(r->in, r->stored + have, want, &got, err) != HEDDLE_OK)
            return err->status;
        if (got < want) {
            note_missing(r, sizeof header + have + got);
            return HEDDLE_OK;
        }
    }
    if (load_u64(header + 24) != XXH3_64bits_withSeed(r->stored, stored, XXH3_64bits(header, 24)))
        return damaged(r, err, "the checksum differs");
    if (raw > r->raw_capacity)
        r->raw = memory_grow(r->raw, &r->raw_capacity, raw, 1);
    if (ZSTD_decompress(r->raw, raw, r->stored, stored) != raw)
        return damaged(r, err, "it does not decompress");
    r->at = r->raw;
    r->end = r->raw + raw;
    return HEDDLE_OK;
}

static enum status read_blocks(struct htr_reader *r, struct error *err)
{
    uint32_t type = 0;
    enum status status = HEDDLE_OK;

    while (status == HEDDLE_OK) {
        status = fetch_block(r, &type, err);
        if (status != HEDDLE_OK || r->ended)
            return status;
        switch (type) {
        case HTR_EVENTS:
            status = read_events(r, err);
            break;
        case HTR_ORIGIN:
            status = read_origin(r, err);
            break;
        case HTR_END:
            return read_end(r, err);
        default:
            status = fail(err, HEDDLE_UNSUPPORTED, "%s: a block of unknown type %" PRIu32 " after event %zu",
                          input_name(r->in), type, r->trace->count);
        }
    }
    return status;
}

static enum status read_header(struct htr_reader *r, struct error *err)
{
    unsigned char header[HTR_HEADER_SIZE];
    size_t got;

    if (input_read_full(r->in, header, sizeof header, &got, err) != HEDDLE_OK)
        return err->status;
    if (got < sizeof header || memcmp(header, HTR_MAGIC, HTR_MAGIC_SIZE) != 0)
        return fail(err, HEDDLE_BAD_TRACE, "%s: the file ends inside its header", input_name(r->in));

    unsigned version = header[8] | (unsigned)header[9] << 8;
    if (version != HTR_VERSION)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: trace format version %u; this heddle reads version %d",
                    input_name(r->in), version, HTR_VERSION);
    r->features = load_u32(header + 12);
    if (r->features & ~(unsigned)HTR_FEATURES || header[10] || header[11])
        return fail(err, HEDDLE_UNSUPPORTED,
                    "%s: the trace uses features this heddle does not know (mask 0x%x)", input_name(r->in),
                    r->features & ~(unsigned)HTR_FEATURES);
    return HEDDLE_OK;
}

enum status htr_read(struct trace *trace, struct input *in, struct error *err)
{
    struct htr_reader *r = memory_new(1, sizeof *r);
    enum status status;

    assert(trace->count == 0);
    r->trace = trace;
    r->in = in;
    validator_init(&r->validator, trace);
    status = read_header(r, err);
    if (status == HEDDLE_OK)
        status = read_blocks(r, err);
    validator_free(&r->validator);
    free(r->stored);
    free(r->raw);
    free(r);
    return status;
}
