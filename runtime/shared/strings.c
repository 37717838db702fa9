/* More functions on strings and arrays: searching, splitting, converting, sorting. */
#include "runtime/shared/touching.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void touch_text(const char *text, uintptr_t pc)
{
    touch_read(text, real.strlen(text) + 1, pc);
}

void touch_compared(const char *a, const char *b, size_t most, bool fold, uintptr_t pc)
{
    size_t same = 0;

    while (same < most && a[same] &&
           (a[same] == b[same] || (fold && tolower((unsigned char)a[same]) == tolower((unsigned char)b[same]))))
        same++;
    same += same < most;
    touch_read(a, same, pc);
    touch_read(b, same, pc);
}

void touch_matched(const void *a, const void *b, size_t length, uintptr_t pc)
{
    const unsigned char *x = a, *y = b;
    size_t same = 0;

    while (same < length && x[same] == y[same])
        same++;
    same += same < length;
    touch_read(a, same, pc);
    touch_read(b, same, pc);
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

EXPORT int strcasecmp(const char *a, const char *b)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strcasecmp);
    if (touch_seen(pc, 16))
        touch_compared(a, b, SIZE_MAX, true, pc);
    return real.strcasecmp(a, b);
}

EXPORT int strncasecmp(const char *a, const char *b, size_t most)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strncasecmp);
    if (touch_seen(pc, 16))
        touch_compared(a, b, most, true, pc);
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

/* What a split is about to look at and cut; `skip`: separators in front are passed over. */
static void touch_split(const char *start, const char *set, bool skip, uintptr_t pc)
{
    FIND_REAL(strspn);
    size_t length = skip ? real.strspn(start, set) : 0;

    length += real.strcspn(start + length, set);
    touch_text(set, pc);
    touch_read(start, length + 1, pc);
    if (start[length])
        touch_write(start + length, 1, pc);
}

static char *split(char *text, const char *set, char **rest, uintptr_t pc)
{
    const char *start;

    FIND_REAL(strtok_r);
    if (touch_seen(pc, 16)) {
        if (!text)
            touch_read((const void *)rest, sizeof *rest, pc);
        start = text ? text : *rest;
        if (start)
            touch_split(start, set, true, pc);
        touch_write((const void *)rest, sizeof *rest, pc);
    }
    return real.strtok_r(text, set, rest);
}

EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict rest)
{
    return split(text, set, rest, CALLER);
}

/* The place strtok remembers is one for all threads. */
static char *strtok_position;

EXPORT char *strtok(char *restrict text, const char *restrict set)
{
    return split(text, set, &strtok_position, CALLER);
}

EXPORT char *strsep(char **restrict text, const char *restrict set)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strsep);
    if (touch_seen(pc, 16)) {
        touch_read((const void *)text, sizeof *text, pc);
        if (*text) {
            touch_split(*text, set, false, pc);
            touch_write((const void *)text, sizeof *text, pc);
        }
    }
    return real.strsep(text, set);
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
    if (count > 1 && touch_seen(pc, count * size)) {
        touch_read(base, count * size, pc);
        touch_write(base, count * size, pc);
    }
    real.qsort(base, count, size, compare);
    if (count > 1 && touch_seen(pc, count * size))
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
