/* What the parts of the text reader and writer share; private to this room. */
#pragma once
#include "trace/output.h"
#include "trace/trace.h"

#include <string.h>

struct text_span {
    const char *text;
    size_t length;
};

static inline bool text_span_is(struct text_span s, const char *text, size_t length)
{
    return s.length == length && memcmp(s.text, text, length) == 0;
}

/* A decimal integer as the writer prints it: no sign but -, no leading zeros, -2^63 … 2^64-1. */
bool span_integer(struct text_span s, uint64_t *value, bool *negative);

/* The fourth field of a line, on its way into a trace. */
struct std_grounds {
    struct ground *grounds; /* of by, then of from */
    size_t grounds_count, grounds_capacity;
    struct value_range *ranges; /* of all of them, in order */
    size_t ranges_count, ranges_capacity;
    uint32_t *events; /* that have grounds, for messages at the end of the file */
    size_t events_count, events_capacity;
    size_t *lines; /* of these */
    size_t lines_count, lines_capacity;
};

void std_grounds_free(struct std_grounds *g);

/* Parses the field, of `event`, which is to be appended next: its id in the trace's pool. Returns NULL, or what
 * is wrong, with the text at fault. */
const char *std_grounds_parse(struct std_grounds *g, struct trace *trace, struct text_span field,
                              grounds_id *id, struct text_span *fault);

/* Writes the lists of an event: "|by 2,4[..-1;1..] from 6+1"; nothing when it has none. */
void std_grounds_write(const struct trace *trace, uint32_t event, struct output *out);

/* Types of variables by name; which of these have events is known at the end. */
struct std_types {
    struct names names;
    uint8_t *types; /* enum value_type, by name */
    size_t types_count, types_capacity;
};

/* A comment that carries data about the whole trace: a type, how the run ended. Other comments are skipped.
 */
void std_directive(struct trace *trace, struct std_types *types, struct text_span line);

/* Gives the variables of the trace their types. */
void std_types_apply(const struct std_types *types, struct trace *trace);

/* Writes those about what is printed and what frees memory, and about how the run ended. */
void std_marks_write(const struct trace *trace, struct output *out);
void std_end_write(const struct trace_end *end, struct output *out);
