/* Values as bytes, one after the other: written to a buffer, and read again by the same program. */
#pragma once
#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct bytes_in {
    const unsigned char *at;
    size_t left;
};

/* Takes so many bytes; false: there are fewer. */
static inline bool bytes_take(struct bytes_in *in, void *to, size_t length)
{
    if (in->left < length)
        return false;
    if (length > 0)
        memcpy(to, in->at, length);
    in->at += length;
    in->left -= length;
    return true;
}

/* Takes a count of items that have at least so many bytes each; false: there cannot be so many. */
static inline bool bytes_take_count(struct bytes_in *in, size_t size, size_t *count)
{
    uint64_t n;

    if (!bytes_take(in, &n, sizeof n) || n > in->left / size)
        return false;
    *count = (size_t)n;
    return true;
}

static inline void bytes_put(struct buffer *to, const void *bytes, size_t length)
{
    if (length > 0)
        buffer_bytes(to, bytes, length);
}

static inline void bytes_put_count(struct buffer *to, size_t count)
{
    uint64_t n = count;

    buffer_bytes(to, (const char *)&n, sizeof n);
}

/* A count and the items. */
static inline void bytes_put_array(struct buffer *to, const void *items, size_t count, size_t size)
{
    bytes_put_count(to, count);
    bytes_put(to, items, count * size);
}
