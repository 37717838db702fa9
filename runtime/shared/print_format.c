/* Formats of printf and scanf: which memory of the caller they make the library read and write. */
#include "runtime/io/inputs.h"
#include "runtime/shared/touching.h"

#include <limits.h>
#include <stdint.h>
#include <wchar.h>

enum size { SIZE_INT, SIZE_CHAR, SIZE_SHORT, SIZE_LONG, SIZE_LONG_DOUBLE };

struct format_conversion {
    bool stars[2]; /* width and precision come as arguments */
    int precision; /* -1: none; scanf: the width */
    bool skipped;  /* scanf: `*`, nothing is assigned */
    bool allocated;
    enum size size;
    char kind; /* 0: the format is over */
};

static int parse_width(const char **at)
{
    int number = 0;

    for (; **at >= '0' && **at <= '9'; ++*at)
        number = number < INT_MAX / 20 ? number * 10 + (**at - '0') : number;
    return number;
}

static enum size parse_size(const char **at)
{
    enum size size = SIZE_INT;

    for (;; ++*at) {
        switch (**at) {
        case 'h':
            size = size == SIZE_SHORT ? SIZE_CHAR : SIZE_SHORT;
            break;
        case 'l':
        case 'q':
        case 'j':
        case 'z':
        case 't':
            size = SIZE_LONG;
            break;
        case 'L':
            size = SIZE_LONG_DOUBLE;
            break;
        default:
            return size;
        }
    }
}

/* A set of characters, with the bracket that ends it. */
static void skip_set(const char **at)
{
    if (**at == '^')
        ++*at;
    if (**at == ']')
        ++*at;
    while (**at && **at != ']')
        ++*at;
    if (**at)
        ++*at;
}

/* The next conversion that takes an argument; `*at` goes behind it. */
static struct format_conversion next_conversion(const char **at, bool scanning)
{
    struct format_conversion c = {.precision = -1};

    for (;;) {
        while (**at && **at != '%')
            ++*at;
        if (!**at)
            return c;
        ++*at;
        for (; **at && text_index("-+ #0'I", **at) >= 0; ++*at)
            ;
        if (**at == '*') {
            c.skipped = scanning;
            c.stars[0] = !scanning;
            ++*at;
        }
        int width = parse_width(at);
        if (scanning && width > 0)
            c.precision = width;
        if (**at == 'm' && scanning) {
            c.allocated = true;
            ++*at;
        }
        if (**at == '.') {
            ++*at;
            c.precision = 0;
            if (**at == '*') {
                c.stars[1] = true;
                ++*at;
            } else {
                c.precision = parse_width(at);
            }
        }
        c.size = parse_size(at);
        c.kind = **at;
        if (**at)
            ++*at;
        if (c.kind == '[')
            skip_set(at);
        if (c.kind != '%' && (scanning || c.kind != 'm'))
            return c;
        c = (struct format_conversion){.precision = -1};
    }
}

static void printed_text(const char *text, int precision, uintptr_t pc)
{
    size_t length;

    if (!text)
        return;
    length = precision < 0 ? real.strlen(text) + 1 : real.strnlen(text, (size_t)precision);
    if (precision >= 0 && length < (size_t)precision)
        length++;
    touch_read(text, length, pc);
}

static const uint8_t integer_lengths[] = {
    [SIZE_INT] = 4, [SIZE_CHAR] = 1, [SIZE_SHORT] = 2, [SIZE_LONG] = 8, [SIZE_LONG_DOUBLE] = 8};

static void print_one(const struct format_conversion *c, int precision, va_list *arguments, uintptr_t pc)
{
    switch (c->kind) {
    case 's':
        if (c->size == SIZE_LONG)
            (void)va_arg(*arguments, const wchar_t *);
        else
            printed_text(va_arg(*arguments, const char *), precision, pc);
        break;
    case 'n':
        touch_write(va_arg(*arguments, void *), integer_lengths[c->size], pc);
        break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        if (c->size == SIZE_LONG_DOUBLE)
            (void)va_arg(*arguments, long double);
        else
            (void)va_arg(*arguments, double);
        break;
    case 'c':
    case 'd':
    case 'i':
    case 'o':
    case 'u':
    case 'x':
    case 'X':
        if (c->size >= SIZE_LONG)
            (void)va_arg(*arguments, long);
        else
            (void)va_arg(*arguments, int);
        break;
    default: /* %p, and what we do not know is a word, too */
        (void)va_arg(*arguments, void *);
        break;
    }
}

void touch_printed(const char *format, va_list arguments, uintptr_t pc)
{
    const char *at = format;
    va_list copy;

    for (const char *p = format; *p; p++)
        if (p[0] == '$') /* numbered arguments: nobody uses them where it counts */
            return;
    va_copy(copy, arguments);
    for (;;) {
        struct format_conversion c = next_conversion(&at, false);
        int precision = c.precision;
        if (!c.kind)
            break;
        if (c.stars[0])
            (void)va_arg(copy, int);
        if (c.stars[1])
            precision = va_arg(copy, int);
        print_one(&c, precision, &copy, pc);
    }
    va_end(copy);
}

static size_t scanned_length(const struct format_conversion *c, const char *to)
{
    if (c->allocated || c->kind == 'p')
        return sizeof(void *);
    switch (c->kind) {
    case 's':
    case '[':
        return c->size == SIZE_LONG ? 0 : real.strlen(to) + 1;
    case 'c':
        return c->size == SIZE_LONG ? 0 : c->precision > 0 ? (size_t)c->precision : 1;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        return c->size == SIZE_LONG ? 8 : c->size == SIZE_LONG_DOUBLE ? 16 : 4;
    default:
        return integer_lengths[c->size];
    }
}

/* What `%5c` got of an input that may have ended before: of a text all, if it is in there, else its end; of a
 * stream that is at its end one character is certain. */
static size_t certain_characters(const char *to, size_t wanted, const struct scanned *from)
{
    size_t length;

    if (!from->text)
        return from->at_end ? 1 : wanted;
    length = real.strlen(from->text);
    if (real.memmem(from->text, length, to, wanted))
        return wanted;
    for (size_t got = wanted - 1; got > 1; got--)
        if (got <= length && real.memcmp(from->text + length - got, to, got) == 0)
            return got;
    return 1;
}

void touch_scanned(const char *format, va_list arguments, const struct scanned *from, uintptr_t pc)
{
    const char *at = format;
    int done = from->done;
    va_list copy;

    for (const char *p = format; *p; p++)
        if (p[0] == '$')
            return;
    va_copy(copy, arguments);
    while (done > 0) {
        struct format_conversion c = next_conversion(&at, true);
        if (!c.kind)
            break;
        if (c.skipped)
            continue;
        void *to = va_arg(copy, void *);
        size_t length = scanned_length(&c, to);
        if (done == 1 && c.kind == 'c' && !c.allocated && length > 1)
            length = certain_characters(to, length, from);
        touch_write(to, length, pc);
        if (from->fd >= 0 && !c.allocated) /* the address of a block is not an input */
            input_read(from->fd, to, length, pc);
        done -= c.kind != 'n';
    }
    va_end(copy);
}
