/* printf and scanf with all their relatives, those that check bounds included. */
#include "runtime/io/streams.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/touching.h"

#include <errno.h>
#include <limits.h>
#include <unistd.h>

/* Into the caller's memory. */
static int print_to(char *to, size_t room, const char *format, va_list arguments, uintptr_t pc)
{
    bool see;
    int length;

    FIND_REAL(vsnprintf);
    see = touch_seen(pc, 16);
    if (see)
        touch_printed(format, arguments, pc);
    length = real.vsnprintf(to, room, format, arguments);
    if (see && length >= 0 && room > 0)
        touch_write(to, (size_t)length < room ? (size_t)length + 1 : room, pc);
    return length;
}

EXPORT int vsnprintf(char *restrict to, size_t room, const char *restrict format, va_list arguments)
{
    return print_to(to, room, format, arguments, CALLER);
}

EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list arguments)
{
    return print_to(to, INT_MAX, format, arguments, CALLER);
}

EXPORT int snprintf(char *restrict to, size_t room, const char *restrict format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = print_to(to, room, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

EXPORT int sprintf(char *restrict to, const char *restrict format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = print_to(to, INT_MAX, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

/* The checked forms know the size of what they write to: too little ends the program, as the real ones would.
 */
static void check_room(size_t wanted, size_t known)
{
    if (wanted > known)
        real.__chk_fail();
}

EXPORT int __vsnprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, va_list arguments)
{
    (void)flag;
    FIND_REAL(__chk_fail);
    check_room(room, known);
    return print_to(to, room, format, arguments, CALLER);
}

static int print_checked(char *to, size_t known, const char *format, va_list arguments, uintptr_t pc)
{
    int length;

    FIND_REAL(__chk_fail);
    length = print_to(to, known < INT_MAX ? known : INT_MAX, format, arguments, pc);
    if (length >= 0)
        check_room((size_t)length + 1, known);
    return length;
}

EXPORT int __vsprintf_chk(char *to, int flag, size_t known, const char *format, va_list arguments)
{
    (void)flag;
    return print_checked(to, known, format, arguments, CALLER);
}

EXPORT int __snprintf_chk(char *to, size_t room, int flag, size_t known, const char *format, ...)
{
    va_list arguments;
    int length;

    (void)flag;
    FIND_REAL(__chk_fail);
    check_room(room, known);
    va_start(arguments, format);
    length = print_to(to, room, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

EXPORT int __sprintf_chk(char *to, int flag, size_t known, const char *format, ...)
{
    va_list arguments;
    int length;

    (void)flag;
    va_start(arguments, format);
    length = print_checked(to, known, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

/* Into memory that is allocated for it, on the caller's behalf. */
static int print_new(char **to, const char *format, va_list arguments, uintptr_t pc)
{
    uintptr_t before = local.alloc_pc;
    bool see;
    int length;

    FIND_REAL(vasprintf);
    see = touch_seen(pc, 16);
    if (see)
        touch_printed(format, arguments, pc);
    local.alloc_pc = pc;
    length = real.vasprintf(to, format, arguments);
    local.alloc_pc = before;
    if (see && length >= 0) {
        touch_write((const void *)to, sizeof *to, pc);
        touch_write(*to, (size_t)length + 1, pc);
    }
    return length;
}

EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list arguments)
{
    return print_new(to, format, arguments, CALLER);
}

EXPORT int asprintf(char **restrict to, const char *restrict format, ...)
{
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = print_new(to, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

EXPORT int __vasprintf_chk(char **to, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_new(to, format, arguments, CALLER);
}

EXPORT int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    va_list arguments;
    int length;

    (void)flag;
    va_start(arguments, format);
    length = print_new(to, format, arguments, CALLER);
    va_end(arguments);
    return length;
}

/* Into a stream. */
static int print_stream(FILE *stream, const char *format, va_list arguments, uintptr_t pc)
{
    FIND_REAL(vfprintf);
    if (touch_seen(pc, 16)) {
        touch_printed(format, arguments, pc);
        if (stream != stdout && stream != stderr && sync_enter(pc)) {
            local.inside = false; /* it may wait for room in a pipe */
            int length = real.vfprintf(stream, format, arguments), error = errno;
            local.inside = true;
            sched_take_turn();
            channel_stream_wrote(fileno_unlocked(stream), pc);
            sync_leave();
            errno = error;
            return length;
        }
        if (stream == stdout || stream == stderr)
            log_emit(RECORD_OUTPUT, stream, pc, stream == stdout ? STDOUT_FILENO : STDERR_FILENO);
    }
    return real.vfprintf(stream, format, arguments);
}

#define PRINT(name, parameters, last, stream)                                                                  \
    EXPORT int name parameters                                                                                 \
    {                                                                                                          \
        va_list arguments;                                                                                     \
        int length;                                                                                            \
        va_start(arguments, last);                                                                             \
        length = print_stream(stream, last, arguments, CALLER);                                                \
        va_end(arguments);                                                                                     \
        return length;                                                                                         \
    }

PRINT(printf, (const char *restrict format, ...), format, stdout)
PRINT(fprintf, (FILE *restrict stream, const char *restrict format, ...), format, stream)
PRINT(__printf_chk, (int flag __attribute__((unused)), const char *format, ...), format, stdout)
PRINT(__fprintf_chk, (FILE * stream, int flag __attribute__((unused)), const char *format, ...), format, stream)

EXPORT int vfprintf(FILE *restrict stream, const char *restrict format, va_list arguments)
{
    return print_stream(stream, format, arguments, CALLER);
}

EXPORT int vprintf(const char *restrict format, va_list arguments)
{
    return print_stream(stdout, format, arguments, CALLER);
}

EXPORT int __vfprintf_chk(FILE *stream, int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_stream(stream, format, arguments, CALLER);
}

EXPORT int __vprintf_chk(int flag, const char *format, va_list arguments)
{
    (void)flag;
    return print_stream(stdout, format, arguments, CALLER);
}

/* From a string. C programs call these under the names of the C99 forms. */
static int scan_text(const char *text, const char *format, va_list arguments, uintptr_t pc)
{
    va_list copy;
    bool see;
    int done;

    FIND_REAL(__isoc99_vsscanf);
    see = touch_seen(pc, 16);
    va_copy(copy, arguments);
    if (see)
        touch_text(text, pc);
    done = real.__isoc99_vsscanf(text, format, arguments);
    if (see)
        touch_scanned(format, copy, &(struct scanned){.text = text, .fd = -1, .done = done}, pc);
    va_end(copy);
    return done;
}

EXPORT int __isoc99_vsscanf(const char *restrict text, const char *restrict format, va_list arguments)
{
    return scan_text(text, format, arguments, CALLER);
}

EXPORT int __isoc99_sscanf(const char *restrict text, const char *restrict format, ...)
{
    va_list arguments;
    int done;

    va_start(arguments, format);
    done = scan_text(text, format, arguments, CALLER);
    va_end(arguments);
    return done;
}

static int scan_stream(FILE *stream, const char *format, va_list arguments, uintptr_t pc)
{
    struct scanned from;
    va_list copy;
    int done;

    FIND_REAL(__isoc99_vfscanf);
    if (!stream_enter(stream, pc))
        return real.__isoc99_vfscanf(stream, format, arguments);
    va_copy(copy, arguments);
    stream_await_input(stream);
    stream_begin_call();
    done = real.__isoc99_vfscanf(stream, format, arguments);
    stream_end_call();
    stream_after_input(stream, pc);
    from = (struct scanned){.fd = fileno_unlocked(stream), .at_end = feof_unlocked(stream), .done = done};
    touch_scanned(format, copy, &from, pc);
    va_end(copy);
    stream_leave(stream);
    return done;
}

#define SCAN(name, parameters, stream)                                                                         \
    EXPORT int name parameters                                                                                 \
    {                                                                                                          \
        va_list arguments;                                                                                     \
        int done;                                                                                              \
        va_start(arguments, format);                                                                           \
        done = scan_stream(stream, format, arguments, CALLER);                                                 \
        va_end(arguments);                                                                                     \
        return done;                                                                                           \
    }

SCAN(__isoc99_scanf, (const char *restrict format, ...), stdin)
SCAN(__isoc99_fscanf, (FILE *restrict stream, const char *restrict format, ...), stream)
