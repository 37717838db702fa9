/* What the compiler calls before plain accesses: gcc 12 and clang 14 to 19. */
#include "access.h"
#include "sched.h"

#include <limits.h>

bool hook_slow(void)
{
    if (!rt.ready)
        runtime_start();
    if (!recording()) {
        local.budget = INT32_MAX;
        return false;
    }
    if (local.inside) { /* a signal handler that interrupted the runtime, or a thread past its end */
        local.budget = 0;
        atomic_fetch_add_explicit(&rt.session->lost, 1, memory_order_relaxed);
        return false;
    }
    local.inside = true;
    if (rt.turn == local.self && local.self)
        sched_yield_turn();
    else
        sched_take_turn();
    local.inside = false;
    return recording();
}

static void touch(const void *at, size_t length, bool write, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)at;

    if (length == 0)
        return;
    if (length <= 8) {
        plain_access(at, (unsigned)length, write, pc);
        return;
    }
    local.budget -= (int32_t)(length < 4096 ? length / 16 : 256);
    if (UNLIKELY(local.budget < 0) && !hook_slow())
        return;
    if (rt.mode == SESSION_OFF || (rt.mode != SESSION_ALL && !shadow_wants_range(address, length, write)))
        return;
    log_range(write ? RECORD_WRITE : RECORD_READ, at, length, pc);
}

void touch_read(const void *address, size_t length, uintptr_t pc)
{
    touch(address, length, false, pc);
}

void touch_write(const void *address, size_t length, uintptr_t pc)
{
    touch(address, length, true, pc);
}

#define PLAIN(size)                                                                                            \
    EXPORT void __tsan_read##size(void *at)                                                                    \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
    }                                                                                                          \
    EXPORT void __tsan_write##size(void *at)                                                                   \
    {                                                                                                          \
        plain_access(at, size, true, CALLER);                                                                  \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_read##size(void *at)                                                          \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_write##size(void *at)                                                         \
    {                                                                                                          \
        plain_access(at, size, true, CALLER);                                                                  \
    }                                                                                                          \
    EXPORT void __tsan_volatile_read##size(void *at)                                                           \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
    }                                                                                                          \
    EXPORT void __tsan_volatile_write##size(void *at)                                                          \
    {                                                                                                          \
        plain_access(at, size, true, CALLER);                                                                  \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_volatile_read##size(void *at)                                                 \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_volatile_write##size(void *at)                                                \
    {                                                                                                          \
        plain_access(at, size, true, CALLER);                                                                  \
    }                                                                                                          \
    EXPORT void __tsan_read_write##size(void *at)                                                              \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
        plain_access(at, size, true, CALLER);                                                                  \
    }                                                                                                          \
    EXPORT void __tsan_unaligned_read_write##size(void *at)                                                    \
    {                                                                                                          \
        plain_access(at, size, false, CALLER);                                                                 \
        plain_access(at, size, true, CALLER);                                                                  \
    }

PLAIN(1)
PLAIN(2)
PLAIN(4)
PLAIN(8)

#define WIDE(name, write)                                                                                      \
    EXPORT void name(void *at)                                                                                 \
    {                                                                                                          \
        touch(at, 16, write, CALLER);                                                                          \
    }

WIDE(__tsan_read16, false)
WIDE(__tsan_write16, true)
WIDE(__tsan_unaligned_read16, false)
WIDE(__tsan_unaligned_write16, true)
WIDE(__tsan_volatile_read16, false)
WIDE(__tsan_volatile_write16, true)
WIDE(__tsan_unaligned_volatile_read16, false)
WIDE(__tsan_unaligned_volatile_write16, true)

EXPORT void __tsan_read_write16(void *at)
{
    touch(at, 16, false, CALLER);
    touch(at, 16, true, CALLER);
}

EXPORT void __tsan_unaligned_read_write16(void *at)
{
    touch(at, 16, false, CALLER);
    touch(at, 16, true, CALLER);
}

EXPORT void __tsan_read_range(void *at, size_t length)
{
    touch(at, length, false, CALLER);
}

EXPORT void __tsan_write_range(void *at, size_t length)
{
    touch(at, length, true, CALLER);
}

/* Only a change of the table pointer is a write: constructors of base and derived class set it in turn. */
EXPORT void __tsan_vptr_update(void **at, void *table)
{
    if (*at != table)
        plain_access(at, 8, true, CALLER);
}

EXPORT void __tsan_vptr_read(void **at)
{
    plain_access(at, 8, false, CALLER);
}

EXPORT void __tsan_init(void)
{
    runtime_start();
}

EXPORT void __tsan_func_entry(void *pc)
{
    (void)pc;
}

EXPORT void __tsan_func_exit(void)
{
}

EXPORT void __tsan_ignore_thread_begin(void)
{
}

EXPORT void __tsan_ignore_thread_end(void)
{
}
