/* Allocation that never returns NULL. */
#include "base/memory.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Thread_local struct memory_guard *innermost;

void memory_guard_enter(struct memory_guard *guard)
{
    guard->outer = innermost;
    innermost = guard;
}

void memory_guard_leave(struct memory_guard *guard)
{
    assert(innermost == guard);
    innermost = guard->outer;
}

bool memory_is_guarded(void)
{
    return innermost != NULL;
}

void memory_exhausted(void)
{
    static const char text[] = "heddle: out of memory\n";
    struct memory_guard *guard = innermost;

    if (guard) {
        innermost = guard->outer;
        longjmp(guard->back, 1);
    }
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(1);
    _exit(1);
}

void *memory_new(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size ? size : 1);

    if (!p)
        memory_exhausted();
    return p;
}

void *memory_sparse(size_t bytes)
{
    void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        memory_exhausted();
    return p;
}

void memory_sparse_free(void *start, size_t bytes)
{
    if (start)
        munmap(start, bytes);
}

void *memory_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        memory_exhausted();

    size_t bytes = count * size;
    void *p = realloc(old, bytes ? bytes : 1);

    if (!p)
        memory_exhausted();
    return p;
}

void memory_expect(void *start, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    uintptr_t first = ((uintptr_t)start + page - 1) & ~(page - 1),
              end = ((uintptr_t)start + bytes) & ~(page - 1);

    if (end > first)
        madvise((void *)first, end - first, MADV_POPULATE_WRITE); /* a refusal changes nothing */
#else
    (void)start;
    (void)bytes;
#endif
}

char *memory_text(const char *text, size_t length)
{
    char *copy = memory_resize(NULL, length + 1, 1);

    memcpy(copy, text, length);
    copy[length] = '\0';
    return copy;
}

/* Of the first room for an array, of which there may be one for each of millions of variables. */
enum { LEAST = 4 };

void *memory_grow(void *old, size_t *capacity, size_t wanted, size_t size)
{
    size_t next = *capacity < LEAST ? LEAST : *capacity;

    while (next < wanted)
        next *= 2;
    if (next > *capacity || !old) {
        if (next == *capacity)
            next *= 2;
        *capacity = next;
        return memory_resize(old, next, size);
    }
    return old;
}
