/* Allocation that never returns NULL.
 *
 * When memory is exhausted, the thread goes back to its innermost guard; a thread without one says so and ends
 * the process with status 1. */
#pragma once
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

/* Where a failed allocation of this thread leads:
 *
 *     struct memory_guard guard;
 *     if (MEMORY_GUARD(&guard)) {
 *         … allocates …
 *         memory_guard_leave(&guard);
 *     } else {
 *         … an allocation failed; the guard is gone, what was allocated is lost …
 *     }
 *
 * Locals that are changed inside and used after a failure must be volatile. Code that may be abandoned must
 * hold no lock. */
struct memory_guard {
    jmp_buf back;
    struct memory_guard *outer;
};

#define MEMORY_GUARD(guard) (memory_guard_enter(guard), setjmp((guard)->back) == 0)
void memory_guard_enter(struct memory_guard *guard);
void memory_guard_leave(struct memory_guard *guard);

/* Whether this thread has a guard. A worker of a thread that has a guard needs a guard of its own. */
bool memory_is_guarded(void);

/* As if an allocation had failed. */
_Noreturn void memory_exhausted(void);

void *memory_new(size_t count, size_t size);               /* zeroed */
void *memory_resize(void *old, size_t count, size_t size); /* contents kept, the new part undefined */
char *memory_text(const char *text, size_t length);        /* a NUL-terminated copy */

/* Zeroed memory of which only a small part will be used: untouched pages take no memory. Freed by
 * memory_sparse_free. */
void *memory_sparse(size_t bytes);
void memory_sparse_free(void *start, size_t bytes);

/* Announces that all of this is about to be written, so that the system can map its pages in one step. */
void memory_expect(void *start, size_t bytes);

/* Makes room for at least `wanted` elements of `size` bytes, doubling; updates `*capacity`. */
void *memory_grow(void *old, size_t *capacity, size_t wanted, size_t size);

/* Appends one element to a growable array kept as three fields: NAME, NAME_count, NAME_capacity. */
#define ARRAY_PUSH(owner, name, ...)                                                                           \
    do {                                                                                                       \
        if ((owner)->name##_count == (owner)->name##_capacity)                                                 \
            (owner)->name = memory_grow((owner)->name, &(owner)->name##_capacity, (owner)->name##_count + 1,   \
                                        sizeof *(owner)->name);                                                \
        (owner)->name[(owner)->name##_count++] = __VA_ARGS__;                                                  \
    } while (0)
