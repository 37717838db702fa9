/* Asynchronous input. Threads of the C library do the work and make no records; the call that asks for the result stands for it. */
#include "runtime/libc/surroundings.h"
#include "runtime/sched/sched.h"
#include "runtime/shared/channels.h"
#include "runtime/shared/real.h"

#include <errno.h>

static void note_result(int fd, void *buffer, size_t wanted, ssize_t got, uintptr_t pc)
{
    int error = errno;

    if (!sync_enter(pc))
        return;
    channel_read(fd, wanted, got, pc);
    surroundings_read(fd, pc);
    if (got > 0 && module_instrumented(pc))
        touch_write(buffer, (size_t)got, pc);
    sync_leave();
    errno = error;
}

/* The same for both sizes of file offsets, which are one on 64-bit machines. */
#define ASYNCHRONOUS(suffix)                                                                                   \
    EXPORT ssize_t aio_return##suffix(struct aiocb##suffix *block)                                             \
    {                                                                                                          \
        ssize_t got;                                                                                           \
                                                                                                               \
        if (!real.aio_return##suffix)                                                                          \
            real_find();                                                                                       \
        got = real.aio_return##suffix(block);                                                                  \
        if (block->aio_lio_opcode == LIO_READ)                                                                 \
            note_result(block->aio_fildes, (void *)block->aio_buf, block->aio_nbytes, got, CALLER);            \
        return got;                                                                                            \
    }                                                                                                          \
    EXPORT int aio_suspend##suffix(const struct aiocb##suffix *const blocks[], int count,                      \
                                   const struct timespec *restrict limit)                                      \
    {                                                                                                          \
        int result, error;                                                                                     \
                                                                                                               \
        if (!real.aio_suspend##suffix)                                                                         \
            real_find();                                                                                       \
        if (!sync_enter(CALLER))                                                                               \
            return real.aio_suspend##suffix(blocks, count, limit);                                             \
        sched_outside();                                                                                       \
        result = real.aio_suspend##suffix(blocks, count, limit);                                               \
        error = errno;                                                                                         \
        sched_inside();                                                                                        \
        sync_leave();                                                                                          \
        errno = error;                                                                                         \
        return result;                                                                                         \
    }

ASYNCHRONOUS()
ASYNCHRONOUS(64)
