/* Memory and string functions called by instrumented code: what they read and write is accesses of the caller.
 */
#include "runtime/runtime.h"
#include "runtime/shadow.h"
#include "runtime/shared/real.h"
#include "runtime/shared/touching.h"

#include <string.h>
#include <wchar.h>

/* The caller's own accesses are hooked, too. */
bool touch_seen(uintptr_t pc, size_t length)
{
    return rt.ready && recording() && !local.inside && module_instrumented(pc) && touch_begin(length);
}

/* The same for what touches just the bytes it is told to: they may be the caller's own, which needs no turn. */
static bool seen_lightly(uintptr_t pc, size_t length)
{
    return rt.ready && recording() && !local.inside && module_instrumented(pc) && touch_lightly(length);
}

static bool seen_text(uintptr_t pc, const char *text)
{
    return seen_lightly(pc, 16) && touch_look_text(text);
}

/* A granule or two that are the thread's own, and hold no labels. */
static bool is_own(uint64_t address, size_t length, uint32_t bits, uint32_t mark)
{
    return (__atomic_load_n(shadow_of(address), __ATOMIC_RELAXED) & bits) == mark &&
           (__atomic_load_n(shadow_of(address + length - 1), __ATOMIC_RELAXED) & bits) == mark;
}

/* The everyday path of a hook, for the two accesses of a small copy: it leaves no trace but a count. */
static bool copies_own(const void *to, const void *from, size_t length, uintptr_t pc)
{
    if (length > 8 || hot.budget <= hot.floor || !module_instrumented(pc) ||
        !is_own((uint64_t)(uintptr_t)from, length, SHADOW_OWNER | SHADOW_LABELLED, hot.mark) ||
        !is_own((uint64_t)(uintptr_t)to, length, SHADOW_OWNER | SHADOW_WRITTEN | SHADOW_LABELLED,
                hot.mark_written))
        return false;
    hot.budget--;
    hot.wrote = false;
    return true;
}

static void *copy(void *to, const void *from, size_t length, uintptr_t pc)
{
    FIND_REAL(memmove);
    if (length && !copies_own(to, from, length, pc) && seen_lightly(pc, length)) {
        touch_read(from, length, pc);
        touch_write(to, length, pc);
    }
    return real.memmove(to, from, length);
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

static void *fill(void *to, int byte, size_t length, uintptr_t pc)
{
    FIND_REAL(memset);
    if (length && seen_lightly(pc, length))
        touch_write(to, length, pc);
    return real.memset(to, byte, length);
}

EXPORT void *memset(void *to, int byte, size_t length)
{
    return fill(to, byte, length, CALLER);
}

EXPORT void *__tsan_memcpy(void *to, const void *from, size_t length)
{
    return copy(to, from, length, CALLER);
}

EXPORT void *__tsan_memmove(void *to, const void *from, size_t length)
{
    return copy(to, from, length, CALLER);
}

EXPORT void *__tsan_memset(void *to, int byte, size_t length)
{
    return fill(to, byte, length, CALLER);
}

EXPORT int memcmp(const void *a, const void *b, size_t length)
{
    uintptr_t pc = CALLER;

    FIND_REAL(memcmp);
    if (length && seen_lightly(pc, length) && touch_look(a, length) && touch_look(b, length))
        touch_matched(a, b, length, pc);
    return real.memcmp(a, b, length);
}

EXPORT void *memchr(const void *in, int byte, size_t length)
{
    uintptr_t pc = CALLER;
    const char *found;

    FIND_REAL(memchr);
    bool see = length && seen_lightly(pc, length) && touch_look(in, length);
    found = real.memchr(in, byte, length);
    if (see)
        touch_read(in, found ? (size_t)(found - (const char *)in) + 1 : length, pc);
    return (void *)found;
}

EXPORT size_t strlen(const char *text)
{
    uintptr_t pc = CALLER;
    size_t length;

    FIND_REAL(strlen);
    bool see = seen_text(pc, text);
    length = real.strlen(text);
    if (see)
        touch_read(text, length + 1, pc);
    return length;
}

EXPORT size_t strnlen(const char *text, size_t most)
{
    uintptr_t pc = CALLER;
    size_t length;

    FIND_REAL(strnlen);
    bool see = touch_seen(pc, 16);
    length = real.strnlen(text, most);
    if (see)
        touch_read(text, length < most ? length + 1 : most, pc);
    return length;
}

EXPORT int strcmp(const char *a, const char *b)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strcmp);
    if (seen_text(pc, a) && touch_look_text(b))
        touch_compared(a, b, SIZE_MAX, false, pc);
    return real.strcmp(a, b);
}

EXPORT int strncmp(const char *a, const char *b, size_t most)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strncmp);
    if (seen_lightly(pc, 16) && touch_look(a, most) && touch_look(b, most))
        touch_compared(a, b, most, false, pc);
    return real.strncmp(a, b, most);
}

EXPORT char *strchr(const char *in, int byte)
{
    uintptr_t pc = CALLER;
    char *found;

    FIND_REAL(strchr);
    bool see = seen_text(pc, in);
    found = real.strchr(in, byte);
    if (see)
        touch_read(in, found ? (size_t)(found - in) + 1 : real.strlen(in) + 1, pc);
    return found;
}

EXPORT char *strrchr(const char *in, int byte)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strrchr);
    if (seen_text(pc, in))
        touch_read(in, real.strlen(in) + 1, pc);
    return real.strrchr(in, byte);
}

EXPORT char *strstr(const char *in, const char *what)
{
    uintptr_t pc = CALLER;
    char *found;

    FIND_REAL(strstr);
    bool see = seen_text(pc, in) && touch_look_text(what);
    found = real.strstr(in, what);
    if (see) {
        size_t length = real.strlen(what);
        touch_read(what, length + 1, pc);
        touch_read(in, found ? (size_t)(found - in) + length : real.strlen(in) + 1, pc);
    }
    return found;
}

/* Measured at the thread's turn: nothing comes between that and the copying. */
static size_t copy_text(char *to, const char *from, uintptr_t pc)
{
    size_t length;

    FIND_REAL(strlen);
    bool see = touch_seen(pc, 16);
    length = real.strlen(from);
    if (see) {
        touch_read(from, length + 1, pc);
        touch_write(to, length + 1, pc);
    }
    real.memmove(to, from, length + 1);
    return length;
}

EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    copy_text(to, from, CALLER);
    return to;
}

EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    return to + copy_text(to, from, CALLER);
}

EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t most)
{
    uintptr_t pc = CALLER;

    FIND_REAL(strncpy);
    if (most && touch_seen(pc, most)) {
        size_t length = real.strnlen(from, most);
        touch_read(from, length < most ? length + 1 : most, pc);
        touch_write(to, most, pc);
    }
    return real.strncpy(to, from, most);
}

EXPORT char *strcat(char *restrict to, const char *restrict from)
{
    return touch_append(to, from, SIZE_MAX, SIZE_MAX, CALLER);
}

EXPORT char *strncat(char *restrict to, const char *restrict from, size_t most)
{
    return touch_append(to, from, most, SIZE_MAX, CALLER);
}

/* The library's own would allocate with a caller nobody knows. Measured at the thread's turn, which it keeps
 * while it allocates. */
static char *duplicate(const char *text, size_t most, uintptr_t pc)
{
    uintptr_t before = local.alloc_pc;
    size_t length;
    char *copied;

    FIND_REAL(strnlen);
    bool see = touch_seen(pc, 16);
    length = real.strnlen(text, most);
    local.alloc_pc = pc;
    copied = runtime_allocate(length + 1);
    local.alloc_pc = before;
    if (!copied)
        return NULL;
    if (see) {
        touch_read(text, length < most ? length + 1 : most, pc);
        touch_write(copied, length + 1, pc);
    }
    real.memmove(copied, text, length);
    copied[length] = '\0';
    return copied;
}

EXPORT char *strdup(const char *text)
{
    return duplicate(text, SIZE_MAX, CALLER);
}

EXPORT char *strndup(const char *text, size_t most)
{
    return duplicate(text, most, CALLER);
}
