/* Passes notes to the command that prints them. */
#include "base/note.h"
#include "base/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void note_add(note_taker *take, enum note_kind kind, const char *format, ...)
{
    va_list args;
    char *text;

    if (!take)
        return;
    va_start(args, format);
    if (vasprintf(&text, format, args) < 0)
        memory_exhausted();
    va_end(args);
    take(kind, text);
    free(text);
}
