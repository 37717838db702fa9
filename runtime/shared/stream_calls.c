/* Streams: what goes through them is read from or written to the caller's memory; bytes in their buffers come from
 * what others wrote to the same descriptor. */
#include "runtime/io/inputs.h"
#include "runtime/io/streams.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/touching.h"

#include <errno.h>
#include <unistd.h>

enum { STANDARD_STREAMS = 3 };

void stream_after_output(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_wrote(fd, pc);
    else if (fd > 0)
        log_emit(RECORD_OUTPUT, stream, pc, (uint64_t)fd);
    errno = error;
}

void stream_after_input(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_read(fd, pc);
    errno = error;
}

EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    size_t got;

    FIND_REAL(fread);
    if (!stream_enter(stream, pc))
        return real.fread(to, size, count, stream);
    stream_await_input(stream);
    stream_begin_call();
    got = real.fread(to, size, count, stream);
    stream_end_call();
    stream_after_input(stream, pc);
    touch_write(to, got * size, pc);
    input_read(fileno_unlocked(stream), to, got * size, pc);
    stream_leave(stream);
    return got;
}

EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    size_t put;

    FIND_REAL(fwrite);
    if (!stream_enter(stream, pc))
        return real.fwrite(from, size, count, stream);
    touch_read(from, size * count, pc);
    stream_begin_call();
    put = real.fwrite(from, size, count, stream);
    stream_end_call();
    stream_after_output(stream, pc);
    stream_leave(stream);
    return put;
}

EXPORT char *fgets(char *restrict to, int room, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    char *got;

    FIND_REAL(fgets);
    if (!stream_enter(stream, pc))
        return real.fgets(to, room, stream);
    stream_await_input(stream);
    stream_begin_call();
    got = real.fgets(to, room, stream);
    stream_end_call();
    stream_after_input(stream, pc);
    if (got) {
        touch_write(got, real.strlen(got) + 1, pc);
        input_read(fileno_unlocked(stream), got, real.strlen(got), pc);
    }
    stream_leave(stream);
    return got;
}

static ssize_t read_line(char **line, size_t *room, int end, FILE *stream, uintptr_t pc)
{
    ssize_t got;

    FIND_REAL(getdelim);
    if (!stream_enter(stream, pc))
        return real.getdelim(line, room, end, stream);
    stream_await_input(stream);
    touch_read(line, sizeof *line, pc);
    touch_read(room, sizeof *room, pc);
    stream_begin_call();
    local.alloc_pc = pc; /* the block it may allocate is the caller's */
    got = real.getdelim(line, room, end, stream);
    local.alloc_pc = 0;
    stream_end_call();
    stream_after_input(stream, pc);
    touch_write(line, sizeof *line, pc);
    touch_write(room, sizeof *room, pc);
    if (got > 0) {
        touch_write(*line, (size_t)got + 1, pc);
        input_read(fileno_unlocked(stream), *line, (size_t)got, pc);
    }
    stream_leave(stream);
    return got;
}

EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
    return read_line(line, room, end, stream, CALLER);
}

/* What getline becomes in the C library's headers. */
EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
    return read_line(line, room, end, stream, CALLER);
}

EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
    return read_line(line, room, '\n', stream, CALLER);
}

EXPORT int fputs(const char *restrict text, FILE *restrict stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fputs);
    if (!stream_enter(stream, pc))
        return real.fputs(text, stream);
    touch_text(text, pc);
    stream_begin_call();
    result = real.fputs(text, stream);
    stream_end_call();
    stream_after_output(stream, pc);
    stream_leave(stream);
    return result;
}

EXPORT int puts(const char *text)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(puts);
    if (!stream_enter(stdout, pc))
        return real.puts(text);
    touch_text(text, pc);
    stream_begin_call();
    result = real.puts(text);
    stream_end_call();
    stream_after_output(stdout, pc);
    stream_leave(stdout);
    return result;
}

static int read_character(FILE *stream, uintptr_t pc)
{
    int result;

    FIND_REAL(fgetc);
    if (!stream_enter(stream, pc))
        return real.fgetc(stream);
    stream_await_input(stream);
    stream_begin_call();
    result = real.fgetc(stream);
    stream_end_call();
    stream_after_input(stream, pc);
    input_character(fileno_unlocked(stream), result, pc);
    stream_leave(stream);
    return result;
}

EXPORT int fgetc(FILE *stream)
{
    return read_character(stream, CALLER);
}

EXPORT int getc(FILE *stream)
{
    return read_character(stream, CALLER);
}

EXPORT int fputc(int byte, FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fputc);
    if (!stream_enter(stream, pc))
        return real.fputc(byte, stream);
    stream_begin_call();
    result = real.fputc(byte, stream);
    stream_end_call();
    stream_after_output(stream, pc);
    stream_leave(stream);
    return result;
}

EXPORT int fflush(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(fflush);
    if (!stream || !stream_enter(stream, pc))
        return real.fflush(stream);
    stream_begin_call();
    result = real.fflush(stream);
    stream_end_call();
    stream_after_output(stream, pc);
    stream_leave(stream);
    return result;
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

/* What was read into the buffer. How much arrives at a time is arbitrary for pipes, which standard input may
 * be. */
static void note_filled(FILE *stream, uintptr_t pc)
{
    int fd = fileno_unlocked(stream);

    if (fd > STDERR_FILENO)
        input_read(fd, stream->_IO_read_base, (size_t)(stream->_IO_read_end - stream->_IO_read_base), pc);
}

EXPORT int __uflow(FILE *stream)
{
    uintptr_t pc = CALLER;
    int result;

    FIND_REAL(__uflow);
    result = real.__uflow(stream);
    if (touch_seen(pc, sizeof *stream)) {
        stream_after_input(stream, pc);
        touch_write(stream, sizeof *stream, pc);
        note_filled(stream, pc);
    }
    return result;
}
