/* Descriptors: calls that would block wait at the scheduler instead; what they move is accesses of the caller.
 */
#include "channels.h"
#include "real.h"
#include "sched.h"
#include "timing.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/* Waits until the call would not block. A descriptor that is set not to block, or is none, is not waited for.
 */
static void await(int fd, short events, int flags)
{
    struct pollfd one = {.fd = fd, .events = events};

    while (!(flags & MSG_DONTWAIT) && real.poll(&one, 1, 0) == 0) {
        int mode = fcntl(fd, F_GETFL);
        if (mode < 0 || mode & O_NONBLOCK)
            return;
        sched_poll(&one, 1, TIME_NEVER);
        sync_cancellation_point();
    }
}

/* Enters the scheduler for a call on a descriptor; the call is then made at the thread's turn. */
static bool begin(int fd, short events, int flags, uintptr_t pc)
{
    if (!sync_enter(pc))
        return false;
    await(fd, events, flags);
    return true;
}

/* What comes out of a channel was put in before: the order first, then what is done to the caller's memory. */
static ssize_t end_read(int fd, void *to, size_t wanted, ssize_t got, uintptr_t pc)
{
    int error = errno;

    if (fd >= 0)
        channel_read(fd, wanted, got, pc);
    if (got > 0 && to && module_instrumented(pc))
        touch_write(to, (size_t)got, pc);
    sync_leave();
    errno = error;
    return got;
}

/* What is written was read before: the event comes after the call, at the same turn. */
static ssize_t end_write(int fd, const void *from, ssize_t put, uintptr_t pc)
{
    uint64_t value = 1; /* what a counter gets */
    int error = errno;

    if (put > 0) {
        if (from && module_instrumented(pc))
            touch_read(from, (size_t)put, pc);
        if (from && put == sizeof value)
            copy_bytes(&value, from, sizeof value);
        if (fd >= 0)
            channel_wrote(fd, (size_t)put, value, pc);
    }
    sync_leave();
    errno = error;
    return put;
}

EXPORT ssize_t read(int fd, void *to, size_t length)
{
    if (!begin(fd, POLLIN, 0, CALLER))
        return real.read(fd, to, length);
    return end_read(fd, to, length, real.read(fd, to, length), CALLER);
}

EXPORT ssize_t write(int fd, const void *from, size_t length)
{
    if (!begin(fd, POLLOUT, 0, CALLER))
        return real.write(fd, from, length);
    return end_write(fd, from, real.write(fd, from, length), CALLER);
}

EXPORT ssize_t pread(int fd, void *to, size_t length, off_t offset)
{
    if (!sync_enter(CALLER))
        return real.pread(fd, to, length, offset);
    return end_read(-1, to, length, real.pread(fd, to, length, offset), CALLER);
}

EXPORT ssize_t pwrite(int fd, const void *from, size_t length, off_t offset)
{
    if (!sync_enter(CALLER))
        return real.pwrite(fd, from, length, offset);
    return end_write(-1, from, real.pwrite(fd, from, length, offset), CALLER);
}

/* Parts of a vector up to `length` bytes in all. */
static void touch_vector(const struct iovec *parts, int count, ssize_t length, bool write, uintptr_t pc)
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

static size_t vector_length(const struct iovec *parts, size_t count)
{
    size_t length = 0;

    for (size_t i = 0; i < count; i++)
        length += parts[i].iov_len;
    return length;
}

EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
    ssize_t got;

    if (!begin(fd, POLLIN, 0, CALLER))
        return real.readv(fd, parts, count);
    got = real.readv(fd, parts, count);
    channel_read(fd, vector_length(parts, (size_t)count), got, CALLER);
    touch_vector(parts, count, got, true, CALLER);
    return end_read(-1, NULL, 0, got, CALLER);
}

EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t put;

    if (!begin(fd, POLLOUT, 0, CALLER))
        return real.writev(fd, parts, count);
    put = real.writev(fd, parts, count);
    touch_vector(parts, count, put, false, CALLER);
    return end_write(fd, NULL, put, CALLER);
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

EXPORT ssize_t recv(int fd, void *to, size_t length, int flags)
{
    ssize_t got;

    if (!begin(fd, POLLIN, flags, CALLER))
        return real.recv(fd, to, length, flags);
    got = real.recv(fd, to, length, flags);
    received(fd, length, got, flags, CALLER);
    return end_read(-1, to, length, got, CALLER);
}

EXPORT ssize_t recvfrom(int fd, void *restrict to, size_t length, int flags, __SOCKADDR_ARG from,
                        socklen_t *restrict from_length)
{
    ssize_t got;

    if (!begin(fd, POLLIN, flags, CALLER))
        return real.recvfrom(fd, to, length, flags, from.__sockaddr__, from_length);
    got = real.recvfrom(fd, to, length, flags, from.__sockaddr__, from_length);
    received(fd, length, got, flags, CALLER);
    return end_read(-1, to, length, got, CALLER);
}

EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
    ssize_t got;

    if (!begin(fd, POLLIN, flags, CALLER))
        return real.recvmsg(fd, message, flags);
    got = real.recvmsg(fd, message, flags);
    received(fd, vector_length(message->msg_iov, message->msg_iovlen), got, flags, CALLER);
    touch_vector(message->msg_iov, (int)message->msg_iovlen, got, true, CALLER);
    return end_read(-1, NULL, 0, got, CALLER);
}

EXPORT ssize_t send(int fd, const void *from, size_t length, int flags)
{
    if (!begin(fd, POLLOUT, flags, CALLER))
        return real.send(fd, from, length, flags);
    return end_write(fd, from, real.send(fd, from, length, flags), CALLER);
}

EXPORT ssize_t sendto(int fd, const void *from, size_t length, int flags, __CONST_SOCKADDR_ARG to,
                      socklen_t to_length)
{
    if (!begin(fd, POLLOUT, flags, CALLER))
        return real.sendto(fd, from, length, flags, to.__sockaddr__, to_length);
    return end_write(fd, from, real.sendto(fd, from, length, flags, to.__sockaddr__, to_length), CALLER);
}

EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
    ssize_t put;

    if (!begin(fd, POLLOUT, flags, CALLER))
        return real.sendmsg(fd, message, flags);
    put = real.sendmsg(fd, message, flags);
    touch_vector(message->msg_iov, (int)message->msg_iovlen, put, false, CALLER);
    return end_write(fd, NULL, put, CALLER);
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
    if (!begin(fd, POLLIN, 0, CALLER))
        return real.accept(fd, from.__sockaddr__, length);
    return end_accept(fd, real.accept(fd, from.__sockaddr__, length), CALLER);
}

EXPORT int accept4(int fd, __SOCKADDR_ARG from, socklen_t *restrict length, int flags)
{
    if (!begin(fd, POLLIN, 0, CALLER))
        return real.accept4(fd, from.__sockaddr__, length, flags);
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

/* Milliseconds as poll takes them. */
static uint64_t deadline_of(int milliseconds)
{
    return milliseconds < 0 ? TIME_NEVER : sched_now() + (uint64_t)milliseconds * 1000000;
}

static int poll_until(struct pollfd *fds, nfds_t count, uint64_t deadline)
{
    for (;;) {
        int ready = real.poll(fds, count, 0);
        if (ready != 0 || !sched_poll(fds, (unsigned)count, deadline))
            return ready;
        sync_cancellation_point();
    }
}

/* What is ready, and what is not, is what the caller acts on. */
static void end_poll(struct pollfd *fds, unsigned count, int ready, uintptr_t pc)
{
    int error = errno;

    if (ready < 0)
        return;
    channel_polled(fds, count, pc);
    for (unsigned i = 0; i < count && module_instrumented(pc); i++) {
        touch_read(&fds[i].fd, sizeof fds[i].fd, pc);
        touch_read(&fds[i].events, sizeof fds[i].events, pc);
        touch_write(&fds[i].revents, sizeof fds[i].revents, pc);
    }
    errno = error;
}

EXPORT int poll(struct pollfd *fds, nfds_t count, int limit)
{
    int ready;

    if (!real.poll)
        real_find();
    if (!sync_enter(CALLER))
        return real.poll(fds, count, limit);
    ready = poll_until(fds, count, deadline_of(limit));
    end_poll(fds, (unsigned)count, ready, CALLER);
    sync_leave();
    return ready;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
    int ready;

    if (mask || !sync_enter(CALLER))
        return real.ppoll(fds, count, limit, mask);
    ready = poll_until(fds, count, limit ? timing_after(limit) : TIME_NEVER);
    end_poll(fds, (unsigned)count, ready, CALLER);
    sync_leave();
    return ready;
}

/* Sets of select as descriptors of poll. */
static unsigned gather(int count, const fd_set *in, const fd_set *out, const fd_set *odd, struct pollfd *fds)
{
    unsigned used = 0;

    for (int fd = 0; fd < count && fd < FD_SETSIZE; fd++) {
        short events =
            (short)((in && FD_ISSET(fd, in) ? POLLIN : 0) | (out && FD_ISSET(fd, out) ? POLLOUT : 0) |
                    (odd && FD_ISSET(fd, odd) ? POLLPRI : 0));
        if (events)
            fds[used++] = (struct pollfd){.fd = fd, .events = events};
    }
    return used;
}

EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
                  struct timeval *restrict limit)
{
    struct pollfd fds[FD_SETSIZE];
    struct timeval none = {0};
    uint64_t deadline;
    unsigned used;

    if (!sync_enter(CALLER))
        return real.select(count, in, out, odd, limit);
    deadline = limit ? sched_now() + (uint64_t)limit->tv_sec * 1000000000 + (uint64_t)limit->tv_usec * 1000
                     : TIME_NEVER;
    used = gather(count, in, out, odd, fds);
    poll_until(fds, used, deadline);
    channel_polled(fds, used, CALLER);
    sync_leave();
    return real.select(count, in, out, odd, &none);
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int limit)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int ready, error;

    if (!sync_enter(CALLER))
        return real.epoll_wait(fd, events, most, limit);
    poll_until(&one, 1, deadline_of(limit));
    ready = real.epoll_wait(fd, events, most, 0);
    error = errno;
    if (ready >= 0)
        channel_polled(NULL, 0, CALLER);
    if (ready > 0 && module_instrumented(CALLER))
        touch_write(events, (size_t)ready * sizeof *events, CALLER);
    sync_leave();
    errno = error;
    return ready;
}

EXPORT int close(int fd)
{
    if (!real.close)
        real_find();
    if (!sync_enter(CALLER))
        return real.close(fd);
    channel_closed(fd, CALLER);
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

EXPORT int eventfd_read(int fd, eventfd_t *value)
{
    ssize_t got;

    if (!begin(fd, POLLIN, 0, CALLER))
        return real.eventfd_read(fd, value);
    got = real.read(fd, value, sizeof *value);
    return end_read(fd, value, sizeof *value, got, CALLER) == sizeof *value ? 0 : -1;
}

EXPORT int eventfd_write(int fd, eventfd_t value)
{
    ssize_t put;

    if (!begin(fd, POLLOUT, 0, CALLER))
        return real.eventfd_write(fd, value);
    put = real.write(fd, &value, sizeof value);
    if (put > 0)
        channel_wrote(fd, sizeof value, value, CALLER);
    return end_write(-1, NULL, put, CALLER) == sizeof value ? 0 : -1;
}
