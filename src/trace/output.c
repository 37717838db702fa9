/* Output of a trace's bytes. */
#include "trace/output.h"
#include "base/create.h"
#include "base/memory.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    ROOM = 1 << 17,
    KEEP_MOST =
        64, /* bytes of a file that stay until others are written: a trace that is announced loads all the time */
};

struct output {
    const char *name;
    int fd;
    uint64_t kept;    /* bytes of the file from before, as long as nothing was written */
    int system_error; /* the first errno of a failed write, 0 while all is well */
    bool coder_failed;
    unsigned char *buffer;
    size_t used;
    unsigned char *coded; /* NULL: not compressed */
    bool gzip_open;
    z_stream gzip;
    ZSTD_CStream *zstd;
};

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);

    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

/* Removes what is left of the bytes from before behind the first ones that were written. */
static void drop_kept(struct output *out, uint64_t written)
{
    if (out->kept > written && ftruncate(out->fd, (off_t)written) != 0 && out->system_error == 0)
        out->system_error = errno;
    out->kept = 0;
}

static void system_write(struct output *out, const unsigned char *bytes, size_t length)
{
    size_t whole = length;

    while (length > 0 && out->system_error == 0) {
        ssize_t done = write(out->fd, bytes, length);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            out->system_error = errno;
            return;
        }
        bytes += done;
        length -= (size_t)done;
    }
    if (whole > 0)
        drop_kept(out, whole);
}

static void gzip_write(struct output *out, const unsigned char *bytes, size_t length, int mode)
{
    out->gzip.next_in = (unsigned char *)(size_t)bytes;
    out->gzip.avail_in = (uInt)length;
    do {
        out->gzip.next_out = out->coded;
        out->gzip.avail_out = ROOM;
        if (deflate(&out->gzip, mode) == Z_STREAM_ERROR)
            out->coder_failed = true;
        system_write(out, out->coded, ROOM - out->gzip.avail_out);
    } while (out->gzip.avail_out == 0 && !out->coder_failed);
}

static void zstd_write(struct output *out, const unsigned char *bytes, size_t length, ZSTD_EndDirective mode)
{
    ZSTD_inBuffer from = {bytes, length, 0};
    size_t left;

    do {
        ZSTD_outBuffer to = {out->coded, ROOM, 0};
        left = ZSTD_compressStream2(out->zstd, &to, &from, mode);
        if (ZSTD_isError(left))
            out->coder_failed = true;
        system_write(out, out->coded, to.pos);
    } while (!out->coder_failed && (mode == ZSTD_e_continue ? from.pos < from.size : left != 0));
}

static void pass_on(struct output *out, bool last)
{
    assert(out->used <= ROOM && !(out->gzip_open && out->zstd));
    if (out->gzip_open)
        gzip_write(out, out->buffer, out->used, last ? Z_FINISH : Z_NO_FLUSH);
    else if (out->zstd)
        zstd_write(out, out->buffer, out->used, last ? ZSTD_e_end : ZSTD_e_continue);
    else
        system_write(out, out->buffer, out->used);
    out->used = 0;
}

enum status output_open(struct output **result, const char *path, struct error *err)
{
    bool standard = strcmp(path, "-") == 0;
    uint64_t kept = 0;
    int fd = standard ? STDOUT_FILENO : create_over(path, KEEP_MOST, &kept, err);

    *result = NULL;
    if (fd < 0)
        return err->status;

    struct output *out = memory_new(1, sizeof *out);
    out->name = standard ? "standard output" : path;
    out->fd = fd;
    out->kept = kept;
    out->buffer = memory_resize(NULL, ROOM, 1);
    if (ends_with(path, ".gz")) {
        out->gzip_open = deflateInit2(&out->gzip, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK;
        out->coder_failed = !out->gzip_open;
    } else if (ends_with(path, ".zst")) {
        out->zstd = ZSTD_createCStream();
        out->coder_failed = !out->zstd;
    }
    if (out->gzip_open || out->zstd)
        out->coded = memory_resize(NULL, ROOM, 1);
    *result = out;
    return HEDDLE_OK;
}

void output_write(struct output *out, const void *bytes, size_t length)
{
    while (length > 0) {
        assert(out->used < ROOM);
        size_t part = ROOM - out->used < length ? ROOM - out->used : length;
        memcpy(out->buffer + out->used, bytes, part);
        out->used += part;
        bytes = (const char *)bytes + part;
        length -= part;
        if (out->used == ROOM)
            pass_on(out, false);
    }
}

void output_text(struct output *out, const char *text)
{
    output_write(out, text, strlen(text));
}

void output_flush(struct output *out)
{
    pass_on(out, false);
}

enum status output_close(struct output *out, struct error *err)
{
    enum status status = HEDDLE_OK;

    pass_on(out, true);
    drop_kept(out, 0);
    if (out->fd != STDOUT_FILENO && close(out->fd) != 0 && out->system_error == 0)
        out->system_error = errno;
    if (out->system_error)
        status = fail(err, HEDDLE_IO, "%s: %s", out->name, strerror(out->system_error));
    else if (out->coder_failed)
        status = fail(err, HEDDLE_IO, "%s: the compressor failed", out->name);
    if (out->gzip_open)
        deflateEnd(&out->gzip);
    ZSTD_freeCStream(out->zstd);
    free(out->buffer);
    free(out->coded);
    free(out);
    return status;
}
