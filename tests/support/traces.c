/* Traces from text and files, for the tests. */
#include "support/traces.h"
#include "base/memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

struct trace trace_of(const char *text)
{
    struct trace trace;
    struct error err;

    if (trace_parse(&trace, "t.std", text, strlen(text), &err) != HEDDLE_OK)
        fail_msg("%s", err.text);
    return trace;
}

struct trace trace_from_words(const char *text)
{
    char *lines = memory_text(text, strlen(text));
    struct trace trace;

    for (char *p = lines; (p = strchr(p, ' '));)
        *p = '\n';
    trace = trace_of(lines);
    free(lines);
    return trace;
}

const char *refusal_of(const void *bytes, size_t length)
{
    static struct error err;
    struct trace trace;

    err.text[0] = '\0';
    if (trace_parse(&trace, "t.std", bytes, length, &err) != HEDDLE_OK)
        assert_int_equal(trace.count, 0);
    trace_free(&trace);
    return err.text;
}

void assert_refused(const char *text, const char *message)
{
    assert_string_equal(refusal_of(text, strlen(text)), message);
}

static char folder[] = "/tmp/heddle-test-XXXXXX";

static void remove_folder(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s could not be removed\n", folder);
}

const char *scratch(const char *name)
{
    static char paths[16][128];
    static unsigned next;

    if (next == 0) {
        assert_non_null(mkdtemp(folder));
        atexit(remove_folder);
    }
    char *path = paths[next++ % 16];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

struct bytes file_read(const char *path)
{
    struct bytes bytes = {0};
    FILE *file = fopen(path, "rb");

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.count = (size_t)ftell(file);
    rewind(file);
    bytes.at = memory_new(bytes.count + 1, 1);
    assert_int_equal(fread(bytes.at, 1, bytes.count, file), bytes.count);
    fclose(file);
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

void write_native(const struct trace *trace, const char *path, unsigned features, size_t block)
{
    struct htr_writer *writer;
    struct error err;

    assert_int_equal(htr_create(&writer, path, features, trace->names, &err), HEDDLE_OK);
    if (features & HTR_GROUNDS && trace->ground_pool)
        htr_grounds(writer, trace->ground_pool);
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        htr_append(writer, &e);
        if (number % block == 0)
            htr_flush(writer);
    }
    htr_types(writer, trace->variable_type, trace->variable_types);
    htr_printed(writer, &trace->printed);
    htr_ending(writer, &trace->end);
    htr_functions(writer, &trace->functions);
    htr_origin(writer, &trace->origin);
    assert_int_equal(htr_close(writer, &err), HEDDLE_OK);
}

char *text_of(const struct trace *trace)
{
    const char *path = scratch("text_of.std");
    struct output *out;
    struct error err;

    assert_int_equal(output_open(&out, path, &err), HEDDLE_OK);
    std_write(trace, out);
    assert_int_equal(output_close(out, &err), HEDDLE_OK);
    return (char *)file_read(path).at;
}

static const char *value_text(const struct trace *t, const struct event *e)
{
    return e->value_tag == VALUE_NAME ? trace_name(t, NAME_VALUE, (uint32_t)e->value) : "";
}

void assert_same_events(const struct trace *a, const struct trace *b, size_t count)
{
    assert_true(a->count >= count && b->count >= count);
    for (size_t number = 1; number <= count; number++) {
        struct event x = trace_event(a, number), y = trace_event(b, number);
        assert_int_equal(x.op, y.op);
        assert_int_equal(x.thread, y.thread);
        assert_int_equal(x.arg, y.arg);
        assert_int_equal(x.location, y.location);
        assert_int_equal(x.value_tag, y.value_tag);
        assert_int_equal(x.value, y.value);
        assert_string_equal(value_text(a, &x), value_text(b, &y));
        assert_int_equal(x.grounds == GROUNDS_NONE, y.grounds == GROUNDS_NONE);
    }
    for (int class = 0; class < NAME_VALUE; class ++) {
        size_t both =
            trace_names(a, class) < trace_names(b, class) ? trace_names(a, class) : trace_names(b, class);
        for (size_t id = 0; id < both; id++)
            assert_string_equal(trace_name(a, class, (uint32_t)id), trace_name(b, class, (uint32_t)id));
    }
}
