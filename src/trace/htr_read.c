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

/* A column as it lies in the block: `width` planes of one byte an element, the lowest first. */
struct column {
    const unsigned char *planes;
    size_t count;
    unsigned width;
};

#define NO_ARGUMENT ((uint64_t)1 << 32) /* above every coded argument */

struct htr_reader {
    struct trace *trace;
    struct input *in;
    struct validator validator;
    unsigned features;
    bool ended;
    ZSTD_DCtx *zstd;
    unsigned char *stored;
    size_t stored_capacity;
    unsigned char *raw; /* the block being decoded: raw[at … end) is still to come */
    size_t raw_capacity;
    const unsigned char *at, *end;
    const unsigned char *runs, *runs_end; /* the thread column: pairs of thread and run length */
    struct column location, op, arg, tag, value;
    uint8_t leads[HTR_BLOCK_EVENTS];        /* 1 for the first event of each run of a thread */
    uint32_t checked[HTR_BLOCK_EVENTS + 1]; /* the events of the block that the validator must see */
    size_t checked_count;
    uint64_t lowest[256], spread[256]; /* of coded arguments, by operation; NO_ARGUMENT: none is right */
    uint32_t last_location[HTR_SLOTS];
    struct prediction {
        uint32_t arg;
        event_op op;
    } last[HTR_SLOTS];
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

static bool get_column(struct htr_reader *r, struct column *column, size_t count)
{
    if (r->at == r->end)
        return false;
    *column = (struct column){r->at + 1, count, *r->at};
    if (column->width > 8 || (size_t)(r->end - column->planes) < column->width * count)
        return false;
    r->at = column->planes + column->width * count;
    return true;
}

static inline uint64_t column_at(const struct column *c, size_t i)
{
    if (c->width == 0)
        return 0;
    if (c->width == 1)
        return c->planes[i];

    uint64_t value = c->planes[i] | (uint64_t)c->planes[i + c->count] << 8;
    for (unsigned plane = 2; plane < c->width; plane++)
        value |= (uint64_t)c->planes[i + plane * c->count] << 8 * plane;
    return value;
}

/* A name for an object of a file written without names. */
static size_t default_name(char *to, size_t room, int class, size_t id)
{
    static const char *const prefix[NAME_CLASSES] = {"T", "x", "l", "c", "b", "s", "block", "", ""};

    return (size_t)snprintf(to, room, "%s%zu", prefix[class], id);
}

/* The next name of the block. Only a location may be empty: text could not say the others. */
static bool get_name(struct htr_reader *r, int class)
{
    struct names *names = &r->trace->names[class];
    const char *text;
    uint64_t length;

    if (!get_varint(r, &length) || length > (size_t)(r->end - r->at))
        return false;
    text = (const char *)r->at;
    r->at += length;
    if (memchr(text, '\0', length) || (length == 0 && class != NAME_LOCATION))
        return false;
    size_t id = names_count(names);
    return names_add(names, text, length) == id;
}

static enum status get_names(struct htr_reader *r, struct error *err)
{
    size_t unnamed = 0;

    for (int class = 0; class < NAME_CLASSES; class ++) {
        struct names *names = &r->trace->names[class];
        bool written = r->features & HTR_NAMES || class >= NAME_LOCATION;
        uint64_t count;
        char made[32];

        if (!get_varint(r, &count) || count > (written ? HTR_BLOCK_BYTES : HTR_UNNAMED - unnamed))
            return damaged(r, err, "bad count of names");
        unnamed += written ? 0 : count;
        for (; count > 0; count--) {
            if (!written)
                names_add(names, made, default_name(made, sizeof made, class, names_count(names)));
            else if (!get_name(r, class))
                return damaged(r, err, "bad name, or one that stands twice");
        }
    }
    return HEDDLE_OK;
}

/* Skips the thread column, which is read again with the events: checks that its runs cover them. */
static bool get_threads(struct htr_reader *r, size_t count)
{
    size_t known = trace_names(r->trace, NAME_THREAD), covered = 0;
    uint64_t runs, thread, more;

    if (!get_varint(r, &runs))
        return false;
    r->runs = r->at;
    while (runs-- > 0) {
        if (!get_varint(r, &thread) || !get_varint(r, &more) || thread >= known || more >= count - covered)
            return false;
        covered += more + 1;
    }
    r->runs_end = r->at;
    return covered == count;
}

static bool get_columns(struct htr_reader *r, size_t count)
{
    if (!get_threads(r, count))
        return false;
    r->location = (struct column){.planes = r->at, .count = count}; /* all 0: no locations */
    if (r->features & HTR_LOCATIONS && !get_column(r, &r->location, count))
        return false;
    if (!get_column(r, &r->op, count) || r->op.width > 1 || !get_column(r, &r->arg, count))
        return false;
    if (r->features & HTR_VALUES && (!get_column(r, &r->tag, count) || !get_column(r, &r->value, count)))
        return false;
    return r->at == r->end;
}

/* For each operation byte the range its coded argument must lie in; no range for what is no operation. */
static void find_ranges(struct htr_reader *r)
{
    for (unsigned op = 0; op < 256; op++) {
        enum event_kind kind = op_kind((event_op)op);
        bool known = kind < EVENT_KINDS && op_order((event_op)op) < ORDERS;
        enum name_class class = known ? kind_argument(kind) : NAME_CLASSES;
        uint64_t names = class < NAME_CLASSES ? trace_names(r->trace, class) : 0;
        bool optional = class >= NAME_CLASSES || class == NAME_BLOCK; /* 0, no argument, is right */

        r->lowest[op] = !known || (names == 0 && !optional) ? NO_ARGUMENT : optional ? 0 : 1;
        r->spread[op] = r->lowest[op] == NO_ARGUMENT ? 0 : names - r->lowest[op];
    }
}

/* Writes a column out as the differences it codes. One loop a width: each is a vector loop. */
static void spread_column(const struct column *c, uint32_t *restrict to)
{
    const unsigned char *p0 = c->planes, *p1 = p0 + c->count, *p2 = p1 + c->count, *p3 = p2 + c->count;
    const size_t count = c->count;

    switch (c->width) {
    case 0:
        memset(to, 0, count * sizeof *to);
        break;
    case 1:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i]);
        break;
    case 2:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8);
        break;
    case 3:
        for (size_t i = 0; i < count; i++)
            to[i] = htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16);
        break;
    case 4:
        for (size_t i = 0; i < count; i++)
            to[i] =
                htr_unzigzag_u32(p0[i] | (uint32_t)p1[i] << 8 | (uint32_t)p2[i] << 16 | (uint32_t)p3[i] << 24);
        break;
    default:
        for (size_t i = 0; i < count; i++)
            to[i] = (uint32_t)htr_unzigzag(column_at(c, i));
    }
}

/* Undoes the prediction of `count` events of one thread, in place: the trace's columns hold what was coded,
 * from event `number` on. */
static void decode_run(struct htr_reader *r, thread_id thread, size_t count, size_t number)
{
    event_op *restrict ops = r->trace->op + number;
    uint32_t *restrict args = r->trace->arg + number;
    location_id *restrict places = r->trace->location + number;
    thread_id *threads = r->trace->thread + number;
    struct prediction *restrict last = r->last;
    uint32_t place = r->last_location[htr_slot(thread)];

    for (size_t i = 0; i < count; i++) {
        place += places[i];
        struct prediction *before = &last[htr_slot(place)];
        ops[i] = before->op ^= ops[i];
        before->arg += args[i];
        args[i] = before->arg - 1;
        places[i] = place - 1;
    }
    for (size_t i = 0; i < count; i++)
        threads[i] = thread;
    r->last_location[htr_slot(thread)] = place;
}

/* Are all numbers in range? */
static bool numbers_fit(const struct htr_reader *r, size_t count)
{
    const event_op *ops = r->trace->op + r->trace->count + 1;
    const uint32_t *args = r->trace->arg + r->trace->count + 1;
    const location_id *places = r->trace->location + r->trace->count + 1;
    uint32_t highest = 0;
    bool fit = true;

    for (size_t i = 0; i < count; i++)
        highest = places[i] + 1 > highest ? places[i] + 1 : highest; /* NAME_NONE wraps to 0 */
    for (size_t i = 0; i < count; i++)
        fit &= (uint64_t)(uint32_t)(args[i] + 1) - r->lowest[ops[i]] <= r->spread[ops[i]];
    return fit && highest <= trace_names(r->trace, NAME_LOCATION);
}

/* Lists the events that the validator must see, without a branch on what they are. */
static void list_checked(struct htr_reader *r, size_t count)
{
    const event_op *ops = r->trace->op + r->trace->count + 1;
    size_t listed = 0;

    for (size_t i = 0; i < count; i++) {
        r->checked[listed] = (uint32_t)i;
        listed += r->leads[i] | (ops[i] > EVENT_RMW);
    }
    r->checked_count = listed;
}

static bool decode_events(struct htr_reader *r, size_t count)
{
    const size_t number = r->trace->count + 1;
    size_t done = 0;
    uint64_t thread, more;

    find_ranges(r);
    memset(r->leads, 0, count);
    memset(r->last_location, 0, sizeof r->last_location);
    memset(r->last, 0, sizeof r->last);
    spread_column(&r->location, r->trace->location + number);
    spread_column(&r->arg, r->trace->arg + number);
    if (r->op.width > 0)
        memcpy(r->trace->op + number, r->op.planes, count);
    else
        memset(r->trace->op + number, 0, count);
    r->at = r->runs;
    r->end = r->runs_end;
    for (; done < count && get_varint(r, &thread) && get_varint(r, &more); done += more + 1) {
        r->leads[done] = 1;
        decode_run(r, (thread_id)thread, more + 1, number + done);
    }
    list_checked(r, count);
    return numbers_fit(r, count);
}

static bool decode_values(struct htr_reader *r, size_t count)
{
    struct trace *trace = r->trace;
    size_t number = trace->count + 1;

    if (!trace->value_tag)
        trace_add_values(trace);
    memset(r->last_value, 0, sizeof r->last_value);
    for (size_t i = 0; i < count; i++, number++) {
        uint64_t tag = column_at(&r->tag, i);
        trace->value_tag[number] = (uint8_t)tag;
        trace->value[number] = 0;
        if (tag == VALUE_NONE)
            continue;
        if (tag > VALUE_NAME || !kind_accesses(trace_kind(trace, number)))
            return false;
        uint64_t *last = &r->last_value[htr_slot(trace->arg[number])];
        trace->value[number] = *last += htr_unzigzag(column_at(&r->value, i));
        if ((tag == VALUE_NAME && *last >= trace_names(trace, NAME_VALUE)) ||
            (tag == VALUE_NEGATIVE && *last >> 63 == 0))
            return false;
    }
    return true;
}

/* Takes the decoded events into the trace if they are possible. Plain accesses always are, once their thread
 * runs: of these only the first of each run of a thread is checked. */
static enum status accept_events(struct htr_reader *r, size_t count, struct error *err)
{
    struct trace *trace = r->trace;

    for (size_t i = 0; i < r->checked_count; i++) {
        size_t number = trace->count + 1 + r->checked[i];
        struct event e = {.op = trace->op[number], .thread = trace->thread[number], .arg = trace->arg[number]};
        if (!validator_quick(&r->validator, &e) && validator_event(&r->validator, &e, err) != HEDDLE_OK)
            return error_prefix(err, "%s: event %zu: ", input_name(r->in), number);
    }
    trace->count += count;
    return HEDDLE_OK;
}

static void make_room(struct trace *trace, size_t count)
{
    size_t number = trace->count + 1;

    trace_reserve(trace, count);
    memory_expect(trace->op + number, count * sizeof *trace->op);
    memory_expect(trace->thread + number, count * sizeof *trace->thread);
    memory_expect(trace->arg + number, count * sizeof *trace->arg);
    memory_expect(trace->location + number, count * sizeof *trace->location);
}

static enum status read_events(struct htr_reader *r, struct error *err)
{
    uint64_t count;

    if (!get_varint(r, &count) || count == 0 || count > HTR_BLOCK_EVENTS)
        return damaged(r, err, "bad count of events");
    if (get_names(r, err) != HEDDLE_OK)
        return err->status;
    if (!get_columns(r, count))
        return damaged(r, err, "bad column");
    make_room(r->trace, count);
    if (!decode_events(r, count) || (r->features & HTR_VALUES && !decode_values(r, count)))
        return damaged(r, err, "a number is out of range");
    return accept_events(r, count, err);
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

    if (!get_varint(r, &events) || r->at != r->end || events != r->trace->count)
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
    if (raw == 0 || raw > HTR_BLOCK_BYTES || stored == 0 || stored > HTR_BLOCK_BYTES ||
        load_u32(header + 12) != 0 || load_u64(header + 16) != r->trace->count)
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
    if (ZSTD_decompressDCtx(r->zstd, r->raw, raw, r->stored, stored) != raw)
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
    if (header[10] || header[11])
        return fail(err, HEDDLE_UNSUPPORTED, "%s: the header's reserved bytes are not zero", input_name(r->in));
    if (r->features & ~(unsigned)HTR_FEATURES)
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
    r->zstd = ZSTD_createDCtx();
    validator_init(&r->validator, trace);
    status = read_header(r, err);
    if (status == HEDDLE_OK)
        status = read_blocks(r, err);
    validator_free(&r->validator);
    ZSTD_freeDCtx(r->zstd);
    free(r->stored);
    free(r->raw);
    free(r);
    return status;
}
