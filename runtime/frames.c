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

struct frame_search {
    uintptr_t pc, frame;
    bool passed, fits;
};

/* A function with a frame pointer has it point below its return address and the old frame pointer. */
static _Unwind_Reason_Code compare_frame(struct _Unwind_Context *context, void *data)
{
    struct frame_search *search = data;

    if (search->passed) {
        search->fits = _Unwind_GetCFA(context) == search->frame + sizeof(struct call_link);
        return _URC_END_OF_STACK;
    }
    search->passed = _Unwind_GetIP(context) == search->pc;
    return _URC_NO_REASON;
}

bool frames_ends_at(uintptr_t frame, uintptr_t pc)
{
    static struct known_place {
        uintptr_t pc;
        bool fits;
    } known[1 << 10];
    struct known_place *place = &known[pc % (sizeof known / sizeof *known)];

    INVARIANT(local.turn && !local.inside && pc != 0);
    if (place->pc != pc) {
        struct frame_search search = {.pc = pc, .frame = frame};
        local.inside = true; /* the unwinder has locks, which are none of the program's */
        _Unwind_Backtrace(compare_frame, &search);
        local.inside = false;
        *place = (struct known_place){pc, search.fits};
    }
    return place->fits;
}
