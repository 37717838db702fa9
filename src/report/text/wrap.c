/* Lines broken to fit a terminal: at blanks, what is left indented a little more than the line began. */
#include "report/text/narrate.h"

#include <ctype.h>
#include <string.h>

enum { HANGING = 2 };

/* How many bytes the character or escape sequence at `at` has; `*columns` becomes how many columns it takes. */
static size_t next_piece(const char *text, size_t at, size_t length, size_t *columns)
{
    size_t end = at + 1;

    *columns = 0;
    if (text[at] == '\033') {
        while (end < length && text[end] != 'm')
            end++;
        return end - at + (end < length);
    }
    while (end < length && ((unsigned char)text[end] & 0xc0) == 0x80)
        end++;
    *columns = 1;
    return end - at;
}

/* Where to break a line that does not fit: after its last blank that does. 0: nowhere. */
static size_t break_point(const char *line, size_t length, size_t indent, size_t width)
{
    size_t column = 0, point = 0;

    for (size_t at = 0; at < length;) {
        size_t columns, taken = next_piece(line, at, length, &columns);
        if (column + columns > width)
            return point;
        if (line[at] == ' ' && column > indent)
            point = at;
        column += columns;
        at += taken;
    }
    return length;
}

/* The columns of what leads the line: blanks, or a finding's id with the two blanks after it. */
static size_t lead_of(const char *line, size_t length)
{
    size_t columns, at = 0, from;

    while (at < length && line[at] == '\033')
        at += next_piece(line, at, length, &columns);
    from = at;
    if (at < length && isupper((unsigned char)line[at]))
        for (at++; at < length && isdigit((unsigned char)line[at]);)
            at++;
    size_t id = at - from;
    while (at < length && line[at] == '\033')
        at += next_piece(line, at, length, &columns);
    /* The text of a finding stands two columns to the right of its continuation. */
    return id > 1 && at + 1 < length && line[at] == ' ' && line[at + 1] == ' ' ? HANGING : strspn(line, " ");
}

static void put_line(struct buffer *to, const char *line, size_t length, size_t width)
{
    size_t indent = lead_of(line, length), point;

    if (indent > width / 2 || indent >= length)
        indent = 0;
    point = break_point(line, length, indent, width);
    while (point > 0 && point < length) {
        buffer_bytes(to, line, point);
        buffer_text(to, "\n");
        line += point;
        length -= point;
        while (length > 0 && *line == ' ') {
            line++;
            length--;
        }
        buffer_spaces(to, indent + HANGING);
        point = break_point(line, length, 0, width - indent - HANGING);
    }
    buffer_bytes(to, line, length);
}

void narrator_flush(struct narrator *n, FILE *to)
{
    enum { NARROWEST = 40 };
    struct buffer wrapped = {0};
    const char *text = n->out.text;
    size_t left = n->out.text_count;

    if (n->width < NARROWEST) {
        buffer_flush(&n->out, to);
        return;
    }
    while (left > 0) {
        const char *end = memchr(text, '\n', left);
        size_t length = end ? (size_t)(end - text) : left;
        put_line(&wrapped, text, length, n->width);
        if (end)
            buffer_text(&wrapped, "\n");
        text += length + (end != NULL);
        left -= length + (end != NULL);
    }
    n->out.text_count = 0;
    buffer_flush(&wrapped, to);
    buffer_free(&wrapped);
}
