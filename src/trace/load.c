/* Loads a trace in any format, told apart by its first bytes. */
#include "base/invariant.h"
#include "trace/htr.h"
#include "trace/own_places.h"
#include "trace/std.h"
#include "trace/validate.h"

#include <string.h>

static enum status load(struct trace *trace, struct input *in, struct error *err)
{
    const unsigned char *start;
    size_t length;
    enum status status;

    trace_init(trace);
    status = input_peek(in, &start, &length, err);
    if (status == HEDDLE_OK && length == 0)
        status = fail(err, HEDDLE_BAD_TRACE, "%s: the file is empty, not a trace", input_name(in));
    if (status == HEDDLE_OK) {
        size_t shown = length < HTR_MAGIC_SIZE ? length : HTR_MAGIC_SIZE;
        bool native = shown > 0 && memcmp(start, HTR_MAGIC, shown) == 0;
        status = native ? htr_read(trace, in, err) : std_read(trace, in, err);
    }
    input_close(in);
    if (status == HEDDLE_OK) {
        trace_find_own_places(trace);
    } else {
        trace_free(trace);
        trace_init(trace);
    }
    assert_costly(trace_is_sound(trace));
    return status;
}

enum status trace_load(struct trace *trace, const char *path, struct error *err)
{
    return trace_load_limited(trace, path, &trace_limits_usual, err);
}

enum status trace_load_limited(struct trace *trace, const char *path, const struct trace_limits *limits,
                               struct error *err)
{
    struct input *in;

    if (input_open(&in, path, err) != HEDDLE_OK) {
        trace_init(trace);
        return err->status;
    }
    input_set_limits(in, limits);
    return load(trace, in, err);
}

enum status trace_parse(struct trace *trace, const char *name, const char *text, size_t length,
                        struct error *err)
{
    struct input *in;

    input_open_memory(&in, name, text, length);
    return load(trace, in, err);
}
