/* The calls under way in the calling thread, for the names of its local variables. */
#include "runtime/frames.h"

#include <unwind.h>

enum { FRAMES_MAX = 64 };

/* The unwinder's "canonical frame address" is that of the function called from here: our stack pointer. */
static _Unwind_Reason_Code log_frame(struct _Unwind_Context *context, void *data)
{
    uintptr_t pc = _Unwind_GetIP(context), low = _Unwind_GetCFA(context);
    unsigned *left = data;

    if (pc >= rt.text && pc < rt.text_end)
        return _URC_NO_REASON;
    log_emit(RECORD_FRAME, (const void *)low, pc, 1);
    return --*left > 0 ? _URC_NO_REASON : _URC_END_OF_STACK;
}

void frames_log(void)
{
    unsigned left = FRAMES_MAX;

    if (rt.mode == SESSION_MARK)
        return;
    log_emit(RECORD_FRAME, NULL, 0, 0);
    _Unwind_Backtrace(log_frame, &left);
}

enum { FRAME_REGISTER = 6 }; /* rbp, by DWARF's numbers */

struct caller {
    uintptr_t pc, frame;
};

static _Unwind_Reason_Code find_caller(struct _Unwind_Context *context, void *data)
{
    struct caller *found = data;

    if (!module_instrumented(_Unwind_GetIP(context)))
        return _URC_NO_REASON;
    found->pc = _Unwind_GetIP(context);
    found->frame = _Unwind_GetGR(context, FRAME_REGISTER);
    return _URC_END_OF_STACK;
}

uintptr_t frames_caller(uintptr_t pc, uintptr_t *frame)
{
    struct caller found = {.pc = pc};

    _Unwind_Backtrace(find_caller, &found);
    *frame = found.frame;
    return found.pc;
}
