/* The constant pool: reads entries without trusting them, adds each new entry once. */
#include "pool.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

enum { RECENT = 1 << 10, MOST = 65535 };

/* Length of an entry behind its tag; 0 for an unknown tag. UTF8 has its text besides. */
static size_t entry_length(unsigned tag)
{
    switch (tag) {
    case POOL_UTF8:
    case POOL_CLASS:
    case POOL_STRING:
    case POOL_METHOD_TYPE:
    case POOL_MODULE:
    case POOL_PACKAGE:
        return 2;
    case POOL_HANDLE:
        return 3;
    case POOL_INTEGER:
    case POOL_FLOAT:
    case POOL_FIELD:
    case POOL_METHOD:
    case POOL_INTERFACE_METHOD:
    case POOL_NAME_AND_TYPE:
    case POOL_DYNAMIC:
    case POOL_INVOKE_DYNAMIC:
        return 4;
    case POOL_LONG:
    case POOL_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

bool pool_read(struct pool *pool, struct cursor *in)
{
    const uint8_t *start;

    *pool = (struct pool){.count = read_u2(in)};
    pool->total = pool->count;
    start = in->at;
    pool->offset = memory_new(pool->count + 1u, sizeof *pool->offset);
    pool->recent = memory_new(RECENT, sizeof *pool->recent);
    pool->recent_index = memory_new(RECENT, sizeof *pool->recent_index);
    memset(pool->offset, 0xff, (pool->count + 1u) * sizeof *pool->offset);
    for (unsigned i = 1; i < pool->count && !in->bad; i++) {
        pool->offset[i] = (uint32_t)(in->at - start);
        unsigned tag = read_u1(in);
        size_t length = entry_length(tag);
        if (length == 0)
            return false;
        if (tag == POOL_UTF8)
            read_span(in, read_u2(in));
        else
            read_span(in, length);
        if (tag == POOL_LONG || tag == POOL_DOUBLE)
            in->bad |= ++i == pool->count; /* it takes two indices, and ours would be the second */
    }
    pool->bytes = (struct span){start, (size_t)(in->at - start)};
    return pool->count > 0 && !in->bad;
}

void pool_free(struct pool *pool)
{
    free(pool->offset);
    free(pool->recent);
    free(pool->recent_index);
    bytes_free(&pool->added);
}

/* A cursor behind the tag of the entry; false when there is no entry of that tag. */
static bool entry_at(const struct pool *pool, uint16_t index, unsigned tag, struct cursor *to)
{
    if (index >= pool->count || pool->offset[index] == UINT32_MAX)
        return false;
    *to = cursor_over(pool->bytes);
    assert(pool->offset[index] < pool->bytes.count);
    to->at += pool->offset[index];
    return read_u1(to) == tag;
}

struct span pool_utf8(const struct pool *pool, uint16_t index)
{
    struct cursor at;

    if (!entry_at(pool, index, POOL_UTF8, &at))
        return (struct span){NULL, 0};
    return read_span(&at, read_u2(&at));
}

struct span pool_class(const struct pool *pool, uint16_t index)
{
    struct cursor at;

    if (!entry_at(pool, index, POOL_CLASS, &at))
        return (struct span){NULL, 0};
    return pool_utf8(pool, read_u2(&at));
}

bool pool_member(const struct pool *pool, uint16_t index, struct member *to)
{
    struct cursor at, pair;

    if (!entry_at(pool, index, POOL_FIELD, &at) && !entry_at(pool, index, POOL_METHOD, &at) &&
        !entry_at(pool, index, POOL_INTERFACE_METHOD, &at))
        return false;
    to->owner = pool_class(pool, read_u2(&at));
    if (!entry_at(pool, read_u2(&at), POOL_NAME_AND_TYPE, &pair))
        return false;
    to->name = pool_utf8(pool, read_u2(&pair));
    to->descriptor = pool_utf8(pool, read_u2(&pair));
    return to->owner.data && to->name.data && to->descriptor.data;
}

bool pool_dynamic(const struct pool *pool, uint16_t index, struct member *to)
{
    struct cursor at, pair;

    if (!entry_at(pool, index, POOL_INVOKE_DYNAMIC, &at))
        return false;
    read_u2(&at); /* who links it */
    if (!entry_at(pool, read_u2(&at), POOL_NAME_AND_TYPE, &pair))
        return false;
    to->owner = (struct span){(const uint8_t *)"", 0};
    to->name = pool_utf8(pool, read_u2(&pair));
    to->descriptor = pool_utf8(pool, read_u2(&pair));
    return to->name.data && to->descriptor.data;
}

bool pool_integer(const struct pool *pool, uint16_t index, int32_t *value)
{
    struct cursor at;

    if (!entry_at(pool, index, POOL_INTEGER, &at))
        return false;
    *value = (int32_t)read_u4(&at);
    return true;
}

bool pool_handle(const struct pool *pool, uint16_t index, unsigned *kind, uint16_t *handled)
{
    struct cursor at;

    if (!entry_at(pool, index, POOL_HANDLE, &at))
        return false;
    *kind = read_u1(&at);
    *handled = read_u2(&at);
    return true;
}

int pool_bootstrap(const struct pool *pool, uint16_t index)
{
    struct cursor at;

    return entry_at(pool, index, POOL_INVOKE_DYNAMIC, &at) ? read_u2(&at) : -1;
}

/* Adds the entry unless we added it before. */
static uint16_t add(struct pool *pool, const struct bytes *entry)
{
    uint32_t hash = 2166136261u;
    size_t slot;

    for (size_t i = 0; i < entry->data_count; i++)
        hash = (hash ^ entry->data[i]) * 16777619u;
    slot = (hash ^ hash >> 15) % RECENT;
    if (pool->recent[slot]) {
        size_t at = pool->recent[slot] - 1;
        if (pool->added.data_count - at >= entry->data_count &&
            memcmp(pool->added.data + at, entry->data, entry->data_count) == 0)
            return pool->recent_index[slot];
    }
    if (pool->total >= MOST)
        return 0;
    assert(pool->total >= pool->count && entry->data_count > 1);
    pool->recent[slot] = (uint32_t)pool->added.data_count + 1;
    pool->recent_index[slot] = (uint16_t)pool->total;
    put_span(&pool->added, entry->data, entry->data_count);
    return (uint16_t)pool->total++;
}

uint16_t pool_add_utf8(struct pool *pool, const char *text, size_t length)
{
    struct bytes entry = {0};
    uint16_t index;

    put_u1(&entry, POOL_UTF8);
    assert(length <= UINT16_MAX);
    put_u2(&entry, (unsigned)length);
    put_span(&entry, text, length);
    index = add(pool, &entry);
    bytes_free(&entry);
    return index;
}

/* An entry of a tag and one or two indices; 0 when one of them is. */
static uint16_t add_indices(struct pool *pool, unsigned tag, unsigned first, unsigned second, bool two)
{
    struct bytes entry = {0};
    uint16_t index = 0;

    put_u1(&entry, tag);
    put_u2(&entry, first);
    if (two)
        put_u2(&entry, second);
    if (first && (second || !two))
        index = add(pool, &entry);
    bytes_free(&entry);
    return index;
}

uint16_t pool_add_class(struct pool *pool, const char *name)
{
    return add_indices(pool, POOL_CLASS, pool_add_utf8(pool, name, strlen(name)), 0, false);
}

uint16_t pool_add_integer(struct pool *pool, int32_t value)
{
    struct bytes entry = {0};
    uint16_t index;

    put_u1(&entry, POOL_INTEGER);
    put_u4(&entry, (uint32_t)value);
    index = add(pool, &entry);
    bytes_free(&entry);
    return index;
}

uint16_t pool_add_method(struct pool *pool, const char *owner, const char *name, const char *descriptor)
{
    uint16_t class = pool_add_class(pool, owner);
    uint16_t text = pool_add_utf8(pool, name, strlen(name));
    uint16_t type = pool_add_utf8(pool, descriptor, strlen(descriptor));
    uint16_t pair = add_indices(pool, POOL_NAME_AND_TYPE, text, type, true);

    return add_indices(pool, POOL_METHOD, class, pair, true);
}

uint16_t pool_add_own_handle(struct pool *pool, unsigned kind, bool interface, uint16_t class, const char *name,
                             const char *descriptor)
{
    uint16_t text = pool_add_utf8(pool, name, strlen(name));
    uint16_t type = pool_add_utf8(pool, descriptor, strlen(descriptor));
    uint16_t pair = add_indices(pool, POOL_NAME_AND_TYPE, text, type, true);
    uint16_t method = add_indices(pool, interface ? POOL_INTERFACE_METHOD : POOL_METHOD, class, pair, true);
    struct bytes entry = {0};
    uint16_t index = 0;

    put_u1(&entry, POOL_HANDLE);
    put_u1(&entry, kind);
    put_u2(&entry, method);
    if (method)
        index = add(pool, &entry);
    bytes_free(&entry);
    return index;
}

void pool_write(const struct pool *pool, struct bytes *out)
{
    assert(pool->total <= MOST);
    put_u2(out, pool->total);
    put_span(out, pool->bytes.data, pool->bytes.count);
    put_span(out, pool->added.data, pool->added.data_count);
}
