/* JSON written as a stream: commas, quotes and brackets are put where they belong, and little of the text is ever
 * in memory.
 *
 * Every function takes the name of the member it writes; NULL in an array and at the top. */
#pragma once
#include "base/buffer.h"

#include <stdbool.h>
#include <stdio.h>

enum { JSON_DEPTH_MOST = 16 };

struct json_out {
    FILE *to;
    void (*drain)(struct json_out *out); /* writes `text` and empties it; NULL: as it is */
    bool spaced;                         /* a blank after commas and colons */
    struct buffer text;                  /* not yet written */
    unsigned depth;
    char closing[JSON_DEPTH_MOST]; /* the brackets that end what is open */
    bool filled[JSON_DEPTH_MOST];  /* whether it has an item */
    const char *lead;              /* what goes before the next item instead of a blank; or NULL */
};

/* Opens an object or an array; closes what was opened last. */
void json_object_open(struct json_out *out, const char *name);
void json_array_open(struct json_out *out, const char *name);
void json_close(struct json_out *out);

/* A text, whatever its bytes; one of several lines (buffer.h); one of a given length. */
void json_text(struct json_out *out, const char *name, const char *text);
void json_lines(struct json_out *out, const char *name, const char *text);
void json_bytes(struct json_out *out, const char *name, const char *text, size_t length);

void json_count(struct json_out *out, const char *name, uint64_t number);
void json_negative(struct json_out *out, const char *name, uint64_t magnitude);
void json_seconds(struct json_out *out, const char *name, double number);
void json_flag(struct json_out *out, const char *name, bool flag);
void json_nothing(struct json_out *out, const char *name);

/* The next item, or the next closing bracket, begins a line, after `indent` blanks (at most 8). */
void json_line(struct json_out *out, unsigned indent);

/* The next item, or the next closing bracket, has a blank before it. */
void json_blank(struct json_out *out);

/* Everything is closed: writes what is left. */
void json_end(struct json_out *out);
