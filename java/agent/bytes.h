/* Bytes in the order of class files, the highest first: a cursor to read them, a buffer to write them. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A piece of somebody else's bytes. */
struct span {
    const uint8_t *data;
    size_t count;
};

/* Reads forward; past the end it gives zeros and remembers that in `bad`. */
struct cursor {
    const uint8_t *at, *end;
    bool bad;
};

static inline struct cursor cursor_over(struct span span)
{
    return (struct cursor){span.data, span.count ? span.data + span.count : span.data,
                           false}; /* it may be NULL */
}

static inline bool cursor_has(struct cursor *c, size_t count)
{
    if ((size_t)(c->end - c->at) < count)
        c->bad = true;
    return !c->bad;
}

static inline uint8_t read_u1(struct cursor *c)
{
    return cursor_has(c, 1) ? *c->at++ : 0;
}

static inline uint16_t read_u2(struct cursor *c)
{
    unsigned high = read_u1(c);

    return (uint16_t)(high << 8 | read_u1(c));
}

static inline uint32_t read_u4(struct cursor *c)
{
    uint32_t high = read_u2(c);

    return high << 16 | read_u2(c);
}

/* The next `count` bytes as a span; an empty one when there are not so many. */
static inline struct span read_span(struct cursor *c, size_t count)
{
    struct span span = {c->at, count};

    if (!cursor_has(c, count))
        return (struct span){c->at, 0};
    c->at += count;
    return span;
}

/* Bytes that grow. */
struct bytes {
    uint8_t *data;
    size_t data_count, data_capacity;
};

void bytes_free(struct bytes *bytes);
void put_u1(struct bytes *bytes, unsigned value);
void put_u2(struct bytes *bytes, unsigned value);
void put_u4(struct bytes *bytes, uint32_t value);
void put_span(struct bytes *bytes, const void *data, size_t count);

/* Writes over what is there. */
void patch_u2(struct bytes *bytes, size_t at, unsigned value);
void patch_u4(struct bytes *bytes, size_t at, uint32_t value);

static inline bool span_is(struct span span, const char *text)
{
    return strlen(text) == span.count && memcmp(span.data, text, span.count) == 0;
}

static inline bool span_starts(struct span span, const char *text)
{
    size_t length = strlen(text);

    return span.count >= length && memcmp(span.data, text, length) == 0;
}
