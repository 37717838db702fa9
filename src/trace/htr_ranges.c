/* A native trace file read by ranges. */
#include "trace/htr_ranges.h"
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>
#include <zstd.h>

/* A block of events. */
struct ranged_block {
    off_t at;         /* of its header in the file */
    uint64_t before;  /* events in the blocks before it */
    uint32_t columns; /* where they begin in its payload, after names and shapes */
    uint32_t count;   /* of events, once it was read */
};

struct htr_ranges {
    const char *path;
    int fd;
    bool cut;
    unsigned features;
    struct trace window;
    struct htr_decoder *decoder;
    struct ranged_block *blocks;
    size_t blocks_count, blocks_capacity;
    uint64_t events;
    size_t read; /* the block in the window; SIZE_MAX: none */
    const struct trace_limits *limits;
    ZSTD_DCtx *zstd;
    unsigned char *stored, *raw;
    size_t stored_capacity, raw_capacity;
};

struct block_header {
    uint32_t type, raw, stored;
    uint64_t before, sum;
};

static uint64_t little_endian(const unsigned char *from, unsigned bytes)
{
    uint64_t value = 0;

    for (unsigned i = bytes; i-- > 0;)
        value = value << 8 | from[i];
    return value;
}

static enum status changed(const struct htr_ranges *r, struct error *err)
{
    return fail(err, HEDDLE_IO, "%s: the file is damaged or has changed", r->path);
}

/* Whether so many bytes are there. */
static bool read_at(const struct htr_ranges *r, void *to, size_t length, off_t at)
{
    for (size_t done = 0; done < length;) {
        ssize_t got = pread(r->fd, (char *)to + done, length - done, at + (off_t)done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool read_header_at(const struct htr_ranges *r, off_t at, unsigned char bytes[HTR_BLOCK_HEADER_SIZE],
                           struct block_header *header)
{
    if (!read_at(r, bytes, HTR_BLOCK_HEADER_SIZE, at))
        return false;
    *header = (struct block_header){.type = (uint32_t)little_endian(bytes, 4),
                                    .raw = (uint32_t)little_endian(bytes + 4, 4),
                                    .stored = (uint32_t)little_endian(bytes + 8, 4),
                                    .before = little_endian(bytes + 16, 8),
                                    .sum = little_endian(bytes + 24, 8)};
    return true;
}

/* Lists the blocks of events by their headers alone. */
static enum status list_blocks(struct htr_ranges *r, struct error *err)
{
    unsigned char bytes[HTR_BLOCK_HEADER_SIZE], last;
    struct block_header header;
    off_t at = HTR_HEADER_SIZE;

    r->cut = true;
    while (read_header_at(r, at, bytes, &header)) {
        off_t next = at + HTR_BLOCK_HEADER_SIZE + (off_t)header.stored;
        if (header.raw == 0 || header.raw > r->limits->block || header.stored == 0 ||
            header.stored > r->limits->block || header.before > r->limits->events || header.before < r->events)
            return changed(r, err);
        if (!read_at(r, &last, 1, next - 1))
            return HEDDLE_OK; /* the file stops inside this block */
        r->events = header.before;
        if (header.type == HTR_EVENTS)
            ARRAY_PUSH(r, blocks, (struct ranged_block){.at = at, .before = header.before});
        r->cut = r->cut && header.type != HTR_END;
        at = next;
    }
    return HEDDLE_OK;
}

/* The payload of a block, decompressed. */
static enum status fetch_payload(struct htr_ranges *r, const struct ranged_block *block,
                                 struct payload *payload, struct error *err)
{
    unsigned char bytes[HTR_BLOCK_HEADER_SIZE];
    struct block_header header;

    if (!read_header_at(r, block->at, bytes, &header) || header.type != HTR_EVENTS ||
        header.before != block->before || header.raw > r->limits->block || header.stored > r->limits->block)
        return changed(r, err);
    if (header.stored > r->stored_capacity)
        r->stored = memory_grow(r->stored, &r->stored_capacity, header.stored, 1);
    if (header.raw > r->raw_capacity)
        r->raw = memory_grow(r->raw, &r->raw_capacity, header.raw, 1);
    if (!read_at(r, r->stored, header.stored, block->at + HTR_BLOCK_HEADER_SIZE) ||
        header.sum != XXH3_64bits_withSeed(r->stored, header.stored, XXH3_64bits(bytes, 24)) ||
        ZSTD_decompressDCtx(r->zstd, r->raw, header.raw, r->stored, header.stored) != header.raw)
        return changed(r, err);
    *payload = (struct payload){r->raw, r->raw + header.raw};
    return HEDDLE_OK;
}

static enum status visit_blocks(struct htr_ranges *r, htr_visit *visit, void *context, struct error *err)
{
    uint64_t before = 0;

    for (size_t i = 0; i < r->blocks_count; i++) {
        struct ranged_block *block = &r->blocks[i];
        struct payload payload;
        size_t columns;

        if (block->before != before)
            return changed(r, err);
        if (fetch_payload(r, block, &payload, err) != HEDDLE_OK)
            return err->status;
        r->window.count = 0;
        if (htr_decode_alone(r->decoder, payload, &columns, err) != HEDDLE_OK)
            return error_prefix(err, "%s: in the block after event %llu: ", r->path,
                                (unsigned long long)before);
        block->columns = (uint32_t)columns;
        block->count = (uint32_t)r->window.count;
        before += block->count;
        if (r->cut && i + 1 == r->blocks_count)
            r->events = before;
        visit(context, r, &(struct htr_window){&r->window, block->before});
    }
    r->read = r->blocks_count > 0 ? r->blocks_count - 1 : SIZE_MAX;
    return before == r->events ? HEDDLE_OK : changed(r, err);
}

/* Of a file that was cut, the last header does not say how many events its block has: at most one block's. */
static void expect_events(struct htr_ranges *r)
{
    if (r->cut && r->blocks_count > 0 && r->blocks[r->blocks_count - 1].before == r->events)
        r->events += HTR_BLOCK_EVENTS;
}

static enum status open_file(struct htr_ranges *r, struct error *err)
{
    unsigned char header[HTR_HEADER_SIZE];

    r->fd = open(r->path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0)
        return fail(err, HEDDLE_IO, "%s: %s", r->path, strerror(errno));
    if (lseek(r->fd, 0, SEEK_CUR) < 0 || !read_at(r, header, sizeof header, 0) ||
        memcmp(header, HTR_MAGIC, HTR_MAGIC_SIZE) != 0)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: not a native trace in a file", r->path);
    if (little_endian(header + 8, 2) != HTR_VERSION || little_endian(header + 10, 2) != 0 ||
        htr_features_told((unsigned)little_endian(header + 12, 4), &r->features) != 0)
        return fail(err, HEDDLE_UNSUPPORTED, "%s: a native trace of another version", r->path);
    return HEDDLE_OK;
}

enum status htr_ranges_open(struct htr_ranges **ranges, const char *path, const struct trace_limits *limits,
                            htr_visit *visit, void *context, struct error *err)
{
    struct htr_ranges *r = *ranges = memory_new(1, sizeof *r);

    *r = (struct htr_ranges){
        .path = path, .fd = -1, .limits = limits, .zstd = ZSTD_createDCtx(), .read = SIZE_MAX};
    trace_init(&r->window);
    if (open_file(r, err) == HEDDLE_OK && list_blocks(r, err) == HEDDLE_OK) {
        r->decoder = htr_decoder_new(&r->window, r->features, limits->name);
        expect_events(r);
        if (visit_blocks(r, visit, context, err) == HEDDLE_OK)
            return HEDDLE_OK;
    }
    htr_ranges_close(r);
    *ranges = NULL;
    return err->status;
}

void htr_ranges_close(struct htr_ranges *r)
{
    if (!r)
        return;
    if (r->decoder)
        htr_decoder_free(r->decoder);
    trace_free(&r->window);
    ZSTD_freeDCtx(r->zstd);
    free(r->stored);
    free(r->raw);
    free(r->blocks);
    if (r->fd >= 0)
        close(r->fd);
    free(r);
}

uint64_t htr_ranges_events(const struct htr_ranges *r)
{
    return r->events;
}

size_t htr_ranges_blocks(const struct htr_ranges *r)
{
    return r->blocks_count;
}

size_t htr_ranges_block_of(const struct htr_ranges *r, uint64_t event)
{
    size_t low = 0, high = r->blocks_count;

    assert(event >= 1 && event <= r->events);
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (r->blocks[middle].before < event)
            low = middle;
        else
            high = middle;
    }
    return low;
}

const struct trace *htr_ranges_names(const struct htr_ranges *r)
{
    return &r->window;
}

bool htr_ranges_cut(const struct htr_ranges *r)
{
    return r->cut;
}

enum status htr_ranges_read(struct htr_ranges *r, size_t block, struct htr_window *window, struct error *err)
{
    const struct ranged_block *b = &r->blocks[block];
    struct payload payload;

    assert(block < r->blocks_count);
    *window = (struct htr_window){&r->window, b->before};
    if (r->read == block)
        return HEDDLE_OK;
    r->read = SIZE_MAX;
    r->window.count = 0;
    if (fetch_payload(r, b, &payload, err) != HEDDLE_OK)
        return err->status;
    if ((size_t)(payload.end - payload.at) < b->columns)
        return changed(r, err);
    payload.at += b->columns;
    if (!htr_decode_again(r->decoder, payload, b->count))
        return changed(r, err);
    r->read = block;
    return HEDDLE_OK;
}
