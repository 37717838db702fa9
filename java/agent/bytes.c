/* Bytes that grow, written with the highest first. */
#include "bytes.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void put_span(struct bytes *bytes, const void *data, size_t count)
{
    if (count == 0)
        return;
    if (bytes->data_count + count > bytes->data_capacity)
        bytes->data = memory_grow(bytes->data, &bytes->data_capacity, bytes->data_count + count, 1);
    assert(bytes->data_count + count <= bytes->data_capacity);
    memcpy(bytes->data + bytes->data_count, data, count);
    bytes->data_count += count;
}

void put_u1(struct bytes *bytes, unsigned value)
{
    ARRAY_PUSH(bytes, data, (uint8_t)value);
}

void put_u2(struct bytes *bytes, unsigned value)
{
    put_u1(bytes, value >> 8);
    put_u1(bytes, value);
}

void put_u4(struct bytes *bytes, uint32_t value)
{
    put_u2(bytes, value >> 16);
    put_u2(bytes, value);
}

void patch_u2(struct bytes *bytes, size_t at, unsigned value)
{
    assert(at + 2 <= bytes->data_count); /* it writes over what is there */
    bytes->data[at] = (uint8_t)(value >> 8);
    bytes->data[at + 1] = (uint8_t)value;
}

void patch_u4(struct bytes *bytes, size_t at, uint32_t value)
{
    patch_u2(bytes, at, value >> 16);
    patch_u2(bytes, at + 2, value);
}
