/* Functions on bytes, texts and arrays under their other names, and for wide characters. */
#include "runtime/shared/touching.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>
#include <wchar.h>

static void move(void *to, const void *from, size_t length, uintptr_t pc)
{
    FIND_REAL(memmove);
    if (length && touch_seen(pc, length)) {
        touch_read(from, length, pc);
        touch_write(to, length, pc);
    }
    real.memmove(to, from, length);
}

EXPORT void bcopy(const void *from, void *to, size_t length)
{
    move(to, from, length, CALLER);
}

EXPORT int bcmp(const void *a, const void *b, size_t length)
{
    uintptr_t pc = CALLER;

    FIND_REAL(memcmp);
    if (length && touch_seen(pc, length))
        touch_matched(a, b, length, pc);
    return real.memcmp(a, b, length);
}

EXPORT char *index(const char *in, int byte)
{
    uintptr_t pc = CALLER;
    char *found;

    FIND_REAL(strchr);
    bool see = touch_seen(pc, 16);
    found = real.strchr(in, byte);
    if (see)
        touch_read(in, found ? (size_t)(found - in) + 1 : real.strlen(in) + 1, pc);
    return found;
}

EXPORT char *rindex(const char *in, int byte)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strrchr);
    if (touch_seen(pc, 16))
        touch_text(in, pc);
    return real.strrchr(in, byte);
}

EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t most)
{
    uintptr_t pc = CALLER;
    size_t length;

    FIND_REAL(strncpy);
    bool see = most && touch_seen(pc, most);
    length = real.strnlen(from, most);
    if (see) {
        touch_read(from, length < most ? length + 1 : most, pc);
        touch_write(to, most, pc);
    }
    real.strncpy(to, from, most);
    return to + length;
}

/* Bytes are exchanged two by two; the last of an odd number is left alone. */
EXPORT void swab(const void *restrict from, void *restrict to, ssize_t count)
{
    uintptr_t pc = CALLER;
    size_t length = count > 1 ? (size_t)count & ~(size_t)1 : 0;
    const char *source = from;
    char *target = to;

    if (length && touch_seen(pc, length)) {
        touch_read(from, length, pc);
        touch_write(to, length, pc);
    }
    for (size_t i = 0; i < length; i += 2) {
        char first = source[i];
        target[i] = source[i + 1];
        target[i + 1] = first;
    }
}

EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count)
{
    move(to, from, count * sizeof *to, CALLER);
    return to;
}

EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t count)
{
    move(to, from, count * sizeof *to, CALLER);
    return to;
}

EXPORT wchar_t *wmempcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t count)
{
    move(to, from, count * sizeof *to, CALLER);
    return to + count;
}

EXPORT wchar_t *wmemset(wchar_t *to, wchar_t what, size_t count)
{
    FIND_REAL(wmemset);
    if (count && touch_seen(CALLER, count * sizeof *to))
        touch_write(to, count * sizeof *to, CALLER);
    return real.wmemset(to, what, count);
}

EXPORT size_t wcslen(const wchar_t *text)
{
    uintptr_t pc = CALLER;
    size_t length;

    FIND_REAL(wcslen);
    bool see = touch_seen(pc, 16);
    length = real.wcslen(text);
    if (see)
        touch_read(text, (length + 1) * sizeof *text, pc);
    return length;
}

EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    uintptr_t pc = CALLER;
    size_t length;

    FIND_REAL(wcslen);
    bool see = touch_seen(pc, 16);
    length = (real.wcslen(from) + 1) * sizeof *to;
    if (see) {
        touch_read(from, length, pc);
        touch_write(to, length, pc);
    }
    real.memmove(to, from, length);
    return to;
}

/* As qsort in strings.c. */
EXPORT void qsort_r(void *base, size_t count, size_t size, int (*compare)(const void *, const void *, void *),
                    void *argument)
{
    uintptr_t pc = CALLER;

    FIND_REAL(qsort_r);
    if (count > 1 && touch_seen(pc, count * size)) {
        touch_read(base, count * size, pc);
        touch_write(base, count * size, pc);
    }
    real.qsort_r(base, count, size, compare, argument);
    if (count > 1 && touch_seen(pc, count * size))
        touch_write(base, count * size, pc);
}
