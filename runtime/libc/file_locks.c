/* Locks on files by which threads exclude each other: of flock, and of fcntl where they belong to an open file (F_OFD_…).
 *
 * They belong to an open file and not to a thread, so they are no locks of the trace: calls that take or give back a lock on one
 * file keep their recorded order in every predicted run. Locks of fcntl that belong to the process exclude no threads. */
#include "runtime/libc/file_locks.h"
#include "runtime/libc/surroundings.h"
#include "runtime/runtime.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/places.h"
#include "runtime/shared/real.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>

static bool any_lock; /* was taken, ever */

/* The key of a file's locks. */
static uint64_t locks_of(uint64_t content)
{
    return content ^ UINT64_C(1) << 63;
}

static void note_locks(int fd, uintptr_t pc)
{
    uint64_t content = surroundings_content(fd);

    any_lock = true;
    if (content)
        place_change(locks_of(content), pc);
}

void file_locks_closed(int fd, uintptr_t pc)
{
    if (any_lock)
        note_locks(fd, pc);
}

/* Before a call that waits outside, and after it: the thread has no turn in between. */
static void begin_wait(void)
{
    INVARIANT(local.turn);
    sched_outside();
    local.inside = false;
}

static void end_wait(void)
{
    int error = errno;

    local.inside = true;
    sched_inside();
    errno = error;
}

static int end_call(int fd, int result, uintptr_t pc)
{
    int error = errno;

    note_locks(fd, pc);
    sync_leave();
    errno = error;
    return result;
}

EXPORT int flock(int fd, int operation)
{
    int result;

    if (!real.flock)
        real_find();
    if (!surroundings_content(fd) || !surroundings_begin(CALLER))
        return real.flock(fd, operation);
    result = real.flock(fd, operation & LOCK_UN ? operation : operation | LOCK_NB);
    if (result != 0 && errno == EWOULDBLOCK && !(operation & LOCK_NB)) {
        begin_wait();
        result = real.flock(fd, operation);
        end_wait();
    }
    return end_call(fd, result, CALLER);
}

static int control(int fd, int command, void *argument, uintptr_t pc)
{
    int result;

    if (!real.fcntl64)
        real_find();
    if ((command != F_OFD_SETLK && command != F_OFD_SETLKW) || !surroundings_content(fd) ||
        !surroundings_begin(pc))
        return real.fcntl64(fd, command, argument);
    result = real.fcntl64(fd, F_OFD_SETLK, argument);
    if (result != 0 && (errno == EAGAIN || errno == EACCES) && command == F_OFD_SETLKW) {
        begin_wait();
        result = real.fcntl64(fd, command, argument);
        end_wait();
    }
    return end_call(fd, result, pc);
}

/* Both have the same arguments on 64-bit machines. */
#define CONTROLS(function)                                                                                     \
    EXPORT int function(int fd, int command, ...)                                                              \
    {                                                                                                          \
        va_list list;                                                                                          \
        void *argument;                                                                                        \
                                                                                                               \
        va_start(list, command);                                                                               \
        argument = va_arg(list, void *);                                                                       \
        va_end(list);                                                                                          \
        return control(fd, command, argument, CALLER);                                                         \
    }

CONTROLS(fcntl)
CONTROLS(fcntl64)
