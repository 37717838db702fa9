/* C++ exceptions that threads hand to each other: std::exception_ptr, and what futures make of it.
 *
 * An exception has a reference count inside the C++ library, which is not instrumented. The thread that drops
 * the last reference destroys it, and comes after everything that other threads did with it. */
#include "runtime/sched/sched.h"
#include "runtime/shared/thrown.h"
#include "runtime/sync/objects.h"

/* The thread is about to drop its reference: no hook comes in between. */
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
    let_go(thrown_count(unwound), CALLER);
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
    let_go(thrown_count(unwound), CALLER);
    unwound->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, unwound);
    *pointer = NULL;
}
