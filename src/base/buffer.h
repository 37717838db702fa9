/* A growable text buffer, in which reports are built before they are written to a file or a terminal. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct buffer {
    char *text; /* not ended by NUL */
    size_t text_count, text_capacity;
};

void buffer_free(struct buffer *b);
void buffer_bytes(struct buffer *b, const char *bytes, size_t length);
void buffer_text(struct buffer *b, const char *text);
void buffer_number(struct buffer *b, uint64_t number);
void buffer_grouped(struct buffer *b, uint64_t number); /* 1,204 */
void buffer_format(struct buffer *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buffer_spaces(struct buffer *b, size_t count);

/* A name from outside, made safe for a terminal: control characters and those that turn the direction of text
 * become '?', bytes that are not UTF-8 become U+FFFD. */
void buffer_safe(struct buffer *b, const char *text);

/* The same for HTML and XML, in text and in attributes. */
void buffer_markup(struct buffer *b, const char *text);

/* A line of source, made safe for a page: as above, but a tab is four blanks and the others show as ⟨U+202E⟩.
 */
void buffer_revealed(struct buffer *b, const char *text);

/* The same name as a JSON string with its quotes: nothing is lost but bytes that are not UTF-8. */
void buffer_json(struct buffer *b, const char *text);

/* The same for text of several lines: their ends are spelled \n rather than \u000a. */
void buffer_json_lines(struct buffer *b, const char *text);

/* Whether the text is UTF-8: if not, buffer_json does not keep it. */
bool text_is_utf8(const char *text);

/* An argument as a shell reads it, quoted where necessary. Safe for a terminal. */
void buffer_shell(struct buffer *b, const char *argument);

/* Columns the text takes up on a terminal, from byte `from` on: one a character. */
size_t buffer_width(const struct buffer *b, size_t from);

/* Shortens the text from byte `from` on to `width` columns, with an ellipsis in the middle: long names differ
 * at their ends. */
void buffer_cut(struct buffer *b, size_t from, size_t width);

/* Writes everything and starts over; errors stay in the stream. */
void buffer_flush(struct buffer *b, FILE *to);
