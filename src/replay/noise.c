/* Compares texts word by word. */
#include "replay/noise.h"

#include <assert.h>
#include <ctype.h>
#include <string.h>

struct text_part {
    const char *at, *end;
};

static struct text_part part_of(const struct captured_text *t)
{
    assert(t->bytes || t->length == 0);
    return (struct text_part){t->bytes, t->bytes + t->length};
}

static bool same_bytes(struct text_part a, struct text_part b)
{
    return a.end - a.at == b.end - b.at && (a.at == a.end || memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0);
}

static size_t count_lines(struct text_part text)
{
    size_t lines = 0;

    for (; text.at < text.end; text.at++)
        lines += *text.at == '\n';
    return lines;
}

/* The next piece of the text: a word of letters and digits, or a single other character. */
static struct text_part next_piece(struct text_part *text)
{
    struct text_part piece = {text->at, text->at};

    while (piece.end < text->end && isalnum((unsigned char)*piece.end))
        piece.end++;
    if (piece.end == piece.at && piece.end < text->end)
        piece.end++;
    assert(piece.end > piece.at || text->at == text->end); /* else the comparison would not end */
    text->at = piece.end;
    return piece;
}

static bool is_word(struct text_part piece)
{
    return piece.at < piece.end && isalnum((unsigned char)*piece.at);
}

bool same_but_for_noise(const struct captured_text *reference, const struct captured_text *again,
                        const struct captured_text *now)
{
    struct text_part was = part_of(reference), is = part_of(now), too = again ? part_of(again) : was;

    if (same_bytes(was, is))
        return true;
    if (!again || same_bytes(was, too))
        return false;
    if (count_lines(was) != count_lines(too))
        return true;
    while (was.at < was.end || is.at < is.end) {
        struct text_part a = next_piece(&was), b = next_piece(&is), c = next_piece(&too);
        bool noise = is_word(a) && is_word(b) && is_word(c) && !same_bytes(a, c);
        if (!noise && !same_bytes(a, b))
            return false;
    }
    return true;
}
