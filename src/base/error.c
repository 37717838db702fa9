/* Errors with context. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status fail(struct error *err, enum status status, const char *format, ...)
{
    va_list args;

    err->status = status;
    va_start(args, format);
    vsnprintf(err->text, sizeof err->text, format, args);
    va_end(args);
    return status;
}

enum status error_prefix(struct error *err, const char *format, ...)
{
    struct error place;
    va_list args;

    va_start(args, format);
    vsnprintf(place.text, sizeof place.text, format, args);
    va_end(args);

    size_t room = sizeof err->text - 1;
    size_t head = strlen(place.text);
    size_t tail = strlen(err->text);
    if (tail > room - head)
        tail = room - head;
    memmove(err->text + head, err->text, tail);
    memcpy(err->text, place.text, head);
    err->text[head + tail] = '\0';
    return err->status;
}
