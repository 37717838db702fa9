/* Calls on streams, made at the thread's turn. */
#pragma once
#include "runtime/runtime.h"

#include <stdio.h>

/* Whether the call is the program's own and to be recorded: it has the turn and the stream's lock then. */
bool stream_enter(FILE *stream, uintptr_t pc);
void stream_leave(FILE *stream);

/* Around the real call, which may wait for the rest of a line or for room in a pipe: a slice that does not end
 * there is ended from outside, and the turn may be another thread's afterwards. */
void stream_begin_call(void);
void stream_end_call(void);

/* Until there is something to read: in the buffer, or behind the descriptor. */
void stream_await_input(FILE *stream);

/* What went through is in an order with what others put in or take out. */
void stream_after_output(FILE *stream, uintptr_t pc);
void stream_after_input(FILE *stream, uintptr_t pc);
