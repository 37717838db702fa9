/* "Did you mean": the known word that is nearest to one that was mistyped. */
#include "cli/command.h"

#include <string.h>

enum { WORD_MOST = sizeof(((struct suggestion *)0)->copy) - 1 };

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many letters must be inserted, removed, replaced or swapped with their neighbour to turn one word into
 * the other; words that are too long to be compared count as far apart. */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][WORD_MOST + 1], *before = rows[0], *last = rows[1], *row = rows[2];

    if (a_length > WORD_MOST || b_length > WORD_MOST)
        return WORD_MOST;
    for (size_t j = 0; j <= b_length; j++)
        last[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least_of(last[j - 1] + (a[i - 1] != b[j - 1]), 1 + least_of(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least_of(row[j], before[j - 2] + 1);
        }
        size_t *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

/* One mistake in a short word, two in a longer one. */
static size_t allowed(size_t length)
{
    return length < 3 ? 0 : length < 6 ? 1 : 2;
}

void suggestion_try(struct suggestion *s, const char *typed, size_t length, const char *known)
{
    size_t far = distance(typed, length, known, strlen(known));

    /* The beginning of a word is no mistake at all: "det" for "deterministic". */
    if (length >= 3 && strncmp(typed, known, length) == 0)
        far = least_of(far, 1);
    if (far <= allowed(length) && (!s->word || far < s->distance)) {
        s->word = known;
        s->distance = far;
    }
}

void suggest_word(struct suggestion *s, const char *typed, size_t length, const char *words)
{
    /* A list in one text: the words are copied to where they can be ended. */
    for (const char *word = words; *word;) {
        size_t size = strcspn(word, " ");
        char copy[WORD_MOST + 1];
        if (size <= WORD_MOST) {
            struct suggestion one = {0};
            memcpy(copy, word, size);
            copy[size] = '\0';
            suggestion_try(&one, typed, length, copy);
            if (one.word && (!s->word || one.distance < s->distance)) {
                memcpy(s->copy, copy, size + 1);
                s->word = s->copy;
                s->distance = one.distance;
            }
        }
        word += size + (word[size] == ' ');
    }
}
