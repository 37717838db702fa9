/* Where local variables end: to other threads that know of them that is a write.
 *
 * gcc's plugin tells of each variable that others may know of, and of memory of variable size on the stack. Other code tells
 * where its functions end; their frames then matter if something of them was recorded. */
#include "runtime/access.h"
#include "runtime/frames.h"

void __heddle_scope_end(const void *variable, size_t length);
void __heddle_stack_end(const void *end);

static void variable_ends(const void *variable, size_t length, uintptr_t pc)
{
    bool touched;

    hot.wrote = false;
    hot.budget--;
    if (UNLIKELY(!local.self || rt.mode == SESSION_OFF) && !hook_turn(false))
        return;
    touched = (rt.mode == SESSION_ALL && !rt.trial) ||
              shadow_wants_touched((uint64_t)(uintptr_t)variable, length) || rt.mode == SESSION_ALL;
    if (touched && with_turn(false))
        log_scope_end(variable, length, FREED_VARIABLE, pc);
    else if (!touched && hot.budget < 0)
        hook_beyond(false);
}

/* Before a local variable ends whose address others may know. */
EXPORT void __heddle_scope_end(const void *variable, size_t length)
{
    variable_ends(variable, length, CALLER);
}

/* Before a function gives back what it has on the stack below `end`: all between that and the frame of this hook. */
EXPORT void __heddle_stack_end(const void *end)
{
    const struct call_link *hook = (const struct call_link *)__builtin_frame_address(0);

    if ((const void *)(hook + 1) < end)
        variable_ends(hook + 1, (size_t)((const char *)end - (const char *)(hook + 1)), CALLER);
}

/* What gcc calls, and code of libraries: not only where a function ends (linked/frame_hooks.c). */
EXPORT void __tsan_func_entry(void *pc)
{
    (void)pc;
}

EXPORT void __tsan_func_exit(void)
{
}

/* Without the turn nobody knows what others may look at by now: that is asked after it. */
void heddle_frame_end_1(const struct call_link *hook, uintptr_t pc)
{
    uintptr_t low = (uintptr_t)(hook + 1), end = (uintptr_t)hook->outer;
    bool kept;

    hot.wrote = false;
    hot.budget--;
    if (UNLIKELY(!local.self || rt.mode == SESSION_OFF) && !hook_turn(false))
        return;
    low = low < hot_lowest ? hot_lowest : low;
    kept = low < end && (rt.mode == SESSION_ALL || shadow_any(low, end - low));
    if ((kept || rt.mode == SESSION_ALL) && !with_turn(false))
        return;
    if (kept && frames_ends_at(end, pc)) {
        log_scope_end((const void *)low, end - low, FREED_FRAME, pc); // NOLINT(performance-no-int-to-ptr)
        hot_lowest = end;
    } else if (rt.mode == SESSION_ALL) {
        session_store(&rt.session->bare, rt.session->bare + 1);
    } else if (!kept && hot.budget < 0) {
        hook_beyond(false);
    }
}
