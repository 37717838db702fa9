/* The forms of input functions that check bounds, which programs built with -D_FORTIFY_SOURCE call. */
#include "runtime/runtime.h"
#include "runtime/shared/real.h"

#include <sys/socket.h>
#include <unistd.h>

static void check(size_t wanted, size_t known)
{
    if (!real.__chk_fail)
        real_find();
    if (wanted > known)
        real.__chk_fail();
}

/* The compiler makes a jump of the last call: it comes from the caller of these. */
EXPORT ssize_t __read_chk(int fd, void *to, size_t length, size_t known)
{
    check(length, known);
    return read(fd, to, length);
}

EXPORT ssize_t __pread_chk(int fd, void *to, size_t length, off_t offset, size_t known)
{
    check(length, known);
    return pread(fd, to, length, offset);
}

EXPORT ssize_t __recv_chk(int fd, void *to, size_t length, size_t known, int flags)
{
    check(length, known);
    return recv(fd, to, length, flags);
}

EXPORT ssize_t __recvfrom_chk(int fd, void *restrict to, size_t length, size_t known, int flags,
                              __SOCKADDR_ARG from, socklen_t *restrict from_length)
{
    check(length, known);
    return recvfrom(fd, to, length, flags, from, from_length);
}

EXPORT int __poll_chk(struct pollfd *fds, nfds_t count, int limit, size_t known)
{
    check(count, known / sizeof *fds);
    return poll(fds, count, limit);
}

EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask,
                       size_t known)
{
    check(count, known / sizeof *fds);
    return ppoll(fds, count, limit, mask);
}

EXPORT char *__fgets_chk(char *to, size_t known, int room, FILE *stream)
{
    check(room > 0 ? (size_t)room : 0, known);
    return fgets(to, room, stream);
}

EXPORT size_t __fread_chk(void *restrict to, size_t known, size_t size, size_t count, FILE *restrict stream)
{
    size_t length;

    check(__builtin_mul_overflow(size, count, &length) ? SIZE_MAX : length, known);
    return fread(to, size, count, stream);
}

EXPORT char *__fgets_unlocked_chk(char *to, size_t known, int room, FILE *stream)
{
    check(room > 0 ? (size_t)room : 0, known);
    return fgets(to, room, stream);
}

EXPORT size_t __fread_unlocked_chk(void *restrict to, size_t known, size_t size, size_t count,
                                   FILE *restrict stream)
{
    size_t length;

    check(__builtin_mul_overflow(size, count, &length) ? SIZE_MAX : length, known);
    return fread(to, size, count, stream);
}
