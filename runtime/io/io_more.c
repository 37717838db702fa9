/* Calls on descriptors that move much at once, or from one to another without the caller's memory. */
#include "runtime/io/io.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>

/* At the position of the descriptor they are readv and writev. */
EXPORT ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    if (!real.preadv2)
        real_find();
    return offset == -1 && flags == 0 ? readv(fd, parts, count) : real.preadv2(fd, parts, count, offset, flags);
}

EXPORT ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    if (!real.pwritev2)
        real_find();
    return offset == -1 && flags == 0 ? writev(fd, parts, count)
                                      : real.pwritev2(fd, parts, count, offset, flags);
}

/* Several messages: one after the other, until one would block. */
EXPORT int recvmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *limit)
{
    unsigned got = 0;

    if (!real.recvmmsg)
        real_find();
    if (limit || !rt.ready || !recording() || local.inside)
        return real.recvmmsg(fd, messages, count, flags, limit);
    while (got < count) {
        int more = (flags & ~MSG_WAITFORONE) | (got > 0 && flags & MSG_WAITFORONE ? MSG_DONTWAIT : 0);
        ssize_t length = recvmsg(fd, &messages[got].msg_hdr, more);
        if (length < 0)
            break;
        messages[got++].msg_len = (unsigned)length;
    }
    return got > 0 || count == 0 ? (int)got : -1;
}

EXPORT int sendmmsg(int fd, struct mmsghdr *messages, unsigned count, int flags)
{
    unsigned put = 0;

    if (!real.sendmmsg)
        real_find();
    if (!rt.ready || !recording() || local.inside)
        return real.sendmmsg(fd, messages, count, flags);
    while (put < count) {
        ssize_t length = sendmsg(fd, &messages[put].msg_hdr, flags);
        if (length < 0)
            break;
        messages[put++].msg_len = (unsigned)length;
    }
    return put > 0 || count == 0 ? (int)put : -1;
}

/* What went from one descriptor to another. */
static ssize_t moved(int in, int out, size_t wanted, ssize_t length, uintptr_t pc)
{
    int error = errno;

    channel_read(in, wanted, length, pc);
    if (length > 0)
        channel_wrote(out, (size_t)length, 1, pc);
    sync_leave();
    errno = error;
    return length;
}

EXPORT ssize_t splice(int in, off64_t *in_offset, int out, off64_t *out_offset, size_t length, unsigned flags)
{
    if (!real.splice)
        real_find();
    if (!io_begin(in, POLLIN, flags & SPLICE_F_NONBLOCK ? MSG_DONTWAIT : 0, CALLER))
        return io_cut_short() ? -1 : real.splice(in, in_offset, out, out_offset, length, flags);
    return moved(in, out, length, real.splice(in, in_offset, out, out_offset, length, flags), CALLER);
}

/* What is copied stays where it was: a look. */
EXPORT ssize_t tee(int in, int out, size_t length, unsigned flags)
{
    struct pollfd one = {.fd = in, .events = POLLIN};
    ssize_t copied;
    int error;

    if (!real.tee)
        real_find();
    if (!io_begin(in, POLLIN, flags & SPLICE_F_NONBLOCK ? MSG_DONTWAIT : 0, CALLER))
        return io_cut_short() ? -1 : real.tee(in, out, length, flags);
    copied = real.tee(in, out, length, flags);
    error = errno;
    one.revents = copied >= 0 ? POLLIN : 0;
    channel_polled(&one, 1, CALLER);
    if (copied > 0)
        channel_wrote(out, (size_t)copied, 1, CALLER);
    sync_leave();
    errno = error;
    return copied;
}

/* In both directions: into a pipe, or out of it. */
EXPORT ssize_t vmsplice(int fd, const struct iovec *parts, size_t count, unsigned flags)
{
    bool reads = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    size_t wanted = 0;
    ssize_t moved;
    int error;

    if (!real.vmsplice)
        real_find();
    if (!io_begin(fd, reads ? POLLIN : POLLOUT, flags & SPLICE_F_NONBLOCK ? MSG_DONTWAIT : 0, CALLER))
        return io_cut_short() ? -1 : real.vmsplice(fd, parts, count, flags);
    moved = real.vmsplice(fd, parts, count, flags);
    error = errno;
    for (size_t i = 0; i < count; i++)
        wanted += parts[i].iov_len;
    if (reads)
        channel_read(fd, wanted, moved, CALLER);
    io_touch_vector(parts, (int)count, moved, reads, CALLER);
    if (!reads && moved > 0)
        channel_wrote(fd, (size_t)moved, 1, CALLER);
    sync_leave();
    errno = error;
    return moved;
}

EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t length)
{
    if (!real.sendfile)
        real_find();
    if (!io_begin(out, POLLOUT, 0, CALLER))
        return io_cut_short() ? -1 : real.sendfile(out, in, offset, length);
    return moved(in, out, length, real.sendfile(out, in, offset, length), CALLER);
}
