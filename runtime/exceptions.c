/* C++ exceptions that threads hand to each other: std::exception_ptr, and what futures make of it.
 *
 * An exception counts who holds it, in the C++ library, where nobody sees it. Whoever lets go last destroys it,
 * and comes after all that the others did with it. */
#include "objects.h"
#include "sched.h"

#include <unwind.h>

enum { HEADER = 128, COUNTED = 16 }; /* before the exception: its count first, what the unwinder knows last */

/* The classes of the GNU library's exceptions: thrown, and thrown again from an exception_ptr. */
static const uint64_t thrown = UINT64_C(0x474e5543432b2b00), thrown_again = UINT64_C(0x474e5543432b2b01);

/* An exception that is thrown again has a header of its own, which begins with where the exception is. */
static const uint32_t *count_of(const struct _Unwind_Exception *unwound)
{
    const char *exception = (const char *)(unwound + 1);

    if (unwound->exception_class == thrown_again)
        exception = *(const char *const *)(const void *)(exception - HEADER + COUNTED);
    else if (unwound->exception_class != thrown)
        return NULL;
    return (const uint32_t *)(const void *)(exception - HEADER);
}

/* The thread is about to let go: no hook comes before it has. */
static void let_go(const uint32_t *count, uintptr_t pc)
{
    if (!count || !sync_enter(pc))
        return;
    call_after(object_at(count)->given_up, pc);
    if (__atomic_load_n(count, __ATOMIC_RELAXED) > 1)
        object_at(count)->given_up = call_note(pc);
    else
        object_renew(count);
    sync_leave();
}

EXPORT void _Unwind_DeleteException(struct _Unwind_Exception *unwound)
{
    let_go(count_of(unwound), CALLER);
    if (unwound->exception_cleanup)
        unwound->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwound);
}

/* std::exception_ptr::_M_release: to let go is what the unwinder does with an exception that was caught. */
EXPORT void release_exception(void **pointer) __asm__("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv");

void release_exception(void **pointer)
{
    struct _Unwind_Exception *unwound = *pointer;

    if (!unwound)
        return;
    unwound--;
    let_go(count_of(unwound), CALLER);
    unwound->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwound);
    *pointer = NULL;
}
