/* Reads the native format: block by block, nothing in a file is trusted. */
#include "base/memory.h"
#include "trace/htr_parts.h"
#include "trace/journal.h"

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
    struct htr_decoder *decoder;
    unsigned features;
    size_t unstacked; /* events of the last block, if that was one of events */
    bool ended;
    bool past; /* the window is full: of what follows only the types of variables are read */
    ZSTD_DCtx *zstd;
    unsigned char *stored;
    size_t stored_capacity;
    unsigned char *raw; /* the block being read */
    size_t raw_capacity;
    struct payload payload; /* what of it is still to come */
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
    htr_damaged(r->trace, err, what);
    return error_prefix(err, "%s: ", input_name(r->in));
}

static enum status read_origin(struct htr_reader *r, struct error *err)
{
    struct trace_origin *origin = &r->trace->origin;
    uint64_t length, recorder = 0;

    if (!get_varint(&r->payload, &origin->dropped_variables) ||
        !get_varint(&r->payload, &origin->dropped_events) || !get_varint(&r->payload, &length) ||
        length > (size_t)(r->payload.end - r->payload.at))
        return damaged(r, err, "bad origin");
    free(origin->program);
    origin->program = length ? memory_text((const char *)r->payload.at, length) : NULL;
    r->payload.at += length;
    if (r->payload.at < r->payload.end && (!get_varint(&r->payload, &recorder) ||
                                           recorder != HTR_ORIGIN_BINARY || r->payload.at != r->payload.end))
        return damaged(r, err, "bad origin");
    origin->binary = recorder == HTR_ORIGIN_BINARY;
    return HEDDLE_OK;
}

static enum status read_functions(struct htr_reader *r, struct error *err)
{
    uint64_t count, length;

    if (!get_varint(&r->payload, &count) || count == 0)
        return damaged(r, err, "bad functions");
    while (count-- > 0) {
        const char *text;
        if (!get_varint(&r->payload, &length) || length == 0 ||
            length > (size_t)(r->payload.end - r->payload.at) || memchr(r->payload.at, '\0', length))
            return damaged(r, err, "bad functions");
        text = (const char *)r->payload.at;
        r->payload.at += length;
        if (names_add(&r->trace->functions, text, length) == NAME_NONE)
            return damaged(r, err, "too many functions");
    }
    return r->payload.at == r->payload.end ? HEDDLE_OK : damaged(r, err, "bad functions");
}

static enum status read_journal(struct htr_reader *r, struct error *err)
{
    struct trace *trace = r->trace;
    size_t length = (size_t)(r->payload.end - r->payload.at);
    struct journal_bytes bytes = {r->payload.at, trace->parts, length, trace->parts_length};
    struct journal journal;

    if (journal_decode(&journal, &bytes, err) != HEDDLE_OK)
        return damaged(r, err, "bad journal");
    journal_free(&journal);
    free(trace->journal);
    trace->journal = memory_new(length, 1);
    trace->journal_length = length;
    memcpy(trace->journal, r->payload.at, length);
    return HEDDLE_OK;
}

/* They are of the events of the block before. */
static enum status read_stacks(struct htr_reader *r, struct error *err)
{
    struct trace *trace = r->trace;

    if (!trace->stacks)
        trace->stacks = stacks_new();
    return htr_stacks_decode(trace->stacks, r->payload, trace->count - r->unstacked + 1, r->unstacked)
               ? HEDDLE_OK
               : damaged(r, err, "bad stacks");
}

/* The journal lists the threads; whether they fit is checked there. */
static enum status read_part(struct htr_reader *r, struct error *err)
{
    struct trace *trace = r->trace;
    size_t length = (size_t)(r->payload.end - r->payload.at);

    if (trace->journal || journal_part_length(r->payload.at, length) != length)
        return damaged(r, err, "bad part of a journal");
    if (trace->parts_length + length > trace->parts_capacity)
        trace->parts = memory_grow(trace->parts, &trace->parts_capacity, trace->parts_length + length, 1);
    memcpy(trace->parts + trace->parts_length, r->payload.at, length);
    trace->parts_length += length;
    return HEDDLE_OK;
}

static enum status read_end(struct htr_reader *r, struct error *err)
{
    uint64_t events;
    unsigned char byte;
    size_t got;

    if (!get_varint(&r->payload, &events) || r->payload.at != r->payload.end ||
        (r->past ? events < r->trace->count : events != r->trace->count))
        return damaged(r, err, "the end counts other events");
    r->ended = true;
    if (input_fill(r->in, &byte, 1, &got, err) != HEDDLE_OK)
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

static void note_window(struct htr_reader *r)
{
    char text[128];
    int length = snprintf(text, sizeof text, "only the first %zu events were read (--window)", r->trace->count);

    if (!r->trace->note)
        r->trace->note = memory_text(text, (size_t)length);
}

/* Whether the block is left out because it lies past the window. */
static bool is_past(const struct htr_reader *r, uint32_t type)
{
    return r->past && type != HTR_TYPES && type != HTR_TYPE_RUNS && type != HTR_END;
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
    uint64_t before = load_u64(header + 16), window = input_limits(r->in)->window;
    *type = load_u32(header);
    r->past |= *type == HTR_EVENTS && window > 0 && r->trace->count >= window;
    if (raw == 0 || raw > HTR_BLOCK_BYTES || stored == 0 || stored > HTR_BLOCK_BYTES ||
        load_u32(header + 12) != 0 || (r->past ? before < r->trace->count : before != r->trace->count))
        return damaged(r, err, "bad block header");

    if (raw > input_limits(r->in)->block || stored > input_limits(r->in)->block)
        return trace_limits_exceeded(input_name(r->in), "bytes of a block", "block", input_limits(r->in)->block,
                                     err);

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
    if (is_past(r, *type))
        return HEDDLE_OK;
    if (load_u64(header + 24) != XXH3_64bits_withSeed(r->stored, stored, XXH3_64bits(header, 24)))
        return damaged(r, err, "the checksum differs");
    if (raw > r->raw_capacity)
        r->raw = memory_grow(r->raw, &r->raw_capacity, raw, 1);
    if (ZSTD_decompressDCtx(r->zstd, r->raw, raw, r->stored, stored) != raw)
        return damaged(r, err, "it does not decompress");
    r->payload = (struct payload){r->raw, r->raw + raw};
    return HEDDLE_OK;
}

static enum status read_block(struct htr_reader *r, uint32_t type, struct error *err)
{
    switch (type) {
    case HTR_EVENTS:
        if (htr_decode(r->decoder, r->payload, err) != HEDDLE_OK)
            return error_prefix(err, "%s: ", input_name(r->in));
        return HEDDLE_OK;
    case HTR_ORIGIN:
        return read_origin(r, err);
    case HTR_FUNCTIONS:
        return read_functions(r, err);
    case HTR_JOURNAL:
        return read_journal(r, err);
    case HTR_STACKS:
        return read_stacks(r, err);
    case HTR_PART:
        return read_part(r, err);
    case HTR_TYPES:
        return htr_types_decode(r->trace, r->payload, r->past) ? HEDDLE_OK : damaged(r, err, "bad types");
    case HTR_TYPE_RUNS:
        return htr_type_runs_decode(r->trace, r->payload, r->past) ? HEDDLE_OK : damaged(r, err, "bad types");
    case HTR_ENDING:
        return htr_ending_decode(&r->trace->end, r->payload) ? HEDDLE_OK
                                                             : damaged(r, err, "bad end of the run");
    case HTR_PRINTED:
        return htr_printed_decode(r->trace, r->payload) ? HEDDLE_OK
                                                        : damaged(r, err, "bad list of printed reads");
    case HTR_FREEING:
        return htr_freeing_decode(r->trace, r->payload) ? HEDDLE_OK
                                                        : damaged(r, err, "bad list of freeing writes");
    case HTR_END:
        return read_end(r, err);
    default:
        return fail(err, HEDDLE_UNSUPPORTED, "%s: a block of unknown type %" PRIu32 " after event %zu",
                    input_name(r->in), type, r->trace->count);
    }
}

static enum status read_blocks(struct htr_reader *r, struct error *err)
{
    uint32_t type = 0;
    enum status status = HEDDLE_OK;

    while (status == HEDDLE_OK && !r->ended) {
        size_t before = r->trace->count;
        status = fetch_block(r, &type, err);
        if (status != HEDDLE_OK || r->ended)
            break;
        if (is_past(r, type))
            continue;
        status = read_block(r, type, err);
        if (status == HEDDLE_OK && r->trace->count > input_limits(r->in)->events)
            return trace_limits_exceeded(input_name(r->in), "events", "events", input_limits(r->in)->events,
                                         err);
        if (type != HTR_PART)
            r->unstacked = type == HTR_EVENTS ? r->trace->count - before : 0;
    }
    if (status == HEDDLE_OK && r->past)
        note_window(r);
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
    if (header[10] || header[11])
        return fail(err, HEDDLE_UNSUPPORTED, "%s: the header's reserved bytes are not zero", input_name(r->in));
    unsigned unknown = htr_features_told(load_u32(header + 12), &r->features);
    if (unknown)
        return fail(err, HEDDLE_UNSUPPORTED,
                    "%s: the trace uses features this heddle does not know (mask 0x%x)", input_name(r->in),
                    unknown);
    return HEDDLE_OK;
}

enum status htr_read(struct trace *trace, struct input *in, struct error *err)
{
    struct htr_reader reader = {.trace = trace, .in = in, .zstd = ZSTD_createDCtx()}, *r = &reader;
    enum status status;
    uint32_t event;

    assert(trace->count == 0);
    status = read_header(r, err);
    if (status == HEDDLE_OK) {
        r->decoder = htr_decoder_new(trace, r->features, input_limits(in)->name);
        status = read_blocks(r, err);
        htr_decoder_free(r->decoder);
    }
    if (status == HEDDLE_OK && grounds_check_values(trace, &event, err) != HEDDLE_OK)
        status = error_prefix(err, "%s: event %" PRIu32 ": ", input_name(in), event);
    ZSTD_freeDCtx(r->zstd);
    free(r->stored);
    free(r->raw);
    return status;
}
