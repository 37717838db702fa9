/* Calls on streams at the scheduler: a thread that waits for input or for a locked stream waits there. */
#include "runtime/io/streams.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/real.h"
#include "runtime/sync/objects.h"

#include <errno.h>
#include <poll.h>

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

bool stream_enter(FILE *stream, uintptr_t pc)
{
    if (!rt.ready || !recording() || local.inside || !module_instrumented(pc) || !sync_enter(pc))
        return false;
    if (stream)
        await_stream(stream);
    return true;
}

void stream_leave(FILE *stream)
{
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
