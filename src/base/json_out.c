/* JSON written as a stream. */
#include "base/json_out.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { DRAIN_AT = 1 << 16 };

static void drain(struct json_out *out)
{
    if (out->drain)
        out->drain(out);
    else
        buffer_flush(&out->text, out->to);
}

static void put(struct json_out *out, const char *text)
{
    buffer_text(&out->text, text);
}

/* What comes before an item: a comma, a blank or a new line, and its name. */
static void begin(struct json_out *out, const char *name)
{
    if (out->text.text_count >= DRAIN_AT)
        drain(out);
    if (out->depth > 0) {
        bool *filled = &out->filled[out->depth - 1];
        put(out, *filled ? "," : "");
        put(out, out->lead ? out->lead : *filled && out->spaced ? " " : "");
        *filled = true;
    }
    out->lead = NULL;
    if (!name)
        return;
    assert(out->depth > 0 && out->closing[out->depth - 1] == '}');
    buffer_json(&out->text, name);
    put(out, out->spaced ? ": " : ":");
}

static void open_bracket(struct json_out *out, const char *name, const char *opening, char closing)
{
    begin(out, name);
    assert(out->depth < JSON_DEPTH_MOST);
    put(out, opening);
    out->closing[out->depth] = closing;
    out->filled[out->depth] = false;
    out->depth++;
}

void json_object_open(struct json_out *out, const char *name)
{
    open_bracket(out, name, "{", '}');
}

void json_array_open(struct json_out *out, const char *name)
{
    open_bracket(out, name, "[", ']');
}

void json_close(struct json_out *out)
{
    assert(out->depth > 0);
    out->depth--;
    if (out->lead && out->filled[out->depth])
        put(out, out->lead);
    out->lead = NULL;
    buffer_bytes(&out->text, &out->closing[out->depth], 1);
}

void json_text(struct json_out *out, const char *name, const char *text)
{
    begin(out, name);
    buffer_json(&out->text, text);
}

void json_lines(struct json_out *out, const char *name, const char *text)
{
    begin(out, name);
    buffer_json_lines(&out->text, text);
}

void json_bytes(struct json_out *out, const char *name, const char *text, size_t length)
{
    char *copy = memory_text(length > 0 ? text : "", length);

    json_text(out, name, copy);
    free(copy);
}

void json_count(struct json_out *out, const char *name, uint64_t number)
{
    begin(out, name);
    buffer_number(&out->text, number);
}

void json_negative(struct json_out *out, const char *name, uint64_t magnitude)
{
    begin(out, name);
    put(out, "-");
    buffer_number(&out->text, magnitude);
}

void json_seconds(struct json_out *out, const char *name, double number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.6f", number);

    for (int i = 0; i < length; i++) /* some locales have another decimal point */
        if (text[i] == ',')
            text[i] = '.';
    begin(out, name);
    put(out, text);
}

void json_flag(struct json_out *out, const char *name, bool flag)
{
    begin(out, name);
    put(out, flag ? "true" : "false");
}

void json_nothing(struct json_out *out, const char *name)
{
    begin(out, name);
    put(out, "null");
}

void json_line(struct json_out *out, unsigned indent)
{
    static const char blanks[] = "\n        ";
    static const char *const leads[] = {"\n",      "\n ",      "\n  ",      "\n   ", "\n    ",
                                        "\n     ", "\n      ", "\n       ", blanks};

    assert(indent < sizeof leads / sizeof *leads);
    out->lead = leads[indent];
}

void json_blank(struct json_out *out)
{
    out->lead = " ";
}

void json_end(struct json_out *out)
{
    assert(out->depth == 0);
    drain(out);
    buffer_free(&out->text);
}
