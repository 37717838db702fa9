/* Bytes in and out: plain, gzip and zstd files, members and frames, early ends, a full disk. */
#include "support/traces.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <cmocka.h>

/* Enough text to fill every buffer on the way, hard to compress. */
static struct bytes some_text(void)
{
    enum { LINES = 20000 };
    struct bytes text = {malloc(LINES * 40), 0};
    uint32_t seed = 1;

    for (int i = 0; i < LINES; i++) {
        seed = seed * 1664525 + 1013904223;
        text.count +=
            (size_t)sprintf((char *)text.at + text.count, "T%u|w(x%08x)|f%x\n", seed >> 30, seed, seed >> 20);
    }
    return text;
}

static struct bytes gzipped(const unsigned char *bytes, size_t count)
{
    z_stream z = {0};
    struct bytes out = {malloc(count + 1000), 0};

    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (unsigned char *)(size_t)bytes;
    z.avail_in = (uInt)count;
    z.next_out = out.at;
    z.avail_out = (uInt)count + 1000;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    out.count = z.total_out;
    deflateEnd(&z);
    return out;
}

static struct bytes zstandard(const unsigned char *bytes, size_t count)
{
    size_t bound = ZSTD_compressBound(count);
    struct bytes out = {malloc(bound), 0};

    out.count = ZSTD_compress(out.at, bound, bytes, count, 3);
    assert_false(ZSTD_isError(out.count));
    return out;
}

typedef struct bytes (*coder)(const unsigned char *, size_t);

/* All bytes of the file through struct input, or the error's text. */
static struct bytes read_all(const char *path, struct error *err)
{
    struct input *in;
    struct bytes all = {malloc(4000000), 0};
    size_t got = 1;

    err->status = HEDDLE_OK;
    if (input_open(&in, path, err) != HEDDLE_OK)
        return all;
    while (err->status == HEDDLE_OK && got > 0) {
        if (input_fill(in, all.at + all.count, 1 + all.count % 5000, &got, err) == HEDDLE_OK)
            all.count += got;
    }
    input_close(in);
    return all;
}

static void check_reads(const char *path, const struct bytes *expected)
{
    struct error err;
    struct bytes got = read_all(path, &err);

    assert_int_equal(err.status, HEDDLE_OK);
    assert_int_equal(got.count, expected->count);
    assert_memory_equal(got.at, expected->at, got.count);
    free(got.at);
}

/* One stream, several after one another, an empty one in between. */
static void check_coder(coder code, const char *name)
{
    struct bytes text = some_text();
    struct bytes parts[] = {code(text.at, text.count / 3), code(text.at, 0),
                            code(text.at + text.count / 3, text.count - text.count / 3)};
    struct bytes whole = code(text.at, text.count);
    const char *path = scratch(name);
    FILE *file;

    file_write(path, whole.at, whole.count);
    check_reads(path, &text);
    file = fopen(path, "wb");
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fwrite(parts[i].at, 1, parts[i].count, file), parts[i].count);
        free(parts[i].at);
    }
    fclose(file);
    check_reads(path, &text);
    free(whole.at);
    free(text.at);
}

static void compressed_files_are_read(void **state)
{
    (void)state;
    check_coder(gzipped, "a.gz");
    check_coder(zstandard, "a.zst");
}

/* The name does not matter, the content does. */
static void compression_is_told_by_content(void **state)
{
    struct bytes text = some_text(), coded = zstandard(text.at, text.count);
    const char *path = scratch("plain.std");
    struct trace trace;
    struct error err;

    (void)state;
    file_write(path, coded.at, coded.count);
    assert_int_equal(trace_load(&trace, path, &err), HEDDLE_OK);
    assert_int_equal(trace.count, 20000);
    trace_free(&trace);
    free(text.at);
    free(coded.at);
}

/* Every shorter file is an error, never a silent end; damage too. */
static void check_cuts(coder code, const char *name, const char *early, const char *damaged)
{
    const char *text = "T|w(x)|a\nT|r(x)|b\n";
    struct bytes whole = code((const unsigned char *)text, strlen(text));
    const char *path = scratch(name);
    struct error err;
    char expected[256];

    snprintf(expected, sizeof expected, "%s: %s", path, early);
    for (size_t length = 4; length < whole.count; length++) {
        file_write(path, whole.at, length);
        free(read_all(path, &err).at);
        assert_int_equal(err.status, HEDDLE_BAD_TRACE);
        assert_string_equal(err.text, expected);
    }
    snprintf(expected, sizeof expected, "%s: %s", path, damaged);
    whole.at[4] ^= 0xff; /* zstd: the frame's header; gzip: its time, so the header's flags too */
    whole.at[3] ^= name[2] == 'g' ? 0xe0 : 0;
    file_write(path, whole.at, whole.count);
    free(read_all(path, &err).at);
    assert_int_equal(err.status, HEDDLE_BAD_TRACE);
    assert_memory_equal(err.text, expected, strlen(expected));
    free(whole.at);
}

static void cut_and_damaged_streams_are_errors(void **state)
{
    (void)state;
    check_cuts(gzipped, "c.gz", "the gzip data ends early", "damaged gzip data");
    check_cuts(zstandard, "c.zst", "the zstd data ends early", "damaged zstd data");
}

static void files_that_cannot_be_read_are_errors(void **state)
{
    struct error err;

    (void)state;
    free(read_all("/nonexistent/file", &err).at);
    assert_int_equal(err.status, HEDDLE_IO);
    assert_string_equal(err.text, "/nonexistent/file: No such file or directory");
    free(read_all("/", &err).at);
    assert_string_equal(err.text, "/: is a directory");
    const char *path = scratch("empty");
    file_write(path, "", 0);
    struct bytes nothing = read_all(path, &err);
    assert_int_equal(err.status, HEDDLE_OK);
    assert_int_equal(nothing.count, 0);
    free(nothing.at);
}

static void peeked_bytes_are_read_again(void **state)
{
    struct input *in;
    struct error err;
    const unsigned char *start;
    size_t length, got;
    char all[32];

    (void)state;
    input_open_memory(&in, "m", "0123456789abcdefghij", 20);
    assert_int_equal(input_peek(in, &start, &length, &err), HEDDLE_OK);
    assert_int_equal(length, 16);
    assert_memory_equal(start, "0123456789abcdef", 16);
    assert_int_equal(input_read_full(in, all, sizeof all, &got, &err), HEDDLE_OK);
    assert_int_equal(got, 20);
    assert_memory_equal(all, "0123456789abcdefghij", 20);
    input_close(in);
    input_open_memory(&in, "m", NULL, 0);
    assert_int_equal(input_peek(in, &start, &length, &err), HEDDLE_OK);
    assert_int_equal(length, 0);
    input_close(in);
}

static void written_files_are_read_back(void **state)
{
    static const char *const names[] = {"out.std", "out.std.gz", "out.std.zst"};
    struct bytes text = some_text();
    struct error err;

    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *path = scratch(names[i]);
        struct output *out;
        assert_int_equal(output_open(&out, path, &err), HEDDLE_OK);
        for (size_t at = 0; at < text.count; at += 1000)
            output_write(out, text.at + at, text.count - at < 1000 ? text.count - at : 1000);
        output_flush(out);
        output_text(out, "");
        assert_int_equal(output_close(out, &err), HEDDLE_OK);
        check_reads(path, &text);
        struct bytes raw = file_read(path);
        assert_int_equal(raw.count<text.count, i> 0);
        free(raw.at);
    }
    free(text.at);
}

static void a_full_disk_is_told(void **state)
{
    static const char *const names[] = {"full", "full.gz", "full.zst"};
    struct bytes text = some_text();
    struct error err;
    char expected[256];

    (void)state;
    for (int i = 0; i < 3; i++) {
        const char *path = scratch(names[i]);
        struct output *out;
        assert_int_equal(symlink("/dev/full", path), 0);
        assert_int_equal(output_open(&out, path, &err), HEDDLE_OK);
        output_write(out, text.at, i ? 10 : text.count); /* the coder's last bytes, or many */
        assert_int_equal(output_close(out, &err), HEDDLE_IO);
        snprintf(expected, sizeof expected, "%s: No space left on device", path);
        assert_string_equal(err.text, expected);
    }
    const char *native = scratch("full.htr");
    struct trace trace = trace_of("T|w(x)|\n");
    struct htr_writer *writer;
    assert_int_equal(symlink("/dev/full", native), 0);
    assert_int_equal(htr_create(&writer, native, HTR_FEATURES, trace.names, &err), HEDDLE_OK);
    struct event e = trace_event(&trace, 1);
    htr_append(writer, &e);
    assert_int_equal(htr_close(writer, &err), HEDDLE_IO);
    trace_free(&trace);
    free(text.at);
}

static void a_folder_that_is_not_there_is_told(void **state)
{
    struct output *out;
    struct error err;

    (void)state;
    assert_int_equal(output_open(&out, "/nonexistent/x.std", &err), HEDDLE_IO);
    assert_string_equal(err.text, "/nonexistent/x.std: No such file or directory");
    assert_null(out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compressed_files_are_read),
        cmocka_unit_test(compression_is_told_by_content),
        cmocka_unit_test(cut_and_damaged_streams_are_errors),
        cmocka_unit_test(files_that_cannot_be_read_are_errors),
        cmocka_unit_test(peeked_bytes_are_read_again),
        cmocka_unit_test(written_files_are_read_back),
        cmocka_unit_test(a_full_disk_is_told),
        cmocka_unit_test(a_folder_that_is_not_there_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
