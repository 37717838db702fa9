/* The fourth field of the text format: `by LIST from LIST` (semantics §7). */
#include "base/memory.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/std.h"
#include "trace/std_parts.h"

void std_grounds_free(struct std_grounds *g)
{
    free(g->grounds);
    free(g->ranges);
    free(g->events);
    free(g->lines);
}

static struct text_span trim(struct text_span s)
{
    while (s.length > 0 && *s.text == ' ')
        s.text++, s.length--;
    while (s.length > 0 && s.text[s.length - 1] == ' ')
        s.length--;
    return s;
}

/* Cuts the part up to the first `mark` off the rest; all of it where there is none. */
static struct text_span cut(struct text_span *rest, char mark, bool *more)
{
    const char *at = memchr(rest->text, mark, rest->length);
    struct text_span part = {rest->text, at ? (size_t)(at - rest->text) : rest->length};

    *more = at != NULL;
    rest->text += part.length + (at != NULL);
    rest->length -= part.length + (at != NULL);
    return trim(part);
}

static bool parse_bound(struct text_span s, int64_t open, int64_t *bound)
{
    uint64_t value;
    bool negative;

    *bound = open;
    if (s.length == 0)
        return true;
    if (!span_integer(s, &value, &negative) || (!negative && value > INT64_MAX))
        return false;
    *bound = (int64_t)value;
    return true;
}

/* lo..hi;lo..hi, without the brackets */
static const char *parse_ranges(struct std_grounds *g, struct text_span text, struct ground *ground,
                                struct text_span *fault)
{
    bool more = true;

    ground->form = GROUND_RANGES;
    while (more) {
        struct text_span range = cut(&text, ';', &more);
        const char *dots = memmem(range.text, range.length, "..", 2);
        struct value_range r;

        *fault = range;
        if (!dots)
            return "a range is not of the form low..high";
        size_t before = (size_t)(dots - range.text);
        if (!parse_bound(trim((struct text_span){range.text, before}), INT64_MIN, &r.low) ||
            !parse_bound(trim((struct text_span){dots + 2, range.length - before - 2}), INT64_MAX, &r.high))
            return "a side of a range is no number between -2^63 and 2^63-1";
        ARRAY_PUSH(g, ranges, r);
        ground->range_count++;
    }
    return NULL;
}

/* +k or -k, with its sign */
static bool parse_offset(struct text_span text, struct ground *ground)
{
    bool negative;

    ground->form = GROUND_OFFSET;
    if (!span_integer((struct text_span){text.text + 1, text.length - 1}, &ground->offset, &negative) ||
        negative)
        return false;
    if (*text.text == '-')
        ground->offset = 0 - ground->offset;
    return true;
}

/* n, n[ranges], n+k, n-k */
static const char *parse_item(struct std_grounds *g, struct text_span item, struct ground *ground,
                              struct text_span *fault)
{
    struct text_span number = item, rest;
    uint64_t read;
    bool negative;

    *fault = item;
    number.length = 0;
    while (number.length < item.length && item.text[number.length] >= '0' && item.text[number.length] <= '9')
        number.length++;
    if (!span_integer(number, &read, &negative) || read > UINT32_MAX)
        return "the number of an event is missing in a ground";
    ground->read = (uint32_t)read;
    rest = trim((struct text_span){item.text + number.length, item.length - number.length});
    if (rest.length == 0)
        return NULL;
    if (*rest.text == '[' && rest.text[rest.length - 1] == ']')
        return parse_ranges(g, (struct text_span){rest.text + 1, rest.length - 2}, ground, fault);
    if ((*rest.text != '+' && *rest.text != '-') || !parse_offset(rest, ground))
        return "neither ranges in brackets nor +k or -k after the number in a ground";
    return NULL;
}

static const char *parse_list(struct std_grounds *g, struct text_span list, uint32_t *count,
                              struct text_span *fault)
{
    bool more = true;

    *count = 0;
    list = trim(list);
    *fault = list;
    if (list.length == 0)
        return "an empty list of grounds is written -";
    if (text_span_is(list, "-", 1))
        return NULL;
    while (more) {
        struct ground ground = {0};
        const char *wrong = parse_item(g, cut(&list, ',', &more), &ground, fault);
        if (wrong)
            return wrong;
        ARRAY_PUSH(g, grounds, ground);
        ++*count;
    }
    return NULL;
}

/* Takes the word and the blank behind it off the field. */
static bool take_word(struct text_span *field, const char *word)
{
    size_t length = strlen(word);

    if (field->length <= length || memcmp(field->text, word, length) != 0 || field->text[length] != ' ')
        return false;
    field->text += length + 1;
    field->length -= length + 1;
    return true;
}

/* Both lists of the field; the ground's ranges are found in order. */
static const char *parse_field(struct std_grounds *g, struct text_span field, struct grounds_given *given,
                               struct text_span *fault)
{
    const char *wrong = NULL;

    field = trim(field);
    *fault = field;
    given->by_given = take_word(&field, "by");
    if (given->by_given) {
        const char *from = memmem(field.text, field.length, " from ", 6);
        struct text_span list = {field.text, from ? (size_t)(from - field.text) : field.length};
        wrong = parse_list(g, list, &given->by_count, fault);
        field.text += list.length;
        field.length -= list.length;
        field = trim(field);
        if (wrong || field.length == 0)
            return wrong;
    }
    given->from_given = take_word(&field, "from");
    if (!given->from_given)
        return "grounds are not of the form by LIST, from LIST or by LIST from LIST";
    return parse_list(g, field, &given->from_count, fault);
}

const char *std_grounds_parse(struct std_grounds *g, struct trace *trace, struct text_span field,
                              grounds_id *id, struct text_span *fault)
{
    struct grounds_given given = {0};
    uint32_t event = (uint32_t)trace->count + 1;
    const char *wrong;
    size_t range = 0;

    g->grounds_count = g->ranges_count = 0;
    wrong = parse_field(g, field, &given, fault);
    if (wrong)
        return wrong;
    for (size_t i = 0; i < g->grounds_count; i++) {
        if (g->grounds[i].read > event)
            return "a ground names no earlier event";
        g->grounds[i].ranges = g->ranges ? g->ranges + range : NULL;
        range += g->grounds[i].range_count;
    }
    given.by = g->grounds;
    given.from = g->grounds ? g->grounds + given.by_count : NULL;
    if (!trace->ground_pool)
        trace->ground_pool = grounds_new();
    *id = grounds_add(trace->ground_pool, event, &given);
    return NULL;
}

/* Text that is cut off at the end of its room, and how long it would be. */
struct cut_text {
    char *to;
    size_t room, length;
};

static void add_text(struct cut_text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add_text(struct cut_text *t, const char *format, ...)
{
    va_list list;

    va_start(list, format);
    t->length += (size_t)vsnprintf(t->length < t->room ? t->to + t->length : NULL,
                                   t->length < t->room ? t->room - t->length : 0, format, list);
    va_end(list);
}

static void add_ground(struct cut_text *t, const struct ground *g)
{
    add_text(t, "%" PRIu32, g->read);
    if (g->form == GROUND_OFFSET)
        add_text(t, "%+" PRId64, (int64_t)g->offset);
    for (uint32_t i = 0; i < g->range_count; i++) {
        add_text(t, "%s", i == 0 ? "[" : ";");
        if (g->ranges[i].low != INT64_MIN)
            add_text(t, "%" PRId64, g->ranges[i].low);
        add_text(t, "..");
        if (g->ranges[i].high != INT64_MAX)
            add_text(t, "%" PRId64, g->ranges[i].high);
    }
    if (g->form == GROUND_RANGES)
        add_text(t, "]");
}

static void add_list(struct cut_text *t, const char *word, const struct ground_list *list)
{
    add_text(t, "%s%s", word, list->count == 0 ? "-" : "");
    for (uint32_t i = 0; i < list->count; i++) {
        struct ground g = ground_at(list, i);
        add_text(t, "%s", i > 0 ? "," : "");
        add_ground(t, &g);
    }
}

size_t std_grounds_text(const struct trace *trace, uint32_t event, char *to, size_t room)
{
    struct ground_list by = trace_by(trace, event), from = trace_from(trace, event);
    struct cut_text t = {to, room, 0};

    if (room > 0)
        *to = '\0';
    if (by.given)
        add_list(&t, "by ", &by);
    if (from.given)
        add_list(&t, by.given ? " from " : "from ", &from);
    return t.length;
}

void std_grounds_write(const struct trace *trace, uint32_t event, struct output *out)
{
    char text[512], *longer = NULL;
    size_t length = std_grounds_text(trace, event, text, sizeof text);

    if (length == 0)
        return;
    if (length >= sizeof text) {
        longer = memory_resize(NULL, length + 1, 1);
        std_grounds_text(trace, event, longer, length + 1);
    }
    output_text(out, "|");
    output_text(out, longer ? longer : text);
    free(longer);
}
