/* Notes: remarks of the library besides its results, passed line by line to the command that prints them. */
#pragma once

enum note_kind {
    NOTE_NEWS,   /* what happened */
    NOTE_CAVEAT, /* what limits the result */
    NOTE_DETAIL, /* belongs to the line before */
};

/* Takes one line, without its end. */
typedef void note_taker(enum note_kind kind, const char *text);

/* Hands a line to `take`; NULL: nobody listens. */
void note_add(note_taker *take, enum note_kind kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
