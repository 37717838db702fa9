/* Writes the text format. */
#include "base/memory.h"
#include "trace/std.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/std_parts.h"

/* How names are written. Names that were read from text are written unchanged. A recorder's names may
 * contain characters that the format reserves: each of these, and %, is written as %XX, and a % is appended
 * while another name has the same text, so that no two names are written alike. */
struct std_writer {
    const struct trace *trace;
    struct output *out;
    const char *variable_reserved; /* '=' too, unless every access to a variable with one carries a value */
    const char *thread_reserved;   /* '#' too, if a line would begin with it */
};

static bool name_is_plain(const char *text, const char *reserved)
{
    return text[strcspn(text, reserved)] == '\0';
}

static size_t name_escape(const char *text, const char *reserved, char *to)
{
    size_t used = 0;

    for (; *text; text++) {
        if (*text == '%' || strchr(reserved, *text))
            used += (size_t)sprintf(to + used, "%%%02X", (unsigned char)*text);
        else
            to[used++] = *text;
    }
    return used;
}

static void write_name(const struct std_writer *w, enum name_class class, uint32_t id, const char *reserved)
{
    const struct names *names = &w->trace->names[class];
    const char *text = names_text(names, id);

    if (name_is_plain(text, reserved)) {
        output_write(w->out, text, names_length(names, id));
        return;
    }
    size_t room = 3 * names_length(names, id) + 1;
    char *escaped = memory_resize(NULL, room, 1);
    size_t used = name_escape(text, reserved, escaped);
    while (names_find(names, escaped, used) != NAME_NONE) {
        if (used == room)
            escaped = memory_grow(escaped, &room, used + 1, 1);
        escaped[used++] = '%';
    }
    output_write(w->out, escaped, used);
    free(escaped);
}

static void write_value(const struct std_writer *w, const struct event *e)
{
    char text[32];

    output_text(w->out, "=");
    if (e->value_tag == VALUE_NAME) {
        write_name(w, NAME_VALUE, (uint32_t)e->value, "|()\n=");
        return;
    }
    snprintf(text, sizeof text, e->value_tag == VALUE_NEGATIVE ? "%lld" : "%llu", (unsigned long long)e->value);
    output_text(w->out, text);
}

static void write_argument(const struct std_writer *w, const struct event *e)
{
    enum name_class class = kind_argument(op_kind(e->op));

    if (e->arg == ARG_NONE)
        return;
    output_text(w->out, "(");
    write_name(w, class, e->arg,
               class == NAME_VARIABLE ? w->variable_reserved
               : class == NAME_THREAD ? w->thread_reserved
                                      : "|()\n");
    if (e->value_tag != VALUE_NONE)
        write_value(w, e);
    output_text(w->out, ")");
}

static void write_event(const struct std_writer *w, size_t number)
{
    struct event event = trace_event(w->trace, number), *e = &event;

    write_name(w, NAME_THREAD, e->thread, w->thread_reserved);
    output_text(w->out, "|");
    output_text(w->out, kind_word(op_kind(e->op)));
    output_text(w->out, order_suffix(op_order(e->op)));
    write_argument(w, e);
    output_text(w->out, "|");
    if (e->location != NAME_NONE) {
        const char *location = trace_name(w->trace, NAME_LOCATION, e->location);
        write_name(w, NAME_LOCATION, e->location, "|\n");
        if (*location && location[strlen(location) - 1] == '\r' && e->grounds == GROUNDS_NONE)
            output_text(w->out, "\r"); /* a reader takes one away */
    }
    std_grounds_write(w->trace, (uint32_t)number, w->out);
    output_text(w->out, "\n");
}

static void write_types(const struct std_writer *w)
{
    for (variable_id x = 0; x < w->trace->variable_types && x < trace_names(w->trace, NAME_VARIABLE); x++) {
        enum value_type type = trace_variable_type(w->trace, x);
        if (type == TYPE_UNKNOWN)
            continue;
        output_text(w->out, "#type ");
        write_name(w, NAME_VARIABLE, x, w->variable_reserved);
        output_text(w->out, " ");
        output_text(w->out, type_word(type));
        output_text(w->out, "\n");
    }
}

/* Text always splits an access at its last '=': a name with one is safe only where a value follows. */
static bool equals_is_safe(const struct trace *trace)
{
    if (!memchr(trace->names[NAME_VARIABLE].text, '=', trace->names[NAME_VARIABLE].text_count))
        return true;
    for (size_t number = 1; number <= trace->count; number++) {
        struct event e = trace_event(trace, number);
        if (kind_accesses(op_kind(e.op)) && e.value_tag == VALUE_NONE &&
            strchr(trace_name(trace, NAME_VARIABLE, e.arg), '='))
            return false;
    }
    return true;
}

/* A line that begins with '#' is a comment. */
static bool hash_is_safe(const struct trace *trace)
{
    if (!memchr(trace->names[NAME_THREAD].text, '#', trace->names[NAME_THREAD].text_count))
        return true;
    for (size_t number = 1; number <= trace->count; number++)
        if (*trace_name(trace, NAME_THREAD, trace->thread[number]) == '#')
            return false;
    return true;
}

void std_write(const struct trace *trace, struct output *out)
{
    struct std_writer w = {trace, out, "|()\n", "|()\n"};

    if (trace_names(trace, NAME_VARIABLE) > 0 && !equals_is_safe(trace))
        w.variable_reserved = "|()\n=";
    if (trace->count > 0 && !hash_is_safe(trace))
        w.thread_reserved = "|()\n#";
    if (trace->count > 0 && strncmp(trace_name(trace, NAME_THREAD, trace->thread[1]), "\x1f\x8b", 2) == 0)
        output_text(out, "\n"); /* or it would be taken for gzip */
    if (trace->count == 0)
        output_text(out, "# no events\n"); /* an empty file would be no trace */
    write_types(&w);
    for (size_t number = 1; number <= trace->count; number++)
        write_event(&w, number);
    std_marks_write(trace, out);
    std_end_write(&trace->end, out);
}

size_t std_event_text(const struct trace *trace, size_t number, char *to, size_t room)
{
    struct event e = trace_event(trace, number);
    int length;

    if (e.arg == ARG_NONE)
        length = snprintf(to, room, "%s|%s%s", trace_name(trace, NAME_THREAD, e.thread),
                          kind_word(op_kind(e.op)), order_suffix(op_order(e.op)));
    else
        length = snprintf(to, room, "%s|%s%s(%s)", trace_name(trace, NAME_THREAD, e.thread),
                          kind_word(op_kind(e.op)), order_suffix(op_order(e.op)),
                          trace_name(trace, kind_argument(op_kind(e.op)), e.arg));
    return (size_t)length < room ? (size_t)length : room - 1;
}
