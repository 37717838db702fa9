/* The constant pool of a class: what is there, by index, and what we add behind it.
 *
 * Indices from the file are never trusted: a wrong one gives an empty span or sets `bad`. */
#pragma once
#include "bytes.h"

enum pool_tag {
    POOL_UTF8 = 1,
    POOL_INTEGER = 3,
    POOL_FLOAT = 4,
    POOL_LONG = 5,
    POOL_DOUBLE = 6,
    POOL_CLASS = 7,
    POOL_STRING = 8,
    POOL_FIELD = 9,
    POOL_METHOD = 10,
    POOL_INTERFACE_METHOD = 11,
    POOL_NAME_AND_TYPE = 12,
    POOL_HANDLE = 15,
    POOL_METHOD_TYPE = 16,
    POOL_DYNAMIC = 17,
    POOL_INVOKE_DYNAMIC = 18,
    POOL_MODULE = 19,
    POOL_PACKAGE = 20,
};

struct pool {
    struct span bytes;  /* all entries, as in the file */
    uint32_t *offset;   /* by index: where its tag is in `bytes`; UINT32_MAX: no entry */
    uint16_t count;     /* as in the file: one more than the highest index */
    struct bytes added; /* entries of ours */
    uint32_t total;     /* count and what was added */
    uint32_t *recent;   /* by hash: (offset in added + 1) of an entry of ours, to find it again */
    uint16_t *recent_index;
};

/* A field or method reference. */
struct member {
    struct span owner, name, descriptor;
};

/* Reads the pool at the cursor; false when it is malformed. */
bool pool_read(struct pool *pool, struct cursor *in);
void pool_free(struct pool *pool);

/* The text of a UTF8 entry, the name of a class entry; empty when the index is no such entry. */
struct span pool_utf8(const struct pool *pool, uint16_t index);
struct span pool_class(const struct pool *pool, uint16_t index);

/* What a field, method or interface method entry refers to; false when the index is no such entry. */
bool pool_member(const struct pool *pool, uint16_t index, struct member *to);

/* The same of a call that is linked when it is first made; it has no owner. */
bool pool_dynamic(const struct pool *pool, uint16_t index, struct member *to);

/* The kind of a method handle, and the entry of what it handles; false when the index is none. */
bool pool_handle(const struct pool *pool, uint16_t index, unsigned *kind, uint16_t *handled);

/* The value of an integer entry; false when the index is none. */
bool pool_integer(const struct pool *pool, uint16_t index, int32_t *value);

/* The number of the bootstrap method of such a call; -1 when the index is none. */
int pool_bootstrap(const struct pool *pool, uint16_t index);

/* Entries of ours; each is added once. The index is 0 when the pool is full. */
uint16_t pool_add_utf8(struct pool *pool, const char *text, size_t length);
uint16_t pool_add_class(struct pool *pool, const char *name);
uint16_t pool_add_integer(struct pool *pool, int32_t value);
uint16_t pool_add_method(struct pool *pool, const char *owner, const char *name, const char *descriptor);

/* A handle of a method of the class whose entry is `class`. */
uint16_t pool_add_own_handle(struct pool *pool, unsigned kind, bool interface, uint16_t class, const char *name,
                             const char *descriptor);

/* Appends the count and all entries, old and new. */
void pool_write(const struct pool *pool, struct bytes *out);
