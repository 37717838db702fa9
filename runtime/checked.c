/* The forms of memory and string functions that check bounds, which programs built with -D_FORTIFY_SOURCE call.
 */
#include "touching.h"

#include <string.h>

/* The checked forms: as the plain ones, called on behalf of the same place. */
static void check(size_t wanted, size_t known)
{
    FIND_REAL(__chk_fail);
    if (wanted > known)
        real.__chk_fail();
}

static void moved(void *to, const void *from, size_t length, uintptr_t pc)
{
    FIND_REAL(memmove);
    if (length && touch_seen(pc, length)) {
        touch_read(from, length, pc);
        touch_write(to, length, pc);
    }
    real.memmove(to, from, length);
}

EXPORT void *__memcpy_chk(void *to, const void *from, size_t length, size_t known)
{
    check(length, known);
    moved(to, from, length, CALLER);
    return to;
}

EXPORT void *__memmove_chk(void *to, const void *from, size_t length, size_t known)
{
    check(length, known);
    moved(to, from, length, CALLER);
    return to;
}

EXPORT void *__mempcpy_chk(void *to, const void *from, size_t length, size_t known)
{
    check(length, known);
    moved(to, from, length, CALLER);
    return (char *)to + length;
}

EXPORT void *__memset_chk(void *to, int byte, size_t length, size_t known)
{
    check(length, known);
    if (length && touch_seen(CALLER, length))
        touch_write(to, length, CALLER);
    return real.memset(to, byte, length);
}

EXPORT char *__strcpy_chk(char *to, const char *from, size_t known)
{
    size_t length;

    FIND_REAL(strlen);
    length = real.strlen(from) + 1;
    check(length, known);
    moved(to, from, length, CALLER);
    return to;
}

EXPORT char *__stpcpy_chk(char *to, const char *from, size_t known)
{
    size_t length;

    FIND_REAL(strlen);
    length = real.strlen(from) + 1;
    check(length, known);
    moved(to, from, length, CALLER);
    return to + length - 1;
}

EXPORT char *__strncpy_chk(char *to, const char *from, size_t most, size_t known)
{
    check(most, known);
    if (most && touch_seen(CALLER, most)) {
        size_t length = real.strnlen(from, most);
        touch_read(from, length < most ? length + 1 : most, CALLER);
        touch_write(to, most, CALLER);
    }
    return real.strncpy(to, from, most);
}

/* `looked_at`: bytes of `from`, with the one that ends it if there is any. */
static char *appended(char *to, const char *from, size_t length, size_t looked_at, size_t known, uintptr_t pc)
{
    size_t before = real.strlen(to);

    check(before + length + 1, known);
    if (touch_seen(pc, 16)) {
        touch_read(to, before + 1, pc);
        touch_read(from, looked_at, pc);
        touch_write(to + before, length + 1, pc);
    }
    real.memmove(to + before, from, length);
    to[before + length] = '\0';
    return to;
}

EXPORT char *__strcat_chk(char *to, const char *from, size_t known)
{
    size_t length;

    FIND_REAL(strlen);
    length = real.strlen(from);
    return appended(to, from, length, length + 1, known, CALLER);
}

EXPORT char *__strncat_chk(char *to, const char *from, size_t most, size_t known)
{
    size_t length;

    FIND_REAL(strnlen);
    length = real.strnlen(from, most);
    return appended(to, from, length, length < most ? length + 1 : length, known, CALLER);
}
