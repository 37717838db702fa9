/* Message queues and semaphores of the kernel's, by System V and by POSIX: a thread that waits does so at the
 * scheduler, and comes after everything that was sent.
 *
 * None of System V's can be polled. A blocked thread tries again when another thread has sent something, or
 * when no other thread can run: another process may have. */
#include "runtime/io/io.h"
#include "runtime/sched/sched.h"
#include "runtime/sched/timing.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <mqueue.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>

static char queues; /* the key of all that wait */

/* Between tries. False: a signal handler has ended the call. */
static bool await(uint64_t deadline)
{
    if (local.self->interrupted)
        errno = EINTR;
    else if (local.self->foreign = true, sched_block(WAIT_SEMAPHORE, &queues, deadline) == WAKE_TIME)
        errno = EAGAIN;
    else
        return true;
    return false;
}

static void sending(uintptr_t pc)
{
    signal_sent(SENT_MESSAGE, pc);
}

static void done(bool well, uintptr_t pc)
{
    int error = errno;

    if (well) {
        signal_received(SENT_MESSAGE, pc);
        sched_wake(&queues, UINT32_MAX);
    }
    sync_leave();
    errno = error;
}

EXPORT int msgsnd(int queue, const void *message, size_t length, int flags)
{
    int result;

    if (!real.msgsnd)
        real_find();
    if (!sync_enter(CALLER))
        return real.msgsnd(queue, message, length, flags);
    sending(CALLER);
    do
        result = real.msgsnd(queue, message, length, flags | IPC_NOWAIT);
    while (result < 0 && errno == EAGAIN && !(flags & IPC_NOWAIT) && await(TIME_NEVER));
    if (result == 0 && module_instrumented(CALLER))
        touch_read(message, sizeof(long) + length, CALLER);
    done(result == 0, CALLER);
    return result;
}

EXPORT ssize_t msgrcv(int queue, void *message, size_t room, long type, int flags)
{
    ssize_t got;

    if (!real.msgrcv)
        real_find();
    if (!sync_enter(CALLER))
        return real.msgrcv(queue, message, room, type, flags);
    do
        got = real.msgrcv(queue, message, room, type, flags | IPC_NOWAIT);
    while (got < 0 && errno == ENOMSG && !(flags & IPC_NOWAIT) && await(TIME_NEVER));
    if (got >= 0 && module_instrumented(CALLER))
        touch_write(message, sizeof(long) + (size_t)got, CALLER);
    done(got >= 0, CALLER);
    return got;
}

static bool all_wait(const struct sembuf *steps, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].sem_flg & IPC_NOWAIT)
            return false;
    return true;
}

/* Tries the call with a time limit of zero. */
static int change_semaphores(int set, struct sembuf *steps, size_t count, uint64_t deadline, uintptr_t pc)
{
    const struct timespec none = {0};
    int result;

    sending(pc);
    do
        result = real.semtimedop(set, steps, count, &none);
    while (result < 0 && errno == EAGAIN && all_wait(steps, count) && await(deadline));
    done(result == 0, pc);
    return result;
}

EXPORT int semop(int set, struct sembuf *steps, size_t count)
{
    if (!real.semop)
        real_find();
    if (!sync_enter(CALLER))
        return real.semop(set, steps, count);
    return change_semaphores(set, steps, count, TIME_NEVER, CALLER);
}

EXPORT int semtimedop(int set, struct sembuf *steps, size_t count, const struct timespec *limit)
{
    if (!real.semtimedop)
        real_find();
    if (!sync_enter(CALLER))
        return real.semtimedop(set, steps, count, limit);
    return change_semaphores(set, steps, count, limit ? timing_after(limit) : TIME_NEVER, CALLER);
}

/* POSIX's are descriptors. */
EXPORT int mq_send(mqd_t queue, const char *message, size_t length, unsigned priority)
{
    int result;

    if (!real.mq_send)
        real_find();
    if (!io_begin(queue, POLLOUT, 0, CALLER))
        return io_cut_short() ? -1 : real.mq_send(queue, message, length, priority);
    sending(CALLER);
    result = real.mq_send(queue, message, length, priority);
    if (result == 0 && module_instrumented(CALLER))
        touch_read(message, length, CALLER);
    done(result == 0, CALLER);
    return result;
}

EXPORT ssize_t mq_receive(mqd_t queue, char *message, size_t room, unsigned *priority)
{
    ssize_t got;

    if (!real.mq_receive)
        real_find();
    if (!io_begin(queue, POLLIN, 0, CALLER))
        return io_cut_short() ? -1 : real.mq_receive(queue, message, room, priority);
    got = real.mq_receive(queue, message, room, priority);
    if (got > 0 && module_instrumented(CALLER))
        touch_write(message, (size_t)got, CALLER);
    done(got >= 0, CALLER);
    return got;
}
