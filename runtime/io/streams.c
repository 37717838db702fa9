/* Calls on streams at the scheduler: a thread that waits for input or for a locked stream waits there. */
#include "runtime/io/streams.h"
#include "runtime/libc/surroundings.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <errno.h>
#include <poll.h>

static unsigned waiting;             /* threads, for some stream */
static _Thread_local size_t pending; /* bytes in the buffer of the stream when the call began */

enum { PUTTING = 0x800 }; /* of the C library's flags: the buffer holds output */

static size_t buffered(const FILE *stream)
{
    return (size_t)(stream->_IO_write_ptr - stream->_IO_write_base);
}

/* Output reaches the file when the buffer does not grow by it; what is read may have come from there. */
static void note_file(FILE *stream)
{
    int error = errno, fd = fileno_unlocked(stream);

    if ((stream->_flags & PUTTING || pending) && buffered(stream) <= pending)
        surroundings_wrote(fd, local.self->pc);
    else if (!(stream->_flags & PUTTING))
        surroundings_read(fd, local.self->pc);
    errno = error;
}

static void await_stream(FILE *stream)
{
    while (real.ftrylockfile(stream) != 0) {
        local.self->owner = object_at(stream)->owner;
        waiting++;
        sched_block(WAIT_LOCK, stream, TIME_NEVER);
        waiting--;
    }
}

/* Whether the call is the program's own. While it is explored, so is what the C++ library prints for it. */
static bool is_own(FILE *stream, uintptr_t pc)
{
    return module_instrumented(pc) || (rt.session->effects && (stream == stdout || stream == stderr));
}

bool stream_enter(FILE *stream, uintptr_t pc)
{
    if (!rt.ready || !recording() || local.inside || !is_own(stream, pc) || !sync_enter(pc))
        return false;
    if (stream) {
        await_stream(stream);
        pending = buffered(stream);
    }
    return true;
}

void stream_leave(FILE *stream)
{
    note_file(stream);
    real.funlockfile(stream);
    if (waiting)
        sched_wake(stream, UINT32_MAX);
    sync_leave();
}

void stream_begin_call(void)
{
    local.inside = false;
}

void stream_end_call(void)
{
    int error = errno;

    local.inside = true;
    sched_take_turn();
    errno = error;
}

void stream_await_input(FILE *stream)
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
