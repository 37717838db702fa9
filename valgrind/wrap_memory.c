/* Memory and string functions called by the program: what they read and write is accesses of the caller.
 *
 * The program finds these before the C library's own, which stay as they are for the libraries that were bound
 * to them. Copies and fills are made by the tool, so that nothing comes between them and their records. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "requests.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))
#define CALLER ((unsigned long)__builtin_return_address(0))

static void *copy(void *to, const void *from, size_t length, unsigned long pc)
{
    char *target = to;
    const char *source = from;

    if (length == 0 || HEDDLE_ASK(HEDDLE_COPY, to, from, length, pc))
        return to;
    if (target < source) /* not the program's memory: let it see what comes of it */
        for (size_t i = 0; i < length; i++)
            ((volatile char *)target)[i] = source[i];
    else
        for (size_t i = length; i-- > 0;)
            ((volatile char *)target)[i] = source[i];
    return to;
}

EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t length)
{
    return copy(to, from, length, CALLER);
}

EXPORT void *memmove(void *to, const void *from, size_t length)
{
    return copy(to, from, length, CALLER);
}

EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t length)
{
    return (char *)copy(to, from, length, CALLER) + length;
}

EXPORT void *memset(void *to, int byte, size_t length)
{
    if (length == 0 || HEDDLE_ASK(HEDDLE_FILL, to, byte, length, CALLER))
        return to;
    for (size_t i = 0; i < length; i++)
        ((volatile char *)to)[i] = (char)byte;
    return to;
}

static void note_read(const void *at, size_t length, unsigned long pc)
{
    if (length > 0)
        (void)HEDDLE_ASK(HEDDLE_READ, at, length, pc, 0);
}

EXPORT int memcmp(const void *a, const void *b, size_t length)
{
    const unsigned char *x = a, *y = b;
    size_t same = 0;

    while (same < length && x[same] == y[same])
        same++;
    note_read(a, same + (same < length), CALLER);
    note_read(b, same + (same < length), CALLER);
    return same == length ? 0 : x[same] - y[same];
}

EXPORT void *memchr(const void *in, int byte, size_t length)
{
    const unsigned char *x = in;
    size_t at = 0;

    while (at < length && x[at] != (unsigned char)byte)
        at++;
    note_read(in, at + (at < length), CALLER);
    return at < length ? (void *)(x + at) : NULL;
}

static size_t block_length(const char *text, size_t most)
{
    size_t length = 0;

    while (length < most && text[length])
        length++;
    return length;
}

EXPORT size_t strlen(const char *text)
{
    size_t length = block_length(text, SIZE_MAX);

    note_read(text, length + 1, CALLER);
    return length;
}

EXPORT size_t strnlen(const char *text, size_t most)
{
    size_t length = block_length(text, most);

    note_read(text, length + (length < most), CALLER);
    return length;
}

static int compare(const char *a, const char *b, size_t most, unsigned long pc)
{
    size_t same = 0;

    while (same < most && a[same] == b[same] && a[same])
        same++;
    note_read(a, same + (same < most), pc);
    note_read(b, same + (same < most), pc);
    return same == most ? 0 : (unsigned char)a[same] - (unsigned char)b[same];
}

EXPORT int strcmp(const char *a, const char *b)
{
    return compare(a, b, SIZE_MAX, CALLER);
}

EXPORT int strncmp(const char *a, const char *b, size_t most)
{
    return compare(a, b, most, CALLER);
}

EXPORT char *strchr(const char *in, int byte)
{
    size_t at = 0;

    while (in[at] && in[at] != (char)byte)
        at++;
    note_read(in, at + 1, CALLER);
    return in[at] == (char)byte ? (char *)(in + at) : NULL;
}

EXPORT char *strrchr(const char *in, int byte)
{
    size_t length = block_length(in, SIZE_MAX);

    note_read(in, length + 1, CALLER);
    for (size_t at = length + 1; at-- > 0;)
        if (in[at] == (char)byte)
            return (char *)(in + at);
    return NULL;
}

EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    return copy(to, from, block_length(from, SIZE_MAX) + 1, CALLER);
}

EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    size_t length = block_length(from, SIZE_MAX);

    copy(to, from, length + 1, CALLER);
    return to + length;
}

EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t most)
{
    size_t length = block_length(from, most);

    copy(to, from, length + (length < most), CALLER);
    if (length + 1 < most && !HEDDLE_ASK(HEDDLE_FILL, to + length + 1, 0, most - length - 1, CALLER))
        for (size_t i = length + 1; i < most; i++)
            ((volatile char *)to)[i] = '\0';
    return to;
}

static char *append(char *to, const char *from, size_t length, unsigned long pc)
{
    size_t before = block_length(to, SIZE_MAX);

    note_read(to, before + 1, pc);
    copy(to + before, from, length, pc);
    (void)HEDDLE_ASK(HEDDLE_FILL, to + before + length, 0, 1, pc);
    return to;
}

EXPORT char *strcat(char *restrict to, const char *restrict from)
{
    return append(to, from, block_length(from, SIZE_MAX), CALLER);
}

EXPORT char *strncat(char *restrict to, const char *restrict from, size_t most)
{
    return append(to, from, block_length(from, most), CALLER);
}

EXPORT char *strstr(const char *in, const char *what)
{
    size_t length = block_length(what, SIZE_MAX), at = 0, same = 0;

    for (;; at++) {
        for (same = 0; same < length && in[at + same] == what[same]; same++)
            ;
        if (same == length || !in[at])
            break;
    }
    note_read(what, length + 1, CALLER);
    note_read(in, at + same + (same < length), CALLER);
    return same == length ? (char *)(in + at) : NULL;
}

static char *duplicate(const char *text, size_t length, size_t read, unsigned long pc)
{
    char *made = malloc(length + 1);

    if (!made)
        return NULL;
    copy(made, text, length, pc);
    note_read(text + length, read - length, pc);
    (void)HEDDLE_ASK(HEDDLE_FILL, made + length, 0, 1, pc);
    return made;
}

EXPORT char *strdup(const char *text)
{
    size_t length = block_length(text, SIZE_MAX);

    return duplicate(text, length, length + 1, CALLER);
}

EXPORT char *strndup(const char *text, size_t most)
{
    size_t length = block_length(text, most);

    return duplicate(text, length, length + (length < most), CALLER);
}
