/* Where the GNU C++ library keeps the reference count of an exception, for both recorders. */
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <unwind.h>

enum { THROWN_HEADER = 128, THROWN_COUNTED = 16 }; /* its count first, what the unwinder knows last */

/* The classes of the library's exceptions: thrown, and thrown again from an exception_ptr. */
#define THROWN       UINT64_C(0x474e5543432b2b00)
#define THROWN_AGAIN UINT64_C(0x474e5543432b2b01)

/* NULL when it is of another library. An exception that is thrown again has a header of its own, which begins
 * with where the exception is. */
static inline const uint32_t *thrown_count(const struct _Unwind_Exception *unwound)
{
    const char *exception = (const char *)(unwound + 1);

    if (unwound->exception_class == THROWN_AGAIN)
        exception = *(const char *const *)(const void *)(exception - THROWN_HEADER + THROWN_COUNTED);
    else if (unwound->exception_class != THROWN)
        return NULL;
    return (const uint32_t *)(const void *)(exception - THROWN_HEADER);
}
