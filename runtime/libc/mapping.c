/* Memory outside the heap: mapped, moved, protected, loaded with a library.
 *
 * The value of the last write is not read before the thread's next hook. It must be before what was written is
 * out of reach. */
#include "runtime/libc/shared_files.h"
#include "runtime/runtime.h"
#include "runtime/shared/real.h"

#include <stdarg.h>
#include <sys/mman.h>
#include <sys/shm.h>

static void settle_write(void)
{
    if (heap_may_log())
        log_settle();
}

EXPORT void *mmap(void *wanted, size_t length, int protection, int flags, int fd, off_t offset)
{
    bool logs = heap_may_log();
    void *at;

    if (!real.mmap)
        real_find();
    if (logs)
        log_settle(); /* it may be put over what there is */
    at = real.mmap(wanted, length, protection, flags, fd, offset);
    rt.shares |= (flags & MAP_TYPE) != MAP_PRIVATE;
    if (!logs || at == MAP_FAILED)
        return at;
    heap_note(RECORD_MAP, at, length, CALLER);
    shared_files_gone(at, length);
    if (fd >= 0 && (flags & MAP_TYPE) != MAP_PRIVATE && !(flags & MAP_ANONYMOUS))
        shared_files_mapped_file(at, length, fd, offset, CALLER);
    return at;
}

EXPORT int munmap(void *at, size_t length)
{
    if (!real.munmap)
        real_find();
    if (heap_may_free(CALLER)) {
        log_settle();
        heap_freed(at, length, CALLER);
        shared_files_gone(at, length);
    }
    return real.munmap(at, length);
}

EXPORT int mprotect(void *at, size_t length, int protection)
{
    if (!real.mprotect)
        real_find();
    settle_write();
    return real.mprotect(at, length, protection);
}

EXPORT int madvise(void *at, size_t length, int advice)
{
    if (!real.madvise)
        real_find();
    settle_write();
    return real.madvise(at, length, advice);
}

/* Moved memory counts as written at its new address. Nothing of shared memory, moved elsewhere, is a second place of the same. */
EXPORT void *mremap(void *old, size_t before, size_t length, int flags, ...)
{
    bool logs = heap_may_log();
    void *wanted, *at;
    va_list list;

    va_start(list, flags);
    wanted = flags & MREMAP_FIXED ? va_arg(list, void *) : NULL;
    va_end(list);
    if (!real.mremap)
        real_find();
    if (logs)
        log_settle();
    at = real.mremap(old, before, length, flags, wanted);
    if (!logs || at == MAP_FAILED)
        return at;
    shared_files_gone(old, before);
    if (at != old) {
        heap_note(RECORD_MAP, at, length, CALLER);
        if (before == 0)
            shared_files_doubled(at, length, old, CALLER);
        else if (module_instrumented(CALLER))
            touch_write(at, before < length ? before : length, CALLER);
    } else if (length > before) {
        heap_note(RECORD_MAP, (char *)at + before, length - before, CALLER);
    }
    return at;
}

/* Growth of the malloc heap itself does not come through here. */
EXPORT void *sbrk(intptr_t increment)
{
    bool logs = heap_may_log();
    void *before;

    if (!real.sbrk)
        real_find();
    if (logs)
        log_settle();
    before = real.sbrk(increment);
    if (logs && increment > 0 && (intptr_t)before != -1)
        heap_note(RECORD_MAP, before, (size_t)increment, CALLER);
    return before;
}

EXPORT int brk(void *end)
{
    bool logs = heap_may_log();
    char *before;
    int result;

    if (!real.brk || !real.sbrk)
        real_find();
    if (logs)
        log_settle();
    before = real.sbrk(0);
    result = real.brk(end);
    if (logs && result == 0 && (char *)end > before)
        heap_note(RECORD_MAP, before, (size_t)((char *)end - before), CALLER);
    return result;
}

EXPORT void *shmat(int segment, const void *wanted, int flags)
{
    bool logs = heap_may_log();
    struct shmid_ds about;
    void *at;

    if (!real.shmat)
        real_find();
    at = real.shmat(segment, wanted, flags);
    rt.shares = true;
    if (logs && (intptr_t)at != -1 && shmctl(segment, IPC_STAT, &about) == 0) {
        struct file_identity file = {SEGMENT_DEVICE, (uint64_t)segment};
        heap_note(RECORD_MAP, at, about.shm_segsz, CALLER);
        shared_files_gone(at, about.shm_segsz);
        shared_files_mapped(at, about.shm_segsz, &file, 0, CALLER);
    }
    return at;
}

EXPORT int shmdt(const void *at)
{
    if (!real.shmdt)
        real_find();
    settle_write();
    return real.shmdt(at);
}

EXPORT void *dlopen(const char *path, int flags)
{
    bool logs;
    void *handle;

    if (!real.dlopen)
        real_find();
    handle = real.dlopen(path, flags);
    real_find(); /* the library may bring C++ along */
    logs = handle && heap_may_log();
    if (logs) {
        local.inside = true;
        modules_log();
        local.inside = false;
    }
    return handle;
}

EXPORT int dlclose(void *handle)
{
    int result;

    if (!real.dlclose)
        real_find();
    settle_write();
    result = real.dlclose(handle);
    if (heap_may_log()) {
        local.inside = true;
        modules_forget();
        local.inside = false;
    }
    return result;
}

/* The last call of a library before it is unmapped. */
EXPORT void __cxa_finalize(void *library)
{
    if (!real.__cxa_finalize)
        real_find();
    real.__cxa_finalize(library);
    settle_write();
}
