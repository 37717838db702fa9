/* The text buffer, and the escaping of names from outside. */
#include "base/buffer.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */
#define ELLIPSIS    "\xe2\x80\xa6" /* U+2026 */

void buffer_free(struct buffer *b)
{
    free(b->text);
    memset(b, 0, sizeof *b);
}

void buffer_bytes(struct buffer *b, const char *bytes, size_t length)
{
    if (length > b->text_capacity - b->text_count)
        b->text = memory_grow(b->text, &b->text_capacity, b->text_count + length, 1);
    if (length > 0)
        memcpy(b->text + b->text_count, bytes, length);
    b->text_count += length;
}

void buffer_text(struct buffer *b, const char *text)
{
    buffer_bytes(b, text, strlen(text));
}

void buffer_format(struct buffer *b, const char *format, ...)
{
    va_list args;
    char *text;
    int length;

    va_start(args, format);
    length = vasprintf(&text, format, args);
    va_end(args);
    if (length < 0)
        memory_exhausted();
    buffer_bytes(b, text, (size_t)length);
    free(text);
}

void buffer_number(struct buffer *b, uint64_t number)
{
    char digits[20];
    size_t at = sizeof digits;

    do
        digits[--at] = (char)('0' + number % 10);
    while ((number /= 10) > 0);
    buffer_bytes(b, digits + at, sizeof digits - at);
}

void buffer_grouped(struct buffer *b, uint64_t number)
{
    if (number >= 1000) {
        char rest[4] = {',', (char)('0' + number / 100 % 10), (char)('0' + number / 10 % 10),
                        (char)('0' + number % 10)};
        buffer_grouped(b, number / 1000);
        buffer_bytes(b, rest, sizeof rest);
        return;
    }
    buffer_number(b, number);
}

void buffer_spaces(struct buffer *b, size_t count)
{
    while (count-- > 0)
        buffer_bytes(b, " ", 1);
}

/* Decodes the UTF-8 character at `text`, which is not at its end; returns its length, 0 when it is none. The
 * NUL that ends the text stops every sequence early. */
static size_t utf8_decode(const unsigned char *text, uint32_t *character)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000}; /* shorter forms exist below these */
    size_t length = *text < 0x80 ? 1 : *text >> 5 == 6 ? 2 : *text >> 4 == 14 ? 3 : *text >> 3 == 30 ? 4 : 0;

    if (length <= 1) {
        *character = *text;
        return length;
    }
    *character = *text & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if (text[i] >> 6 != 2)
            return 0;
        *character = *character << 6 | (text[i] & 0x3f);
    }
    bool surrogate = *character >= 0xd800 && *character <= 0xdfff;
    return *character < least[length] || *character > 0x10ffff || surrogate ? 0 : length;
}

/* Characters that move the cursor or the reader's eye instead of showing something. */
static bool is_treacherous(uint32_t c)
{
    return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x200b && c <= 0x200f) ||
           (c >= 0x2028 && c <= 0x202e) || (c >= 0x2060 && c <= 0x206f) || c == 0x061c || c == 0xfeff;
}

void buffer_safe(struct buffer *b, const char *text)
{
    while (*text) {
        uint32_t character;
        size_t length = utf8_decode((const unsigned char *)text, &character);

        if (length == 0)
            buffer_text(b, REPLACEMENT);
        else if (is_treacherous(character))
            buffer_text(b, "?");
        else
            buffer_bytes(b, text, length);
        text += length > 0 ? length : 1;
    }
}

void buffer_markup(struct buffer *b, const char *text)
{
    struct buffer safe = {0};

    buffer_safe(&safe, text);
    for (size_t i = 0; i < safe.text_count; i++) {
        char c = safe.text[i];
        const char *entity = c == '&'   ? "&amp;"
                             : c == '<' ? "&lt;"
                             : c == '>' ? "&gt;"
                             : c == '"' ? "&quot;"
                                        : NULL;
        if (entity)
            buffer_text(b, entity);
        else
            buffer_bytes(b, &c, 1);
    }
    buffer_free(&safe);
}

void buffer_revealed(struct buffer *b, const char *text)
{
    while (*text) {
        uint32_t character;
        size_t length = utf8_decode((const unsigned char *)text, &character);
        char code[32];

        if (length == 0) {
            buffer_text(b, REPLACEMENT);
        } else if (character == '\t') {
            buffer_spaces(b, 4);
        } else if (is_treacherous(character)) {
            snprintf(code, sizeof code, "\u27e8U+%04X\u27e9", (unsigned)character);
            buffer_text(b, code);
        } else {
            buffer_bytes(b, text, length);
        }
        text += length > 0 ? length : 1;
    }
}

static void json_escape(struct buffer *b, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    char code[6] = {'\\', 'u', '0', '0', hex[c >> 4], hex[c & 15]};
    char pair[2] = {'\\', (char)c};

    if (c == '"' || c == '\\')
        buffer_bytes(b, pair, sizeof pair);
    else
        buffer_bytes(b, code, sizeof code);
}

/* A character below U+10000, as JSON may spell it. */
static void json_code(struct buffer *b, uint32_t character)
{
    char code[8];

    snprintf(code, sizeof code, "\\u%04x", (unsigned)(character & 0xffff));
    buffer_text(b, code);
}

static void put_json(struct buffer *b, const char *text, bool lines)
{
    buffer_bytes(b, "\"", 1);
    while (*text) {
        size_t plain = 0;
        while ((unsigned char)text[plain] >= 0x20 && (unsigned char)text[plain] < 0x7f && text[plain] != '"' &&
               text[plain] != '\\')
            plain++;
        buffer_bytes(b, text, plain);
        text += plain;
        if (!*text)
            break;

        uint32_t character;
        size_t length = utf8_decode((const unsigned char *)text, &character);
        if (length == 0)
            buffer_text(b, REPLACEMENT);
        else if (*text == '\n' && lines)
            buffer_text(b, "\\n");
        else if (length == 1)
            json_escape(b, (unsigned char)*text);
        else if (is_treacherous(character))
            json_code(b, character);
        else
            buffer_bytes(b, text, length);
        text += length > 0 ? length : 1;
    }
    buffer_bytes(b, "\"", 1);
}

void buffer_json(struct buffer *b, const char *text)
{
    put_json(b, text, false);
}

void buffer_json_lines(struct buffer *b, const char *text)
{
    put_json(b, text, true);
}

bool text_is_utf8(const char *text)
{
    while (*text) {
        uint32_t character;
        size_t length = utf8_decode((const unsigned char *)text, &character);
        if (length == 0)
            return false;
        text += length;
    }
    return true;
}

/* Whether the text would not come through buffer_safe as it is. */
static bool is_unsafe(const char *text)
{
    struct buffer safe = {0};
    bool same;

    buffer_safe(&safe, text);
    same = safe.text_count == strlen(text) &&
           (safe.text_count == 0 || memcmp(safe.text, text, safe.text_count) == 0);
    buffer_free(&safe);
    return !same;
}

/* What bash, ksh and zsh read as the same bytes, without one that a terminal would act on. */
static void put_escaped(struct buffer *b, const char *argument)
{
    buffer_text(b, "$'");
    for (; *argument; argument++) {
        unsigned char c = (unsigned char)*argument;
        char code[8];
        snprintf(code, sizeof code, c < 0x20 || c >= 0x7f ? "\\%03o" : strchr("'\\", c) ? "\\%c" : "%c", c);
        buffer_text(b, code);
    }
    buffer_text(b, "'");
}

void buffer_shell(struct buffer *b, const char *argument)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,:@%-=";

    if (is_unsafe(argument)) {
        put_escaped(b, argument);
        return;
    }
    if (argument[0] != '\0' && argument[strspn(argument, plain)] == '\0') {
        buffer_text(b, argument);
        return;
    }
    buffer_text(b, "'");
    for (; *argument; argument++)
        if (*argument == '\'')
            buffer_text(b, "'\\''");
        else
            buffer_bytes(b, argument, 1);
    buffer_text(b, "'");
}

static bool starts_character(char byte)
{
    return (unsigned char)byte >> 6 != 2;
}

size_t buffer_width(const struct buffer *b, size_t from)
{
    size_t width = 0;

    for (size_t i = from; i < b->text_count; i++)
        width += starts_character(b->text[i]);
    return width;
}

/* Where the character with this number starts, from byte `from` on. */
static size_t start_of(const struct buffer *b, size_t from, size_t character)
{
    size_t at = from;

    for (size_t seen = 0; at < b->text_count; at++)
        if (starts_character(b->text[at]) && seen++ == character)
            break;
    return at;
}

void buffer_cut(struct buffer *b, size_t from, size_t width)
{
    size_t now = buffer_width(b, from), head = (width - 1) * 2 / 3;

    if (now <= width)
        return;
    size_t out = start_of(b, from, head), back = start_of(b, from, now - (width - 1 - head));
    char *tail = memory_text(b->text + back, b->text_count - back);
    b->text_count = out;
    buffer_text(b, ELLIPSIS);
    buffer_text(b, tail);
    free(tail);
}

void buffer_flush(struct buffer *b, FILE *to)
{
    if (b->text_count > 0)
        fwrite(b->text, 1, b->text_count, to);
    b->text_count = 0;
}
