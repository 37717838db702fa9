/* poll, select and epoll: they wait at the scheduler, and what they found is order. */
#include "channels.h"
#include "real.h"
#include "sched.h"
#include "timing.h"

#include <errno.h>
#include <sys/epoll.h>

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
