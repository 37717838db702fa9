/* The host functions of the wrappers that both recorders share: runtime/shared/strings.c and its like, for
 * library functions that read and write the caller's memory, run inside the program here, too. The tool
 * knows which callers are the program's own. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "requests.h"
#include "runtime/io/inputs.h"
#include "runtime/io/streams.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/touching.h"

_Thread_local struct local local __attribute__((tls_model("initial-exec")));

/* Before the program starts: the loader's locks that these look-ups take are not the program's. */
__attribute__((constructor)) static void start(void)
{
    HEDDLE_TELL(HEDDLE_QUIET, 0, 0, 0);
    real_find();
    HEDDLE_TELL(HEDDLE_QUIET_OVER, 0, 0, 0);
}

bool touch_seen(uintptr_t pc, size_t length)
{
    (void)pc;
    (void)length;
    return true;
}

void touch_read(const void *at, size_t length, uintptr_t pc)
{
    if (length > 0)
        (void)HEDDLE_ASK(HEDDLE_READ, at, length, pc, 0);
}

void touch_write(const void *at, size_t length, uintptr_t pc)
{
    if (length > 0)
        (void)HEDDLE_ASK(HEDDLE_WROTE, at, length, pc, 0);
}

/* Valgrind runs one thread at a time: there is no turn to wait for. */
bool sync_enter(uintptr_t pc)
{
    (void)pc;
    return true;
}

void sync_leave(void)
{
}

void sched_take_turn(void)
{
}

/* The order of output is for exploring programs, which takes the other recorder. */
void log_emit(unsigned kind, const void *object, uintptr_t pc, uint64_t value)
{
    (void)kind;
    (void)object;
    (void)pc;
    (void)value;
}

void channel_stream_wrote(int fd, uintptr_t pc)
{
    (void)HEDDLE_ASK(HEDDLE_STREAM_WROTE, fd, 0, pc, 0);
}

void channel_stream_read(int fd, uintptr_t pc)
{
    (void)HEDDLE_ASK(HEDDLE_STREAM_READ, fd, 0, pc, 0);
}

/* Programs are not replayed here: what they read need not be recorded. */
void input_read(int fd, const void *bytes, size_t length, uintptr_t pc)
{
    (void)fd;
    (void)bytes;
    (void)length;
    (void)pc;
}

void input_character(int fd, int character, uintptr_t pc)
{
    (void)fd;
    (void)character;
    (void)pc;
}

/* Streams are locked by the library, and waiting is the kernel's. */
bool stream_enter(FILE *stream, uintptr_t pc)
{
    (void)stream;
    (void)pc;
    return true;
}

void stream_leave(FILE *stream)
{
    (void)stream;
}

void stream_begin_call(void)
{
}

void stream_end_call(void)
{
}

void stream_await_input(FILE *stream)
{
    (void)stream;
}
