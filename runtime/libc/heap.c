/* Memory: a block is a new variable each time it is handed out. */
#include "runtime/libc/heap_blocks.h"
#include "runtime/sched/sched.h"
#include "runtime/shadow.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <stdlib.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
extern size_t malloc_usable_size(void *);

/* Where blocks are is the same in every pass only when they are handed out in the same order. */
bool heap_may_log(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self)
        return false;
    if (UNLIKELY(!local.turn || hot.budget < 0)) {
        local.inside = true;
        sched_take_turn();
        local.inside = false;
    }
    rt.acted = true;
    return recording();
}

void heap_note(unsigned kind, void *block, size_t length, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)block;

    if (!block || length == 0)
        return;
    if (rt.mode != SESSION_ALL || rt.trial) {
        if (kind == RECORD_ALLOC)
            blocks_begin(address, length);
        else if (kind == RECORD_GROW)
            blocks_grow(address, length);
        else
            shadow_renew(address, length, false);
    }
    if (rt.mode == SESSION_MARK || (rt.mode == SESSION_FILTER && !shadow_any(address, length)))
        return;
    log_emit(kind, block, local.alloc_pc ? local.alloc_pc : pc, length);
}

static void forget(void *block)
{
    if (rt.mode != SESSION_ALL || rt.trial)
        blocks_end((uint64_t)(uintptr_t)block);
}

EXPORT void *malloc(size_t length)
{
    bool logs = heap_may_log();
    void *block = __libc_malloc(length);

    if (logs)
        heap_note(RECORD_ALLOC, block, length, CALLER);
    return block;
}

void *runtime_allocate(size_t length)
{
    return malloc(length);
}

EXPORT void *calloc(size_t count, size_t size)
{
    bool logs = heap_may_log();
    void *block = __libc_calloc(count, size);

    if (logs)
        heap_note(RECORD_ALLOC, block, count * size, CALLER);
    return block;
}

EXPORT void *realloc(void *old, size_t length)
{
    size_t before = old ? malloc_usable_size(old) : 0;
    bool logs = heap_may_log();
    void *block;

    if (logs)
        log_settle();
    block = __libc_realloc(old, length);
    if (!logs)
        return block;
    if (!block || block != old) {
        size_t kept = before < length ? before : length;
        if (old && (block || length == 0))
            forget(old);
        heap_note(RECORD_ALLOC, block, length, CALLER);
        if (block && kept && module_instrumented(CALLER))
            touch_write(block, kept, CALLER);
    } else if (length > before) {
        heap_note(RECORD_GROW, block, length, CALLER);
    }
    return block;
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
    size_t length;

    if (__builtin_mul_overflow(count, size, &length)) {
        errno = ENOMEM;
        return NULL;
    }
    return realloc(old, length);
}

EXPORT void *memalign(size_t alignment, size_t length)
{
    bool logs = heap_may_log();
    void *block = __libc_memalign(alignment, length);

    if (logs)
        heap_note(RECORD_ALLOC, block, length, CALLER);
    return block;
}

EXPORT void *aligned_alloc(size_t alignment, size_t length)
{
    bool logs = heap_may_log();
    void *block = __libc_memalign(alignment, length);

    if (logs)
        heap_note(RECORD_ALLOC, block, length, CALLER);
    return block;
}

EXPORT int posix_memalign(void **to, size_t alignment, size_t length)
{
    void *block;
    bool logs;

    if (alignment % sizeof(void *) != 0 || (alignment & (alignment - 1)) != 0 || alignment == 0)
        return EINVAL;
    logs = heap_may_log();
    block = __libc_memalign(alignment, length);
    if (!block)
        return ENOMEM;
    if (logs) {
        heap_note(RECORD_ALLOC, block, length, CALLER);
        if (module_instrumented(CALLER))
            touch_write((const void *)to, sizeof *to, CALLER);
    }
    *to = block;
    return 0;
}

/* The last write may have been to this block: its value must be known before it goes. */
EXPORT void free(void *block)
{
    if (block && heap_may_log()) {
        log_settle();
        forget(block);
    }
    __libc_free(block);
}

static bool sought; /* the library's own */

/* A C++ library that is linked into the program cannot be found behind this one. */
static void *allocate_bare(size_t length, size_t alignment, bool must)
{
    void *block = alignment ? memalign(alignment, length) : malloc(length ? length : 1);

    if (!block && must) {
        system_print("heddle: no memory left for the program\n");
        system_exit(1);
    }
    return block;
}

/* C++: blocks are named by who called `new`, not by the library's malloc inside it. */
#define NEW(name, parameters, arguments, alignment, must)                                                      \
    EXPORT void *name parameters                                                                               \
    {                                                                                                          \
        uintptr_t before = local.alloc_pc;                                                                     \
        void *block;                                                                                           \
        if (!real.name && !sought) {                                                                           \
            sought = true;                                                                                     \
            real_find_library();                                                                               \
        }                                                                                                      \
        local.alloc_pc = before ? before : CALLER;                                                             \
        block = real.name ? real.name arguments : allocate_bare(length, alignment, must);                      \
        local.alloc_pc = before;                                                                               \
        return block;                                                                                          \
    }

NEW(_Znwm, (size_t length), (length), 0, true)
NEW(_Znam, (size_t length), (length), 0, true)
NEW(_ZnwmSt11align_val_t, (size_t length, size_t alignment), (length, alignment), alignment, true)
NEW(_ZnamSt11align_val_t, (size_t length, size_t alignment), (length, alignment), alignment, true)
NEW(_ZnwmRKSt9nothrow_t, (size_t length, const void *tag), (length, tag), 0, false)
NEW(_ZnamRKSt9nothrow_t, (size_t length, const void *tag), (length, tag), 0, false)
