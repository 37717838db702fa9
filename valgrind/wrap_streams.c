/* Streams called by the program: what goes through them is read from or written to the caller's memory; bytes
 * in their buffers come from what others wrote to the same descriptor. */
/* This file is part of the Valgrind tool of Heddle, a program of its own.
 * Copyright (C) 2026 The Heddle authors. Free software under the GNU General Public License, version 2 or (at
 * your option) any later version; without any warranty. See COPYING. */
#include "runtime/io/streams.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/touching.h"

#include <errno.h>

enum { STANDARD_STREAMS = 3 };

void stream_after_output(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_wrote(fd, pc);
    errno = error;
}

void stream_after_input(FILE *stream, uintptr_t pc)
{
    int error = errno, fd = fileno_unlocked(stream);

    if (fd >= STANDARD_STREAMS)
        channel_stream_read(fd, pc);
    errno = error;
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

EXPORT size_t fread(void *restrict to, size_t size, size_t count, FILE *restrict stream)
{
    size_t got;

    FIND_REAL(fread);
    got = real.fread(to, size, count, stream);
    stream_after_input(stream, CALLER);
    touch_write(to, got * size, CALLER);
    return got;
}

EXPORT size_t fwrite(const void *restrict from, size_t size, size_t count, FILE *restrict stream)
{
    size_t put;

    FIND_REAL(fwrite);
    touch_read(from, size * count, CALLER);
    put = real.fwrite(from, size, count, stream);
    stream_after_output(stream, CALLER);
    return put;
}

EXPORT char *fgets(char *restrict to, int room, FILE *restrict stream)
{
    char *got;

    FIND_REAL(fgets);
    got = real.fgets(to, room, stream);
    stream_after_input(stream, CALLER);
    if (got)
        touch_write(got, real.strlen(got) + 1, CALLER);
    return got;
}

static ssize_t get_line(char **line, size_t *room, int end, FILE *stream, uintptr_t pc)
{
    ssize_t got;

    FIND_REAL(getdelim);
    touch_read(line, sizeof *line, pc);
    touch_read(room, sizeof *room, pc);
    got = real.getdelim(line, room, end, stream);
    stream_after_input(stream, pc);
    touch_write(line, sizeof *line, pc);
    touch_write(room, sizeof *room, pc);
    if (got > 0)
        touch_write(*line, (size_t)got + 1, pc);
    return got;
}

EXPORT ssize_t getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
    return get_line(line, room, end, stream, CALLER);
}

EXPORT ssize_t __getdelim(char **restrict line, size_t *restrict room, int end, FILE *restrict stream)
{
    return get_line(line, room, end, stream, CALLER);
}

EXPORT ssize_t getline(char **restrict line, size_t *restrict room, FILE *restrict stream)
{
    return get_line(line, room, '\n', stream, CALLER);
}

EXPORT int fputs(const char *restrict text, FILE *restrict stream)
{
    int result;

    FIND_REAL(fputs);
    touch_text(text, CALLER);
    result = real.fputs(text, stream);
    stream_after_output(stream, CALLER);
    return result;
}

EXPORT int puts(const char *text)
{
    FIND_REAL(puts);
    touch_text(text, CALLER);
    return real.puts(text);
}

EXPORT int fgetc(FILE *stream)
{
    int result;

    FIND_REAL(fgetc);
    result = real.fgetc(stream);
    stream_after_input(stream, CALLER);
    return result;
}

EXPORT int getc(FILE *stream)
{
    int result;

    FIND_REAL(fgetc);
    result = real.fgetc(stream);
    stream_after_input(stream, CALLER);
    return result;
}

EXPORT int fputc(int byte, FILE *stream)
{
    int result;

    FIND_REAL(fputc);
    result = real.fputc(byte, stream);
    stream_after_output(stream, CALLER);
    return result;
}

EXPORT int fflush(FILE *stream)
{
    int result;

    FIND_REAL(fflush);
    result = real.fflush(stream);
    if (stream)
        stream_after_output(stream, CALLER);
    return result;
}

/* What putc_unlocked and getc_unlocked call when they cannot do it by themselves: the stream's own fields
 * change. */
EXPORT int __overflow(FILE *stream, int byte)
{
    int result;

    FIND_REAL(__overflow);
    result = real.__overflow(stream, byte);
    touch_write(stream, sizeof *stream, CALLER);
    return result;
}

EXPORT int __uflow(FILE *stream)
{
    int result;

    FIND_REAL(__uflow);
    result = real.__uflow(stream);
    touch_write(stream, sizeof *stream, CALLER);
    return result;
}
