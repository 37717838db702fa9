/* Compares texts word by word. */
#include "replay/noise.h"

#include <ctype.h>
#include <string.h>

struct cursor {
    const char *at, *end;
};

static struct cursor cursor_of(const struct captured_text *t)
{
    return (struct cursor){t->bytes, t->bytes + t->length};
}

static bool same_bytes(struct cursor a, struct cursor b)
{
    return a.end - a.at == b.end - b.at && (a.at == a.end || memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0);
}

static size_t count_lines(struct cursor text)
{
    size_t lines = 0;

    for (; text.at < text.end; text.at++)
        lines += *text.at == '\n';
    return lines;
}

/* The next piece of the text: a word of letters and digits, or a single other character. */
static struct cursor next_piece(struct cursor *text)
{
    struct cursor piece = {text->at, text->at};

    while (piece.end < text->end && isalnum((unsigned char)*piece.end))
        piece.end++;
    if (piece.end == piece.at && piece.end < text->end)
        piece.end++;
    text->at = piece.end;
    return piece;
}

static bool is_word(struct cursor piece)
{
    return piece.at < piece.end && isalnum((unsigned char)*piece.at);
}

bool same_but_for_noise(const struct captured_text *reference, const struct captured_text *again,
                        const struct captured_text *now)
{
    struct cursor was = cursor_of(reference), is = cursor_of(now), too = again ? cursor_of(again) : was;

    if (same_bytes(was, is))
        return true;
    if (!again || same_bytes(was, too))
        return false;
    if (count_lines(was) != count_lines(too))
        return true;
    while (was.at < was.end || is.at < is.end) {
        struct cursor a = next_piece(&was), b = next_piece(&is), c = next_piece(&too);
        bool noise = is_word(a) && is_word(b) && is_word(c) && !same_bytes(a, c);
        if (!noise && !same_bytes(a, b))
            return false;
    }
    return true;
}
