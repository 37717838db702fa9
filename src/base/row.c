/* Rows of numbers. */
#include "base/row.h"

/* Each loop is there once more for processors with wider vectors. No symbol is resolved for that when the program is loaded: the
 * static library could not keep such a symbol to itself. */
#if defined(__x86_64__) && __has_attribute(target)
#define WIDE __attribute__((target("avx2")))

static inline bool is_wide(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define WIDE

static inline bool is_wide(void)
{
    return false;
}
#endif

#define LOOP static inline __attribute__((always_inline))

/* Defines row_NAME from NAME; `give` is return, or nothing where there is nothing to return. */
#define BOTH(result, give, name, parameters, arguments)                                                        \
    WIDE static result name##_wide parameters                                                                  \
    {                                                                                                          \
        give name arguments;                                                                                   \
    }                                                                                                          \
                                                                                                               \
    result row_##name parameters                                                                               \
    {                                                                                                          \
        give is_wide() ? name##_wide arguments : name arguments;                                               \
    }

LOOP bool raise(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count)
{
    uint32_t changed = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = from[i] > to[i] ? from[i] : to[i];
        changed |= more ^ to[i];
        to[i] = more;
    }
    return changed != 0;
}

BOTH(bool, return, raise, (uint32_t *restrict to, const uint32_t *restrict from, uint32_t count),
     (to, from, count))

LOOP void larger(uint32_t *restrict to, const uint32_t *restrict a, const uint32_t *restrict b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = a[i] > b[i] ? a[i] : b[i];
}

BOTH(void, , larger,
     (uint32_t *restrict to, const uint32_t *restrict a, const uint32_t *restrict b, uint32_t count),
     (to, a, b, count))

enum { AT_ONCE = 32 };

/* Whether one of the first numbers is larger. */
LOOP bool block_is_larger(const uint32_t *restrict a, const uint32_t *restrict b)
{
    uint32_t larger = 0;

    for (uint32_t i = 0; i < AT_ONCE; i++)
        larger |= a[i] > b[i];
    return larger != 0;
}

LOOP uint32_t first_larger(const uint32_t *restrict a, const uint32_t *restrict b, uint32_t start,
                           uint32_t count)
{
    for (; start < count && a[start] <= b[start]; start++) {
        while (start % AT_ONCE == 0 && count - start >= AT_ONCE && !block_is_larger(a + start, b + start))
            start += AT_ONCE;
        if (start == count || a[start] > b[start])
            break;
    }
    return start;
}

BOTH(uint32_t, return, first_larger,
     (const uint32_t *restrict a, const uint32_t *restrict b, uint32_t start, uint32_t count),
     (a, b, start, count))

LOOP bool lower(uint32_t *restrict to, const uint32_t *restrict from, const uint32_t *restrict known,
                uint32_t count)
{
    uint32_t news = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t less = from[i] < to[i] ? from[i] : to[i];
        news |= less > known[i];
        to[i] = less;
    }
    return news != 0;
}

BOTH(bool, return, lower,
     (uint32_t *restrict to, const uint32_t *restrict from, const uint32_t *restrict known, uint32_t count),
     (to, from, known, count))
