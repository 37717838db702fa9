/* Streams: what goes through them is read from or written to the caller's memory, and who locks one keeps
 * others out. A thread that would wait for input, or for a stream that is locked, waits at the scheduler. */
#include "channels.h"
#include "objects.h"
#include "sched.h"
#include "touching.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

enum { STANDARD_STREAMS = 3 };

static unsigned waiting; /* threads, for some stream */

static void await_stream(FILE *stream)
{
    while (real.ftrylockfile(stream) != 0) {
        local.self->owner = object_at(stream)->owner;
        waiting++;
        sched_block(WAIT_LOCK, stream, TIME_NEVER);
        waiting--;
    }
}

/* Whether the call is the program's own and to be recorded: it has the turn then. */
static bool enter(FILE *stream, uintptr_t pc)
{
    if (!rt.ready || !recording() || local.inside || !module_instrumented(pc) || !sync_enter(pc))
        return false;
    if (stream)
        await_stream(stream);
    return true;
}

static void leave(FILE *stream)
{
    real.funlockfile(stream);
    if (waiting)
        sched_wake(stream, UINT32_MAX);
    sync_leave();
}

/* Around the real call, which may wait for the rest of a line or for room in a pipe: a slice that does not end
 * there is ended from outside, and the turn may be another thread's afterwards. */
static void begin_call(void)
{
    local.inside = false;
}

static void end_call(void)
{
    int error = errno;

    local.inside = true;
    sched_take_turn();
    errno = error;
}

/* Until there is something to read: in the buffer, or behind the descriptor. */
static void await_input(FILE *stream)
{
    struct pollfd one = {.fd = fileno_unlocked(stream), .events = POLLIN};

    while (stream->_IO_read_ptr >= stream->_IO_read_end && one.fd >= 0 && real.poll(&one, 1, 0) == 0) {
        real.funlockfile(stream);
        if (waiting)
            sched_wake(stream, UINT32_MAX);
        sched_poll(&one, 1, TIME_NEVER);
        sync_cancellation_point();
        await_stream(stream);
    }
}

static void after_output(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_wrote(fd, pc);
    errno = error;
}

static void after_input(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_read(fd, pc);
    errno = error;
}

EXPORT void flockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct object *o;

    FIND_REAL(flockfile);
    if (!enter(stream, pc)) {
        real.flockfile(stream);
        return;
    }
    o = object_at(stream);
    o->depth = o->owner == local.self->id + 1 ? o->depth + 1 : 1;
    o->owner = local.self->id + 1;
    log_emit(RECORD_ACQUIRE, stream, pc, 0);
    sync_leave();
}

EXPORT int ftrylockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct object *o;
    int busy;

    FIND_REAL(ftrylockfile);
    if (!enter(NULL, pc))
        return real.ftrylockfile(stream);
    busy = real.ftrylockfile(stream);
    o = object_at(stream);
    if (!busy) {
        o->depth = o->owner == local.self->id + 1 ? o->depth + 1 : 1;
        o->owner = local.self->id + 1;
        log_emit(RECORD_ACQUIRE, stream, pc, 1);
    } else if (o->owner) {
        log_emit(RECORD_TRY_FAIL, stream, pc, 0);
    }
    sync_leave();
    return busy;
}

EXPORT void funlockfile(FILE *stream)
{
    uintptr_t pc = CALLER;
    struct object *o;

    FIND_REAL(funlockfile);
    if (!enter(NULL, pc)) {
        real.funlockfile(stream);
        return;
    }
    real.funlockfile(stream);
    o = object_at(stream);
    if (o->depth > 0 && --o->depth == 0)
        o->owner = 0;
    log_emit(RECORD_RELEASE, stream, pc, 0);
    sched_wake(stream, UINT32_MAX);
    sync_leave();
}

EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    size_t got;

    FIND_REAL(fread);
    if (!enter(stream, pc))
        return real.fread(to, size, count, stream);
    await_input(stream);
    begin_call();
    got = real.fread(to, size, count, stream);
    end_call();
    after_input(stream, pc);
    touch_write(to, got * size, pc);
    leave(stream);
    return got;
}

EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    size_t put;

    FIND_REAL(fwrite);
    if (!enter(stream, pc))
        return real.fwrite(from, size, count, stream);
    touch_read(from, size * count, pc);
    begin_call();
    put = real.fwrite(from, size, count, stream);
    end_call();
    after_output(stream, pc);
    leave(stream);
    return put;
}

EXPORT char *fgets(char *restrict to, int room, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    char *got;

    FIND_REAL(fgets);
    if (!enter(stream, pc))
        return real.fgets(to, room, stream);
    await_input(stream);
    begin_call();
    got = real.fgets(to, room, stream);
    end_call();
    after_input(stream, pc);
    if (got)
        touch_write(got, real.strlen(got) + 1, pc);
    leave(stream);
    return got;
}

EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    ssize_t got;

    FIND_REAL(getdelim);
    if (!enter(stream, pc))
        return real.getdelim(line, room, end, stream);
    await_input(stream);
    touch_read(line, sizeof *line, pc);
    touch_read(room, sizeof *room, pc);
    begin_call();
    local.alloc_pc = pc; /* the block it may allocate is the caller's */
    got = real.getdelim(line, room, end, stream);
    local.alloc_pc = 0;
    end_call();
    after_input(stream, pc);
    touch_write(line, sizeof *line, pc);
    touch_write(room, sizeof *room, pc);
    if (got > 0)
        touch_write(*line, (size_t)got + 1, pc);
    leave(stream);
    return got;
}

EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    ssize_t got;

    FIND_REAL(getdelim);
    if (!enter(stream, pc))
        return real.getdelim(line, room, '\n', stream);
    await_input(stream);
    touch_read(line, sizeof *line, pc);
    touch_read(room, sizeof *room, pc);
    begin_call();
    local.alloc_pc = pc;
    got = real.getdelim(line, room, '\n', stream);
    local.alloc_pc = 0;
    end_call();
    after_input(stream, pc);
    touch_write(line, sizeof *line, pc);
    touch_write(room, sizeof *room, pc);
    if (got > 0)
        touch_write(*line, (size_t)got + 1, pc);
    leave(stream);
    return got;
}

EXPORT int fputs(const char *restrict text, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fputs);
    if (!enter(stream, pc))
        return real.fputs(text, stream);
    touch_text(text, pc);
    begin_call();
    result = real.fputs(text, stream);
    end_call();
    after_output(stream, pc);
    leave(stream);
    return result;
}

EXPORT int puts(const char *text)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(puts);
    if (!enter(stdout, pc))
        return real.puts(text);
    touch_text(text, pc);
    begin_call();
    result = real.puts(text);
    end_call();
    leave(stdout);
    return result;
}

EXPORT int fgetc(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fgetc);
    if (!enter(stream, pc))
        return real.fgetc(stream);
    await_input(stream);
    begin_call();
    result = real.fgetc(stream);
    end_call();
    after_input(stream, pc);
    leave(stream);
    return result;
}

EXPORT int getc(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fgetc);
    if (!enter(stream, pc))
        return real.fgetc(stream);
    await_input(stream);
    begin_call();
    result = real.fgetc(stream);
    end_call();
    after_input(stream, pc);
    leave(stream);
    return result;
}

EXPORT int getchar(void)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fgetc);
    if (!enter(stdin, pc))
        return real.fgetc(stdin);
    await_input(stdin);
    begin_call();
    result = real.fgetc(stdin);
    end_call();
    leave(stdin);
    return result;
}

EXPORT int fputc(int byte, FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fputc);
    if (!enter(stream, pc))
        return real.fputc(byte, stream);
    begin_call();
    result = real.fputc(byte, stream);
    end_call();
    after_output(stream, pc);
    leave(stream);
    return result;
}

EXPORT int fflush(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fflush);
    if (!stream || !enter(stream, pc))
        return real.fflush(stream);
    begin_call();
    result = real.fflush(stream);
    end_call();
    after_output(stream, pc);
    leave(stream);
    return result;
}

/* The order is noted before: afterwards there is no stream. */
EXPORT int fclose(FILE *stream)
{
    uintptr_t pc = CALLER;

    FIND_REAL(fclose);
    if (enter(stream, pc)) {
        begin_call();
        real.fflush(stream);
        end_call();
        after_output(stream, pc);
        leave(stream);
    }
    return real.fclose(stream);
}

/* What putc_unlocked and getc_unlocked call when they cannot do it by themselves: the stream's own fields
 * change. */
EXPORT int __overflow(FILE *stream, int byte)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(__overflow);
    result = real.__overflow(stream, byte);
    if (touch_seen(pc, sizeof *stream))
        touch_write(stream, sizeof *stream, pc);
    return result;
}

EXPORT int __uflow(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(__uflow);
    result = real.__uflow(stream);
    if (touch_seen(pc, sizeof *stream))
        touch_write(stream, sizeof *stream, pc);
    return result;
}
