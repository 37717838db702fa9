/* The forms of memory and string functions that check bounds, which programs built with -D_FORTIFY_SOURCE call.
 */
#include "runtime/shared/touching.h"

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

/* Measured at the thread's turn: nothing comes between that and the copying. */
static size_t copied_text(char *to, const char *from, size_t known, uintptr_t pc)
{
    size_t length;

    FIND_REAL(strlen);
    bool see = touch_seen(pc, 16);
    length = real.strlen(from);
    check(length + 1, known);
    if (see) {
        touch_read(from, length + 1, pc);
        touch_write(to, length + 1, pc);
    }
    real.memmove(to, from, length + 1);
    return length;
}

EXPORT char *__strcpy_chk(char *to, const char *from, size_t known)
{
    copied_text(to, from, known, CALLER);
    return to;
}

EXPORT char *__stpcpy_chk(char *to, const char *from, size_t known)
{
    return to + copied_text(to, from, known, CALLER);
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

char *touch_append(char *to, const char *from, size_t most, size_t known, uintptr_t pc)
{
    size_t before, length;

    FIND_REAL(strnlen);
    bool see = touch_seen(pc, 16);
    before = real.strlen(to);
    length = real.strnlen(from, most);
    check(before + length + 1, known);
    if (see) {
        touch_read(to, before + 1, pc);
        touch_read(from, length < most ? length + 1 : most, pc);
        touch_write(to + before, length + 1, pc);
    }
    real.memmove(to + before, from, length);
    to[before + length] = '\0';
    return to;
}

EXPORT char *__strcat_chk(char *to, const char *from, size_t known)
{
    return touch_append(to, from, SIZE_MAX, known, CALLER);
}

EXPORT char *__strncat_chk(char *to, const char *from, size_t most, size_t known)
{
    return touch_append(to, from, most, known, CALLER);
}
