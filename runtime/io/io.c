/* Descriptors: calls that would block wait at the scheduler instead; what they move is accesses of the caller.
 */
#include "runtime/io/io.h"
#include "runtime/io/inputs.h"
#include "runtime/libc/signals.h"
#include "runtime/libc/surroundings.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* How long a socket waits, on the scheduler's clock. */
static uint64_t patience(int fd, short events)
{
    struct timeval limit = {0};
    socklen_t length = sizeof limit;

    if (getsockopt(fd, SOL_SOCKET, events == POLLIN ? SO_RCVTIMEO : SO_SNDTIMEO, &limit, &length) != 0 ||
        (limit.tv_sec == 0 && limit.tv_usec == 0))
        return TIME_NEVER;
    return sched_now() + (uint64_t)limit.tv_sec * 1000000000 + (uint64_t)limit.tv_usec * 1000;
}

/* Waits until the call would not block. A descriptor that is set not to block, or is none, is not waited for.
 * Returns the error that the call ends with instead, 0: none. */
static int await(int fd, short events, int flags)
{
    struct pollfd one = {.fd = fd, .events = events};
    uint64_t deadline = 0;

    while (!(flags & MSG_DONTWAIT) && real.poll(&one, 1, 0) == 0) {
        int mode = fcntl(fd, F_GETFL);
        if (mode < 0 || mode & O_NONBLOCK)
            return 0;
        if (local.self->interrupted & INTERRUPT_ALL)
            return EINTR;
        __atomic_store_n(&local.self->interrupted, 0, __ATOMIC_RELAXED);
        deadline = deadline ? deadline : patience(fd, events);
        if (sched_poll(&one, 1, deadline) == WAKE_TIME && !(local.self->interrupted & INTERRUPT_ALL))
            return EAGAIN;
        sync_cancellation_point();
    }
    return 0;
}

static _Thread_local int begin_error; /* of the call that did not begin */

bool io_begin(int fd, short events, int flags, uintptr_t pc)
{
    begin_error = 0;
    if (!sync_enter(pc))
        return false;
    begin_error = await(fd, events, flags);
    if (begin_error)
        sync_leave();
    return !begin_error;
}

bool io_cut_short(void)
{
    if (begin_error)
        errno = begin_error;
    return begin_error != 0;
}

/* What comes out of a channel was put in before: the order first, then what is done to the caller's memory. */
static ssize_t end_read(int fd, void *to, size_t wanted, ssize_t got, uintptr_t pc)
{
    int error = errno;

    if (fd >= 0)
        channel_read(fd, wanted, got, pc);
    if (got >= 0)
        surroundings_read(fd, pc);
    if (got == sizeof(uint64_t) && fd >= 0)
        watch_told(WATCH_TIMER, (uint64_t)fd, pc);
    if (got > 0 && to)
        signals_read(fd, to, (size_t)got, pc);
    if (got > 0 && to && module_instrumented(pc))
        touch_write(to, (size_t)got, pc);
    if (got > 0 && to)
        input_read(fd, to, (size_t)got, pc);
    sync_leave();
    errno = error;
    return got;
}

/* What is written was read before: the event comes after the call, at the same turn. `fd`: -1 where the bytes do not go
 * into a channel; `file`: where they go. */
static ssize_t end_write(int fd, int file, const void *from, ssize_t put, uintptr_t pc)
{
    uint64_t value = 1; /* what a counter gets */
    int error = errno;

    if (put > 0) {
        surroundings_wrote(file, pc);
        if (from && module_instrumented(pc))
            touch_read(from, (size_t)put, pc);
        if (from && put == sizeof value)
            copy_bytes(&value, from, sizeof value);
        if (fd >= 0)
            channel_wrote(fd, (size_t)put, value, pc);
        if (fd == STDOUT_FILENO || fd == STDERR_FILENO)
            log_emit(RECORD_OUTPUT, NULL, pc, (uint64_t)fd);
    }
    sync_leave();
    errno = error;
    return put;
}

EXPORT ssize_t read(int fd, void *to, size_t length)
{
    if (!io_begin(fd, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.read(fd, to, length);
    return end_read(fd, to, length, real.read(fd, to, length), CALLER);
}

EXPORT ssize_t write(int fd, const void *from, size_t length)
{
    if (!io_begin(fd, POLLOUT, 0, CALLER))
        return io_cut_short() ? -1 : real.write(fd, from, length);
    return end_write(fd, fd, from, real.write(fd, from, length), CALLER);
}

EXPORT ssize_t pread(int fd, void *to, size_t length, off_t offset)
{
    if (!sync_enter(CALLER))
        return real.pread(fd, to, length, offset);
    return end_read(fd, to, length, real.pread(fd, to, length, offset), CALLER);
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t length, off_t offset)
{
    if (!sync_enter(CALLER))
        return real.pwrite(fd, from, length, offset);
    return end_write(-1, fd, from, real.pwrite(fd, from, length, offset), CALLER);
}

void io_touch_vector(const struct iovec *parts, int count, ssize_t length, bool write, uintptr_t pc)
{
    for (int i = 0; i < count && length > 0 && module_instrumented(pc); i++) {
        size_t take = parts[i].iov_len < (size_t)length ? parts[i].iov_len : (size_t)length;
        if (write)
            touch_write(parts[i].iov_base, take, pc);
        else
            touch_read(parts[i].iov_base, take, pc);
        length -= (ssize_t)take;
    }
}

size_t io_vector_length(const struct iovec *parts, size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        length += parts[i].iov_len;
    return length;
}

EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    ssize_t got;

    if (!io_begin(fd, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.readv(fd, parts, count);
    got = real.readv(fd, parts, count);
    channel_read(fd, io_vector_length(parts, (size_t)count), got, CALLER);
    io_touch_vector(parts, count, got, true, CALLER);
    return end_read(-1, NULL, 0, got, CALLER);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t put;

    if (!io_begin(fd, POLLOUT, 0, CALLER))
        return io_cut_short() ? -1 : real.writev(fd, parts, count);
    put = real.writev(fd, parts, count);
    io_touch_vector(parts, count, put, false, CALLER);
    return end_write(fd, fd, NULL, put, CALLER);
}

/* A look at what comes takes nothing. */
static void received(int fd, size_t wanted, ssize_t got, int flags, uintptr_t pc)
{
    struct pollfd one = {.fd = fd, .events = POLLIN, .revents = got >= 0 ? POLLIN : 0};
    int error = errno;

    if (flags & MSG_PEEK)
        channel_polled(&one, 1, pc);
    else
        channel_read(fd, flags & MSG_WAITALL ? (size_t)(got > 0 ? got : 0) : wanted, got, pc);
    errno = error;
}

static bool is_stream_socket(int fd)
{
    int type = 0, error = errno;
    socklen_t length = sizeof type;

    getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length);
    errno = error;
    return type == SOCK_STREAM;
}

/* With MSG_TRUNC a message may be said to be longer than what there was room for; what comes by a stream may
 * be thrown away. */
static ssize_t end_receive(int fd, void *to, size_t wanted, ssize_t got, int flags, uintptr_t pc)
{
    size_t put = got > 0 ? (size_t)got : 0;

    received(fd, wanted, got, flags, pc);
    if (flags & MSG_TRUNC && is_stream_socket(fd))
        to = NULL;
    end_read(-1, to, wanted, (ssize_t)(put < wanted ? put : wanted), pc);
    return got;
}

EXPORT ssize_t recv(int fd, void *to, size_t length, int flags)
{
    ssize_t got;

    if (!io_begin(fd, POLLIN, flags, CALLER))
        return io_cut_short() ? -1 : real.recv(fd, to, length, flags);
    got = real.recv(fd, to, length, flags);
    return end_receive(fd, to, length, got, flags, CALLER);
}

EXPORT ssize_t recvfrom(int fd, void *restrict to, size_t length, int flags, __SOCKADDR_ARG from,
                        socklen_t *restrict from_length)
{
    ssize_t got;

    if (!io_begin(fd, POLLIN, flags, CALLER))
        return io_cut_short() ? -1 : real.recvfrom(fd, to, length, flags, from.__sockaddr__, from_length);
    got = real.recvfrom(fd, to, length, flags, from.__sockaddr__, from_length);
    return end_receive(fd, to, length, got, flags, CALLER);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t got;

    if (!io_begin(fd, POLLIN, flags, CALLER))
        return io_cut_short() ? -1 : real.recvmsg(fd, message, flags);
    got = real.recvmsg(fd, message, flags);
    received(fd, io_vector_length(message->msg_iov, message->msg_iovlen), got, flags, CALLER);
    io_touch_vector(message->msg_iov, (int)message->msg_iovlen, got, true, CALLER);
    return end_read(-1, NULL, 0, got, CALLER);
}

EXPORT ssize_t send(int fd, const void *from, size_t length, int flags)
{
    if (!io_begin(fd, POLLOUT, flags, CALLER))
        return io_cut_short() ? -1 : real.send(fd, from, length, flags);
    return end_write(fd, fd, from, real.send(fd, from, length, flags), CALLER);
}

EXPORT ssize_t sendto(int fd, const void *from, size_t length, int flags, __CONST_SOCKADDR_ARG to,
                      socklen_t to_length)
{
    if (!io_begin(fd, POLLOUT, flags, CALLER))
        return io_cut_short() ? -1 : real.sendto(fd, from, length, flags, to.__sockaddr__, to_length);
    return end_write(fd, fd, from, real.sendto(fd, from, length, flags, to.__sockaddr__, to_length), CALLER);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t put;

    if (!io_begin(fd, POLLOUT, flags, CALLER))
        return io_cut_short() ? -1 : real.sendmsg(fd, message, flags);
    put = real.sendmsg(fd, message, flags);
    io_touch_vector(message->msg_iov, (int)message->msg_iovlen, put, false, CALLER);
    return end_write(fd, fd, NULL, put, CALLER);
}

static int end_accept(int fd, int made, uintptr_t pc)
{
    int error = errno;

    if (made >= 0)
        channel_accepted(fd, made, pc);
    sync_leave();
    errno = error;
    return made;
}

EXPORT int accept(int fd, __SOCKADDR_ARG from, socklen_t *restrict length)
{
    if (!io_begin(fd, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.accept(fd, from.__sockaddr__, length);
    return end_accept(fd, real.accept(fd, from.__sockaddr__, length), CALLER);
}

EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict length, int flags)
{
    if (!io_begin(fd, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.accept4(fd, from.__sockaddr__, length, flags);
    return end_accept(fd, real.accept4(fd, from.__sockaddr__, length, flags), CALLER);
}

EXPORT int connect(int fd, __CONST_SOCKADDR_ARG to, socklen_t length)
{
    int result, error;

    if (!sync_enter(CALLER))
        return real.connect(fd, to.__sockaddr__, length);
    channel_connecting(fd, to.__sockaddr__, length, CALLER);
    sched_outside();
    result = real.connect(fd, to.__sockaddr__, length);
    error = errno;
    sched_inside();
    if (result != 0 && error != EINPROGRESS)
        channel_pair_failed(fd);
    sync_leave();
    errno = error;
    return result;
}

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    ssize_t got;

    if (!io_begin(fd, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.eventfd_read(fd, value);
    got = real.read(fd, value, sizeof *value);
    return end_read(fd, value, sizeof *value, got, CALLER) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    ssize_t put;

    if (!io_begin(fd, POLLOUT, 0, CALLER))
        return io_cut_short() ? -1 : real.eventfd_write(fd, value);
    put = real.write(fd, &value, sizeof value);
    if (put > 0)
        channel_wrote(fd, sizeof value, value, CALLER);
    return end_write(-1, -1, NULL, put, CALLER) == sizeof value ? 0 : -1;
}
