/* The calls under way in a thread. */
#pragma once
#include "runtime/runtime.h"

/* Logs them, the innermost first. */
void frames_log(void);

/* The innermost place in instrumented code, for a call that came from a library; `pc` itself if there is none.
 * `*frame`: its frame pointer, or 0. */
uintptr_t frames_caller(uintptr_t pc, uintptr_t *frame);

/* Whether the function whose code goes on at `pc`, and which is under way, keeps its frame pointer, and that is `frame`: for the
 * thread that has the turn. What it says of a place is true of it for ever. */
bool frames_ends_at(uintptr_t frame, uintptr_t pc);
