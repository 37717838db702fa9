/* Rows of numbers. */
#include "base/row.h"

/* ThreadSanitizer hooks the resolver that picks a clone, which runs before the sanitizer is ready. Other processors than x86 have
 * one kind of vector. */
#if defined(__x86_64__) && !defined(__SANITIZE_THREAD__)
#define CLONED __attribute__((target_clones("avx2", "default")))
#else
#define CLONED
#endif

CLONED bool row_raise(uint32_t *restrict to, const uint32_t *restrict from, uint32_t count)
{
    uint32_t changed = 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t more = from[i] > to[i] ? from[i] : to[i];
        changed |= more ^ to[i];
        to[i] = more;
    }
    return changed != 0;
}

CLONED void row_larger(uint32_t *restrict to, const uint32_t *restrict a, const uint32_t *restrict b,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        to[i] = a[i] > b[i] ? a[i] : b[i];
}
