/* poll, select and epoll: they wait at the scheduler, and what they found is order. */
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <signal.h>
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
        if (ready == 0 && local.self->interrupted) {
            errno = EINTR;
            return -1;
        }
        if (ready != 0 || (sched_poll(fds, (unsigned)count, deadline) == WAKE_TIME && !local.self->interrupted))
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

/* A mask for the time of the wait: a handler that it lets through ends the wait. */
static void set_mask(const sigset_t *mask, sigset_t *old)
{
    sigset_t ours;

    if (!mask)
        return;
    ours = *mask;
    sigdelset(&ours, SESSION_PREEMPT);
    real.pthread_sigmask(SIG_SETMASK, &ours, old);
}

static void reset_mask(const sigset_t *mask, const sigset_t *old)
{
    int error = errno;

    if (mask)
        real.pthread_sigmask(SIG_SETMASK, old, NULL);
    errno = error;
}

EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *limit, const sigset_t *mask)
{
    sigset_t old;
    int ready;

    if (!sync_enter(CALLER))
        return real.ppoll(fds, count, limit, mask);
    set_mask(mask, &old);
    ready = poll_until(fds, count, limit ? timing_after(limit) : TIME_NEVER);
    reset_mask(mask, &old);
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

static int select_until(int count, fd_set *in, fd_set *out, fd_set *odd, uint64_t deadline, uintptr_t pc)
{
    struct pollfd fds[FD_SETSIZE];
    struct timeval none = {0};
    unsigned used = gather(count, in, out, odd, fds);
    int ready = poll_until(fds, used, deadline);

    if (ready < 0)
        return ready;
    INVARIANT(used <= FD_SETSIZE);
    channel_polled(fds, used, pc);
    return real.select(count, in, out, odd, &none);
}

EXPORT int select(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
                  struct timeval *restrict limit)
{
    uint64_t deadline;
    int ready;

    if (!sync_enter(CALLER))
        return real.select(count, in, out, odd, limit);
    deadline = limit ? sched_now() + (uint64_t)limit->tv_sec * 1000000000 + (uint64_t)limit->tv_usec * 1000
                     : TIME_NEVER;
    ready = select_until(count, in, out, odd, deadline, CALLER);
    sync_leave();
    return ready;
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict odd,
                   const struct timespec *restrict limit, const sigset_t *restrict mask)
{
    sigset_t old;
    int ready;

    if (!sync_enter(CALLER))
        return real.pselect(count, in, out, odd, limit, mask);
    set_mask(mask, &old);
    ready = select_until(count, in, out, odd, limit ? timing_after(limit) : TIME_NEVER, CALLER);
    reset_mask(mask, &old);
    sync_leave();
    return ready;
}

static int epoll_until(int fd, struct epoll_event *events, int most, uint64_t deadline, uintptr_t pc)
{
    struct pollfd one = {.fd = fd, .events = POLLIN};
    int ready, error;

    if (poll_until(&one, 1, deadline) < 0)
        return -1;
    ready = real.epoll_wait(fd, events, most, 0);
    error = errno;
    if (ready >= 0)
        channel_polled(NULL, 0, pc);
    INVARIANT(ready <= most);
    for (int i = 0; i < ready; i++)
        watch_told(fd, events[i].data.u64, pc);
    if (ready > 0 && module_instrumented(pc))
        touch_write(events, (size_t)ready * sizeof *events, pc);
    errno = error;
    return ready;
}

EXPORT int epoll_ctl(int epoll, int way, int fd, struct epoll_event *event)
{
    int result, error;

    if (!real.epoll_ctl)
        real_find();
    if (!sync_enter(CALLER))
        return real.epoll_ctl(epoll, way, fd, event);
    if (event && way != EPOLL_CTL_DEL) {
        watch_set(epoll, fd, event->data.u64, CALLER);
        if (module_instrumented(CALLER))
            touch_read(event, sizeof *event, CALLER);
    }
    result = real.epoll_ctl(epoll, way, fd, event);
    error = errno;
    sync_leave();
    errno = error;
    return result;
}

EXPORT int epoll_wait(int fd, struct epoll_event *events, int most, int limit)
{
    int ready;

    if (!sync_enter(CALLER))
        return real.epoll_wait(fd, events, most, limit);
    ready = epoll_until(fd, events, most, deadline_of(limit), CALLER);
    sync_leave();
    return ready;
}

EXPORT int epoll_pwait(int fd, struct epoll_event *events, int most, int limit, const sigset_t *mask)
{
    sigset_t old;
    int ready;

    if (!sync_enter(CALLER))
        return real.epoll_pwait(fd, events, most, limit, mask);
    set_mask(mask, &old);
    ready = epoll_until(fd, events, most, deadline_of(limit), CALLER);
    reset_mask(mask, &old);
    sync_leave();
    return ready;
}
