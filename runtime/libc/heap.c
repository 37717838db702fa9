/* The heap: a block is a new variable each time it is allocated. */
#include "runtime/libc/heap_blocks.h"
#include "runtime/sched/sched.h"
#include "runtime/shadow.h"
#include "runtime/shared/real.h"
#include "runtime/system.h"

#include <errno.h>
#include <stdlib.h>

enum { PAGE_BYTES = 4096 };

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);
extern size_t malloc_usable_size(void *);

/* Blocks have the same addresses in every pass only if they are allocated in the same order. */
bool heap_may_log(void)
{
    if (!rt.ready || !recording() || local.inside || !local.self)
        return false;
    if (UNLIKELY(!local.turn || hot.budget < 0)) {
        local.inside = true;
        sched_take_turn();
        local.inside = false;
    }
    INVARIANT(!recording() || (local.turn && rt.turn == local.self));
    rt.acted = true;
    local.self->polls = 0; /* who waits allocates nothing */
    return recording();
}

static bool marks(void)
{
    return rt.mode != SESSION_ALL || rt.trial;
}

/* Whether new memory is worth a record: also a private block in a place where a shared one is at some time, for pointers to the two
 * have the same bits. */
static bool is_kept(uint64_t address, size_t length)
{
    return rt.mode == SESSION_ALL || (rt.mode == SESSION_FILTER && shadow_any_once(address, length));
}

void heap_note(unsigned kind, void *memory, size_t length, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)memory;

    if (length == 0)
        return;
    if (marks())
        shadow_renew(address, length, false);
    if (is_kept(address, length))
        log_emit(kind, memory, pc, length);
}

enum { SLACK_MOST = 255, GRANULE = 8 };

/* A block is new up to its last usable byte: it may grow into bytes that were not requested at first. */
static void note_block(void *block, size_t length, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)block;
    size_t usable, tail = (length + GRANULE - 1) / GRANULE * GRANULE;

    if (!block)
        return;
    usable = malloc_usable_size(block);
    INVARIANT(usable >= length);
    if (marks())
        blocks_begin(address, usable);
    if (!is_kept(address, usable))
        return;
    if (local.alloc_pc)
        pc = local.alloc_pc;
    if (usable - length > SLACK_MOST || length == 0)
        log_emit(RECORD_FRESH, (char *)block + tail, pc, usable - tail);
    if (length > 0)
        log_block(block, length, usable - length > SLACK_MOST ? 0 : (unsigned)(usable - length), pc);
}

/* The block kept its place and contents; `before` bytes of it could be used. */
static void note_resized(void *block, size_t before, size_t length, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)block;
    size_t usable = malloc_usable_size(block);

    INVARIANT(usable >= length);
    if (marks())
        blocks_resize(address, usable);
    if (!is_kept(address, usable))
        return;
    if (usable > before)
        log_emit(RECORD_FRESH, (char *)block + before, pc, usable - before);
    log_emit(RECORD_GROW, block, pc, length);
}

static void forget(void *block)
{
    if (marks())
        heap_blocks_end((uint64_t)(uintptr_t)block);
}

bool heap_may_free(uintptr_t pc)
{
    bool step = rt.ready && recording() && !local.inside && local.self && module_instrumented(pc);

    if (step)
        hot.budget--; /* nobody else's access may come with it */
    if (!heap_may_log())
        return false;
    if (step)
        session_store(&rt.session->steps, rt.session->steps + 1);
    return true;
}

void heap_freed(void *memory, size_t length, uintptr_t pc)
{
    uint64_t address = (uint64_t)(uintptr_t)memory;
    bool wanted = true;

    if (length == 0 || !module_instrumented(pc))
        return; /* what libraries order among themselves is not seen */
    if (marks())
        wanted = shadow_wants_touched(address, length) || rt.mode == SESSION_ALL;
    if (wanted)
        log_emit(RECORD_FREE, memory, pc, length);
}

static void *allocate(size_t length, uintptr_t pc)
{
    bool logs = heap_may_log();
    void *block = __libc_malloc(length);

    if (logs)
        note_block(block, length, pc);
    return block;
}

EXPORT void *malloc(size_t length)
{
    return allocate(length, CALLER);
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
        note_block(block, count * size, CALLER);
    return block;
}

static void *resize(void *old, size_t length, uintptr_t pc)
{
    size_t before = old ? malloc_usable_size(old) : 0, kept = before < length ? before : length;
    bool logs = heap_may_free(pc);
    void *block;

    if (logs)
        log_settle();
    block = __libc_realloc(old, length);
    if (!logs)
        return block;
    if (block && block == old) {
        note_resized(block, before, length, pc);
        return block;
    }
    if (old && (block || length == 0)) {
        heap_freed(old, before, pc);
        forget(old);
    }
    note_block(block, length, pc);
    if (block && kept && module_instrumented(pc))
        touch_write(block, kept, pc);
    return block;
}

EXPORT void *realloc(void *old, size_t length)
{
    return resize(old, length, CALLER);
}

EXPORT void *reallocarray(void *old, size_t count, size_t size)
{
    size_t length;

    if (__builtin_mul_overflow(count, size, &length)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(old, length, CALLER);
}

static void *allocate_aligned(size_t alignment, size_t length, uintptr_t pc)
{
    bool logs = heap_may_log();
    void *block = __libc_memalign(alignment, length);

    if (logs)
        note_block(block, length, pc);
    return block;
}

EXPORT void *memalign(size_t alignment, size_t length)
{
    return allocate_aligned(alignment, length, CALLER);
}

EXPORT void *aligned_alloc(size_t alignment, size_t length)
{
    return allocate_aligned(alignment, length, CALLER);
}

EXPORT void *valloc(size_t length)
{
    return allocate_aligned(PAGE_BYTES, length, CALLER);
}

EXPORT void *pvalloc(size_t length)
{
    return allocate_aligned(PAGE_BYTES, (length + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES, CALLER);
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
        note_block(block, length, CALLER);
        if (module_instrumented(CALLER))
            touch_write((const void *)to, sizeof *to, CALLER);
    }
    *to = block;
    return 0;
}

/* The last write may have been to this block: its value must be known before it goes. */
EXPORT void free(void *block)
{
    uintptr_t pc = local.free_pc ? local.free_pc : CALLER;

    if (block && heap_may_free(pc)) {
        log_settle();
        heap_freed(block, malloc_usable_size(block), pc);
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
        system_print("heddle: out of memory for the program\n");
        system_exit(1);
    }
    return block;
}

/* C++: blocks are named by the caller of `new`, not by the library's malloc inside it. */
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

/* The same for the caller of `delete`. */
#define DELETE(name, parameters, arguments)                                                                    \
    EXPORT void name parameters                                                                                \
    {                                                                                                          \
        uintptr_t before = local.free_pc;                                                                      \
        if (!real.name && !sought) {                                                                           \
            sought = true;                                                                                     \
            real_find_library();                                                                               \
        }                                                                                                      \
        local.free_pc = before ? before : CALLER;                                                              \
        if (real.name)                                                                                         \
            real.name arguments;                                                                               \
        else                                                                                                   \
            free(block);                                                                                       \
        local.free_pc = before;                                                                                \
    }

DELETE(_ZdlPv, (void *block), (block))
DELETE(_ZdaPv, (void *block), (block))
DELETE(_ZdlPvm, (void *block, size_t length), (block, length))
DELETE(_ZdaPvm, (void *block, size_t length), (block, length))
DELETE(_ZdlPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))
DELETE(_ZdaPvSt11align_val_t, (void *block, size_t alignment), (block, alignment))
DELETE(_ZdlPvmSt11align_val_t, (void *block, size_t length, size_t alignment), (block, length, alignment))
DELETE(_ZdaPvmSt11align_val_t, (void *block, size_t length, size_t alignment), (block, length, alignment))
