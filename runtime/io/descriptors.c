/* Descriptors of channels, as they are made and closed. */
#include "runtime/libc/file_locks.h"
#include "runtime/libc/signals.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <sys/eventfd.h>
#include <unistd.h>

uint32_t channel_thread(void)
{
    return local.self->id;
}

bool channel_forked(void)
{
    return session_load(&rt.session->forks);
}

void channel_log(unsigned kind, const void *object, uintptr_t pc)
{
    log_emit(kind, object, pc, 0);
}

EXPORT int socketpair(int domain, int type, int protocol, int ends[2])
{
    int result;

    if (!real.socketpair)
        real_find();
    result = real.socketpair(domain, type, protocol, ends);
    if (result == 0 && sync_enter(CALLER)) {
        channel_pair(ends[0], ends[1]);
        if (module_instrumented(CALLER))
            touch_write(ends, 2 * sizeof *ends, CALLER);
        sync_leave();
    }
    return result;
}

EXPORT int close(int fd)
{
    if (!real.close)
        real_find();
    if (!sync_enter(CALLER))
        return real.close(fd);
    channel_closed(fd, CALLER);
    file_locks_closed(fd, CALLER);
    signals_closed(fd);
    watch_closed(fd);
    sync_leave();
    return real.close(fd);
}

EXPORT int shutdown(int fd, int how)
{
    if (!sync_enter(CALLER))
        return real.shutdown(fd, how);
    if (how != SHUT_RD)
        channel_closed(fd, CALLER);
    sync_leave();
    return real.shutdown(fd, how);
}

EXPORT int pipe2(int fds[2], int flags)
{
    int result;

    if (!real.pipe2)
        real_find();
    result = real.pipe2(fds, flags);
    if (result == 0 && sync_enter(CALLER)) {
        if (module_instrumented(CALLER))
            touch_write(fds, 2 * sizeof *fds, CALLER);
        sync_leave();
    }
    return result;
}

EXPORT int pipe(int fds[2])
{
    int result;

    if (!real.pipe)
        real_find();
    result = real.pipe(fds);
    if (result == 0 && sync_enter(CALLER)) {
        if (module_instrumented(CALLER))
            touch_write(fds, 2 * sizeof *fds, CALLER);
        sync_leave();
    }
    return result;
}

EXPORT int eventfd(unsigned start, int flags)
{
    int fd;

    if (!real.eventfd)
        real_find();
    fd = real.eventfd(start, flags);
    if (fd >= 0 && sync_enter(CALLER)) {
        channel_counter(fd, (flags & EFD_SEMAPHORE) != 0);
        sync_leave();
    }
    return fd;
}
