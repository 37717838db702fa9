/* Memory that is always there.
 *
 * When the system has none left, the process says so and exits with status 1: no caller could do better. */
#pragma once
#include <stddef.h>

void *memory_new(size_t count, size_t size);               /* zeroed */
void *memory_resize(void *old, size_t count, size_t size); /* contents kept, the new part undefined */
char *memory_text(const char *text, size_t length);        /* a NUL-terminated copy */

/* Zeroed memory of which little will be touched: only that is taken. Freed by memory_sparse_free. */
void *memory_sparse(size_t bytes);
void memory_sparse_free(void *start, size_t bytes);

/* All of this is about to be written: lets the system bring its pages in one step rather than one by one. */
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
