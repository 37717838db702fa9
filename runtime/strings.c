/* More functions on strings and arrays: searching, splitting, converting, sorting. */
#include "touching.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void touch_text(const char *text, uintptr_t pc)
{
    touch_read(text, real.strlen(text) + 1, pc);
}

EXPORT void *memrchr(const void *in, int byte, size_t length)
{
    uintptr_t pc = CALLER;
    const char *found;
    bool see;

    FIND_REAL(memrchr);
    see = length && touch_seen(pc, length);
    found = real.memrchr(in, byte, length);
    if (see)
        touch_read(found ? found : in, found ? length - (size_t)(found - (const char *)in) : length, pc);
    return (void *)found;
}

EXPORT void *rawmemchr(const void *in, int byte)
{
    uintptr_t pc = CALLER;
    const char *found;
    bool see;

    FIND_REAL(rawmemchr);
    see = touch_seen(pc, 16);
    found = real.rawmemchr(in, byte);
    if (see)
        touch_read(in, (size_t)(found - (const char *)in) + 1, pc);
    return (void *)found;
}

EXPORT char *strchrnul(const char *in, int byte)
{
    uintptr_t pc = CALLER;
    char *found;
    bool see;

    FIND_REAL(strchrnul);
    see = touch_seen(pc, 16);
    found = real.strchrnul(in, byte);
    if (see)
        touch_read(in, (size_t)(found - in) + 1, pc);
    return found;
}

EXPORT void *memmem(const void *in, size_t length, const void *what, size_t size)
{
    uintptr_t pc = CALLER;
    const char *found;
    bool see;

    FIND_REAL(memmem);
    see = length && touch_seen(pc, length);
    found = real.memmem(in, length, what, size);
    if (see) {
        touch_read(what, size, pc);
        touch_read(in, found ? (size_t)(found - (const char *)in) + size : length, pc);
    }
    return (void *)found;
}

EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t length)
{
    uintptr_t pc = CALLER;
    char *end;
    bool see;

    FIND_REAL(memccpy);
    see = length && touch_seen(pc, length);
    if (see) {
        const char *last = real.memchr(from, byte, length);
        size_t moved = last ? (size_t)(last - (const char *)from) + 1 : length;
        touch_read(from, moved, pc);
        touch_write(to, moved, pc);
    }
    end = real.memccpy(to, from, byte, length);
    return end;
}

/* Both strings up to where they differ; `same` tells how far that is. */
static void touch_both(const char *a, const char *b, size_t most, uintptr_t pc)
{
    size_t same = 0;

    while (same < most && (a[same] | 32) == (b[same] | 32) && a[same])
        same++;
    same += same < most;
    touch_read(a, same, pc);
    touch_read(b, same, pc);
}

EXPORT int strcasecmp(const char *a, const char *b)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strcasecmp);
    if (touch_seen(pc, 16))
        touch_both(a, b, SIZE_MAX, pc);
    return real.strcasecmp(a, b);
}

EXPORT int strncasecmp(const char *a, const char *b, size_t most)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strncasecmp);
    if (touch_seen(pc, 16))
        touch_both(a, b, most, pc);
    return real.strncasecmp(a, b, most);
}

#define SPAN(name)                                                                                             \
    EXPORT size_t name(const char *text, const char *set)                                                      \
    {                                                                                                          \
        uintptr_t pc = CALLER;                                                                                 \
        size_t length;                                                                                         \
        bool see;                                                                                              \
        FIND_REAL(name);                                                                                       \
        see = touch_seen(pc, 16);                                                                              \
        length = real.name(text, set);                                                                         \
        if (see) {                                                                                             \
            touch_text(set, pc);                                                                               \
            touch_read(text, length + 1, pc);                                                                  \
        }                                                                                                      \
        return length;                                                                                         \
    }

SPAN(strspn)
SPAN(strcspn)

EXPORT char *strpbrk(const char *text, const char *set)
{
    uintptr_t pc = CALLER;
    char *found;
    bool see;

    FIND_REAL(strpbrk);
    see = touch_seen(pc, 16);
    found = real.strpbrk(text, set);
    if (see) {
        touch_text(set, pc);
        touch_read(text, found ? (size_t)(found - text) + 1 : real.strlen(text) + 1, pc);
    }
    return found;
}

/* What a split looked at and cut: from `start` to the end of the token. */
static void touch_token(const char *start, const char *token, const char *set, uintptr_t pc)
{
    touch_text(set, pc);
    if (!token) {
        touch_text(start, pc);
        return;
    }
    size_t length = real.strlen(token);
    touch_read(start, (size_t)(token - start) + length + 1, pc);
    touch_write(token + length, 1, pc);
}

EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
    uintptr_t pc = CALLER;
    const char *start;
    char *token;
    bool see;

    FIND_REAL(strtok_r);
    see = touch_seen(pc, 16);
    if (see && !text)
        touch_read(rest, sizeof *rest, pc);
    start = text ? text : *rest;
    token = real.strtok_r(text, set, rest);
    if (see && start)
        touch_token(start, token, set, pc);
    if (see)
        touch_write(rest, sizeof *rest, pc);
    return token;
}

/* The place strtok remembers is one for all threads. */
static char *strtok_position;

EXPORT char *strtok(char *restrict text, const char *restrict set)
{
    uintptr_t pc = CALLER;
    const char *start;
    char *token;
    bool see;

    FIND_REAL(strtok_r);
    see = touch_seen(pc, 16);
    if (see && !text)
        touch_read((const void *)&strtok_position, sizeof strtok_position, pc);
    start = text ? text : strtok_position;
    token = real.strtok_r(text, set, &strtok_position);
    if (see && start)
        touch_token(start, token, set, pc);
    if (see)
        touch_write((const void *)&strtok_position, sizeof strtok_position, pc);
    return token;
}

EXPORT char *strsep(char **restrict text, const char *restrict set)
{
    uintptr_t pc = CALLER;
    char *token;
    bool see;

    FIND_REAL(strsep);
    see = touch_seen(pc, 16);
    if (see)
        touch_read((const void *)text, sizeof *text, pc);
    token = real.strsep(text, set);
    if (see && token)
        touch_token(token, token, set, pc);
    if (see)
        touch_write((const void *)text, sizeof *text, pc);
    return token;
}

/* Numbers in texts. The text is read up to the byte that ended the number. */
#define CONVERT(type, name, parameters, arguments)                                                             \
    EXPORT type name parameters                                                                                \
    {                                                                                                          \
        uintptr_t pc = CALLER;                                                                                 \
        char *stopped, **end = &stopped;                                                                       \
        bool see;                                                                                              \
        type result;                                                                                           \
        FIND_REAL(name);                                                                                       \
        see = touch_seen(pc, 16);                                                                              \
        result = real.name arguments;                                                                          \
        if (see) {                                                                                             \
            touch_read(text, (size_t)(stopped - text) + 1, pc);                                                \
            if (to)                                                                                            \
                touch_write((const void *)to, sizeof *to, pc);                                                 \
        }                                                                                                      \
        if (to)                                                                                                \
            *to = stopped;                                                                                     \
        return result;                                                                                         \
    }

CONVERT(long, strtol, (const char *restrict text, char **restrict to, int base), (text, end, base))
CONVERT(unsigned long, strtoul, (const char *restrict text, char **restrict to, int base), (text, end, base))
CONVERT(long long, strtoll, (const char *restrict text, char **restrict to, int base), (text, end, base))
CONVERT(unsigned long long, strtoull, (const char *restrict text, char **restrict to, int base),
        (text, end, base))
CONVERT(double, strtod, (const char *restrict text, char **restrict to), (text, end))
CONVERT(float, strtof, (const char *restrict text, char **restrict to), (text, end))

static long whole_number(const char *text, uintptr_t pc)
{
    char *stopped;
    bool see;
    long result;

    FIND_REAL(strtol);
    see = touch_seen(pc, 16);
    result = real.strtol(text, &stopped, 10);
    if (see)
        touch_read(text, (size_t)(stopped - text) + 1, pc);
    return result;
}

EXPORT int atoi(const char *text)
{
    return (int)whole_number(text, CALLER);
}

EXPORT long atol(const char *text)
{
    return whole_number(text, CALLER);
}

EXPORT long long atoll(const char *text)
{
    return whole_number(text, CALLER);
}

EXPORT double atof(const char *text)
{
    uintptr_t pc = CALLER;
    char *stopped;
    bool see;
    double result;

    FIND_REAL(strtod);
    see = touch_seen(pc, 16);
    result = real.strtod(text, &stopped);
    if (see)
        touch_read(text, (size_t)(stopped - text) + 1, pc);
    return result;
}

/* Sorting moves elements out of sight while the program's own function compares them. */
EXPORT void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *))
{
    uintptr_t pc = CALLER;

    FIND_REAL(qsort);
    if (count && touch_seen(pc, count * size)) {
        touch_read(base, count * size, pc);
        touch_write(base, count * size, pc);
    }
    real.qsort(base, count, size, compare);
    if (count && touch_seen(pc, count * size))
        touch_write(base, count * size, pc);
}

EXPORT void bzero(void *to, size_t length)
{
    FIND_REAL(memset);
    if (length && touch_seen(CALLER, length))
        touch_write(to, length, CALLER);
    real.memset(to, 0, length);
}

EXPORT void explicit_bzero(void *to, size_t length)
{
    FIND_REAL(memset);
    if (length && touch_seen(CALLER, length))
        touch_write(to, length, CALLER);
    real.memset(to, 0, length);
}
