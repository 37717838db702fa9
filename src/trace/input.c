/* Bytes of a trace, wherever they come from: a raw source, an optional decompressor, a small peek buffer. */
#include "trace/input.h"
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum { CHUNK = 1 << 17, PEEK = 16 };

enum coding { CODING_PLAIN, CODING_GZIP, CODING_ZSTD };

struct input {
    const char *name;
    int fd; /* -1: memory */
    const unsigned char *memory;
    size_t memory_left;

    enum coding coding;
    unsigned char *chunk; /* raw bytes not yet decoded: chunk[at … end) */
    size_t at, end;
    bool raw_ended;
    z_stream gzip;
    ZSTD_DStream *zstd;
    bool frame_open; /* a compressed stream has begun and not ended */

    struct trace_limits limits;
    uint64_t taken; /* bytes handed out, uncompressed */

    unsigned char peek[PEEK]; /* decoded bytes taken back: peek[peek_at … peek_end) */
    size_t peek_at, peek_end;
};

static enum status raw_fill(struct input *in, struct error *err)
{
    if (in->at < in->end || in->raw_ended)
        return HEDDLE_OK;
    in->at = in->end = 0;
    ssize_t got;
    do
        got = read(in->fd, in->chunk, CHUNK);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return fail(err, HEDDLE_IO, "%s: %s", in->name, strerror(errno));
    in->end = (size_t)got;
    in->raw_ended = got == 0;
    return HEDDLE_OK;
}

static enum status start_decoder(struct input *in, struct error *err)
{
    static const unsigned char gzip_magic[] = {0x1f, 0x8b};
    static const unsigned char zstd_magic[] = {0x28, 0xb5, 0x2f, 0xfd};

    /* A pipe may hand out its first bytes one by one. */
    while (in->end < sizeof zstd_magic && !in->raw_ended) {
        ssize_t got = read(in->fd, in->chunk + in->end, CHUNK - in->end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail(err, HEDDLE_IO, "%s: %s", in->name, strerror(errno));
        in->end += (size_t)got;
        in->raw_ended = got == 0;
    }
    if (in->end >= sizeof gzip_magic && memcmp(in->chunk, gzip_magic, sizeof gzip_magic) == 0) {
        in->coding = CODING_GZIP;
        if (inflateInit2(&in->gzip, 15 + 16) != Z_OK)
            return fail(err, HEDDLE_IO, "%s: cannot start the gzip decoder", in->name);
    } else if (in->end >= sizeof zstd_magic && memcmp(in->chunk, zstd_magic, sizeof zstd_magic) == 0) {
        in->coding = CODING_ZSTD;
        in->zstd = ZSTD_createDStream();
        if (!in->zstd)
            return fail(err, HEDDLE_IO, "%s: cannot start the zstd decoder", in->name);
    }
    return HEDDLE_OK;
}

enum status input_open(struct input **out, const char *path, struct error *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;

    *out = NULL;
    if (fd < 0)
        return fail(err, HEDDLE_IO, "%s: %s", path, strerror(errno));
    if (fstat(fd, &about) == 0 && S_ISDIR(about.st_mode)) {
        if (!standard)
            close(fd);
        return fail(err, HEDDLE_IO, "%s: is a directory", path);
    }

    struct input *in = memory_new(1, sizeof *in);
    in->name = standard ? "standard input" : path;
    in->fd = fd;
    in->limits = trace_limits_usual;
    in->chunk = memory_resize(NULL, CHUNK, 1);
    if (start_decoder(in, err) != HEDDLE_OK) {
        input_close(in);
        return err->status;
    }
    *out = in;
    return HEDDLE_OK;
}

void input_open_memory(struct input **out, const char *name, const void *bytes, size_t length)
{
    struct input *in = memory_new(1, sizeof *in);

    in->name = name;
    in->fd = -1;
    in->limits = trace_limits_usual;
    in->memory = bytes;
    in->memory_left = length;
    *out = in;
}

static enum status read_plain(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    if (in->fd < 0) {
        *got = room < in->memory_left ? room : in->memory_left;
        if (*got == 0)
            return HEDDLE_OK; /* the memory may be NULL */
        memcpy(to, in->memory, *got);
        in->memory += *got;
        in->memory_left -= *got;
        return HEDDLE_OK;
    }
    if (raw_fill(in, err) != HEDDLE_OK)
        return err->status;
    assert(in->at <= in->end && in->end <= CHUNK);
    size_t have = in->end - in->at;
    *got = room < have ? room : have;
    memcpy(to, in->chunk + in->at, *got);
    in->at += *got;
    return HEDDLE_OK;
}

static enum status read_gzip(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    in->gzip.next_out = to;
    in->gzip.avail_out = (uInt)room;
    while (in->gzip.avail_out == room) {
        if (raw_fill(in, err) != HEDDLE_OK)
            return err->status;
        if (in->at == in->end) {
            if (in->frame_open)
                return fail(err, HEDDLE_BAD_TRACE, "%s: the gzip data ends early", in->name);
            break;
        }
        in->frame_open = true;
        in->gzip.next_in = in->chunk + in->at;
        in->gzip.avail_in = (uInt)(in->end - in->at);
        int code = inflate(&in->gzip, Z_NO_FLUSH);
        in->at = in->end - in->gzip.avail_in;
        if (code == Z_STREAM_END) { /* another member may follow */
            in->frame_open = false;
            inflateReset(&in->gzip);
        } else if (code != Z_OK && code != Z_BUF_ERROR) {
            return fail(err, HEDDLE_BAD_TRACE, "%s: damaged gzip data", in->name);
        }
    }
    *got = room - in->gzip.avail_out;
    return HEDDLE_OK;
}

static enum status read_zstd(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    ZSTD_outBuffer out = {to, room, 0};

    while (out.pos == 0) {
        if (raw_fill(in, err) != HEDDLE_OK)
            return err->status;
        if (in->at == in->end && !in->frame_open)
            break;
        ZSTD_inBuffer from = {in->chunk, in->end, in->at};
        size_t left = ZSTD_decompressStream(in->zstd, &out, &from);
        if (ZSTD_isError(left))
            return fail(err, HEDDLE_BAD_TRACE, "%s: damaged zstd data (%s)", in->name, ZSTD_getErrorName(left));
        if (in->raw_ended && left != 0 && out.pos == 0)
            return fail(err, HEDDLE_BAD_TRACE, "%s: the zstd data ends early", in->name);
        in->at = from.pos;
        in->frame_open = left != 0;
    }
    *got = out.pos;
    return HEDDLE_OK;
}

static enum status decode(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    switch (in->coding) {
    case CODING_GZIP:
        return read_gzip(in, to, room, got, err);
    case CODING_ZSTD:
        return read_zstd(in, to, room, got, err);
    default:
        return read_plain(in, to, room, got, err);
    }
}

void input_set_limits(struct input *in, const struct trace_limits *limits)
{
    in->limits = *limits;
}

const struct trace_limits *input_limits(const struct input *in)
{
    return &in->limits;
}

enum status input_fill(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    size_t kept = in->peek_end - in->peek_at;

    assert(in->peek_at <= in->peek_end && in->peek_end <= PEEK);
    assert(room > 0 && room <= 1u << 30);
    if (kept) {
        *got = room < kept ? room : kept;
        memcpy(to, in->peek + in->peek_at, *got);
        in->peek_at += *got;
        return HEDDLE_OK;
    }
    if (decode(in, to, room, got, err) != HEDDLE_OK)
        return err->status;
    assert(*got <= room);
    in->taken += *got;
    if (in->taken > in->limits.size)
        return trace_limits_exceeded(in->name, "bytes, decompressed", "size", in->limits.size, err);
    return HEDDLE_OK;
}

enum status input_read_full(struct input *in, void *to, size_t room, size_t *got, struct error *err)
{
    size_t more = 1;

    for (*got = 0; *got < room && more > 0; *got += more)
        if (input_fill(in, (char *)to + *got, room - *got, &more, err) != HEDDLE_OK)
            return err->status;
    return HEDDLE_OK;
}

enum status input_peek(struct input *in, const unsigned char **bytes, size_t *length, struct error *err)
{
    assert(in->peek_end == 0);
    if (input_read_full(in, in->peek, PEEK, length, err) != HEDDLE_OK)
        return err->status;
    in->peek_end = *length;
    *bytes = in->peek;
    return HEDDLE_OK;
}

const char *input_name(const struct input *in)
{
    return in->name;
}

void input_close(struct input *in)
{
    if (!in)
        return;
    if (in->coding == CODING_GZIP)
        inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    if (in->fd > STDIN_FILENO)
        close(in->fd);
    free(in->chunk);
    free(in);
}

enum status input_load(const char *path, char **bytes, size_t *length, struct error *err)
{
    enum { PIECE = 1 << 16 };
    struct input *in;
    size_t got = 1, capacity = 0;
    enum status status;

    *bytes = NULL;
    *length = 0;
    status = input_open(&in, path, err);
    if (status != HEDDLE_OK)
        return status;
    while (status == HEDDLE_OK && got > 0) {
        *bytes = memory_grow(*bytes, &capacity, *length + PIECE, 1);
        status = input_fill(in, *bytes + *length, PIECE, &got, err);
        *length += status == HEDDLE_OK ? got : 0;
    }
    input_close(in);
    if (status != HEDDLE_OK) {
        free(*bytes);
        *bytes = NULL;
        *length = 0;
    }
    return status;
}
