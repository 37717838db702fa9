/* Blocks of the native format: columns of events, compression, the bytes of the file. */
#include "base/memory.h"
#include "trace/htr_parts.h"

#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

struct htr_press {
    struct output *out;
    unsigned features;
    uint64_t *column;
    unsigned char *stored; /* a block after compression */
    size_t stored_capacity;
    ZSTD_CCtx *zstd;
    const char *failed;
    struct htr_batch batches[2]; /* one is filled while the other becomes a block */
    unsigned filling;
    struct htr_batch *taken; /* becomes a block; NULL: none does */
    bool threaded, over;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
};

void batch_byte(struct htr_batch *b, unsigned char byte)
{
    ARRAY_PUSH(b, raw, byte);
}

void batch_varint(struct htr_batch *b, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        batch_byte(b, (unsigned char)(value | 0x80));
    batch_byte(b, (unsigned char)value);
}

void batch_bytes(struct htr_batch *b, const void *bytes, size_t length)
{
    if (b->raw_count + length > b->raw_capacity)
        b->raw = memory_grow(b->raw, &b->raw_capacity, b->raw_count + length, 1);
    memcpy(b->raw + b->raw_count, bytes, length);
    b->raw_count += length;
}

/* One byte of each element. */
static void put_plane(unsigned char *restrict to, const uint64_t *restrict column, size_t count, unsigned plane)
{
    for (size_t i = 0; i < count; i++)
        to[i] = (unsigned char)(column[i] >> 8 * plane);
}

static uint64_t all_bits(const uint64_t *column, size_t count)
{
    uint64_t all = 0;

    for (size_t i = 0; i < count; i++)
        all |= column[i];
    return all;
}

/* A column: the bytes an element needs, then the lowest bytes of all, the next ones of all, … */
static void put_column(const struct htr_press *p, struct htr_batch *b)
{
    uint64_t all = all_bits(p->column, b->count);
    unsigned char width = 0;

    for (; all; all >>= 8)
        width++;
    assert(width <= sizeof all && b->count <= HTR_BLOCK_EVENTS);
    batch_byte(b, width);
    if (b->raw_count + width * b->count > b->raw_capacity)
        b->raw = memory_grow(b->raw, &b->raw_capacity, b->raw_count + width * b->count, 1);
    for (unsigned plane = 0; plane < width; plane++) {
        put_plane(b->raw + b->raw_count, p->column, b->count, plane);
        b->raw_count += b->count;
    }
}

static void store_u32(unsigned char *to, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(value >> 8 * i);
}

static void store_u64(unsigned char *to, uint64_t value)
{
    store_u32(to, (uint32_t)value);
    store_u32(to + 4, (uint32_t)(value >> 32));
}

/* Compresses the payload and appends it as one block. */
static void put_block(struct htr_press *p, const struct htr_batch *b)
{
    unsigned char header[HTR_BLOCK_HEADER_SIZE] = {0};
    size_t bound = ZSTD_compressBound(b->raw_count);

    if (b->failed)
        p->failed = b->failed;
    else if (b->raw_count > HTR_BLOCK_BYTES || bound > HTR_BLOCK_BYTES)
        p->failed = "the names of a block are longer than the format allows";
    if (p->failed)
        return;
    if (bound > p->stored_capacity)
        p->stored = memory_grow(p->stored, &p->stored_capacity, bound, 1);
    size_t stored = ZSTD_compress2(p->zstd, p->stored, bound, b->raw, b->raw_count);
    if (ZSTD_isError(stored)) {
        p->failed = "the compressor failed";
        return;
    }
    store_u32(header, b->type);
    store_u32(header + 4, (uint32_t)b->raw_count);
    store_u32(header + 8, (uint32_t)stored);
    store_u64(header + 16, b->before);
    store_u64(header + 24, XXH3_64bits_withSeed(p->stored, stored, XXH3_64bits(header, 24)));
    output_write(p->out, header, sizeof header);
    output_write(p->out, p->stored, stored);
    output_flush(p->out);
}

static void put_threads(struct htr_batch *b)
{
    size_t runs = 0;

    for (size_t i = 0; i < b->count; i++)
        runs += i == 0 || b->events[i].thread != b->events[i - 1].thread;
    batch_varint(b, runs);
    for (size_t i = 0, start = 0; i < b->count; i++) {
        if (i + 1 < b->count && b->events[i + 1].thread == b->events[i].thread)
            continue;
        batch_varint(b, b->events[i].thread);
        batch_varint(b, i - start);
        start = i + 1;
    }
}

/* A thread mostly continues near where it was in the code. */
static void put_locations(const struct htr_press *p, struct htr_batch *b)
{
    uint32_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < b->count; i++) {
        uint32_t *before = &last[htr_slot(b->events[i].thread)];
        uint32_t now = b->events[i].location + 1; /* 0: no location */
        p->column[i] = htr_zigzag((uint64_t)now - *before);
        *before = now;
    }
    put_column(p, b);
}

static uint32_t column_place(const struct htr_press *p, const struct event *e)
{
    return p->features & HTR_LOCATIONS ? e->location + 1 : 0;
}

/* The same place in the code does the same thing, to the same object or its neighbour. */
static void put_ops(const struct htr_press *p, struct htr_batch *b)
{
    event_op last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < b->count; i++) {
        event_op *before = &last[htr_slot(column_place(p, &b->events[i]))];
        p->column[i] = b->events[i].op ^ *before;
        *before = b->events[i].op;
    }
    put_column(p, b);
}

static void put_args(const struct htr_press *p, struct htr_batch *b)
{
    uint32_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < b->count; i++) {
        uint32_t *before = &last[htr_slot(column_place(p, &b->events[i]))];
        uint32_t now = b->events[i].arg + 1; /* 0: no argument */
        p->column[i] = htr_zigzag((uint64_t)now - *before);
        *before = now;
    }
    put_column(p, b);
}

/* A read mostly sees what its variable was last seen to hold. */
static void put_values(const struct htr_press *p, struct htr_batch *b)
{
    uint64_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < b->count; i++)
        p->column[i] = b->events[i].value_tag;
    put_column(p, b);
    for (size_t i = 0; i < b->count; i++) {
        uint64_t *before = &last[htr_slot(b->events[i].arg)];
        p->column[i] = 0;
        if (b->events[i].value_tag == VALUE_NONE)
            continue;
        p->column[i] = htr_zigzag(b->events[i].value - *before);
        *before = b->events[i].value;
    }
    put_column(p, b);
}

/* The same place in the code stands on the same reads, as far back. */
static void put_grounds(const struct htr_press *p, struct htr_batch *b)
{
    uint32_t last[HTR_SLOTS] = {0};

    for (size_t i = 0; i < b->count; i++) {
        uint32_t *before = &last[htr_shape_slot(column_place(p, &b->events[i]), b->events[i].op)];
        p->column[i] = htr_zigzag((uint64_t)b->events[i].grounds - *before);
        *before = b->events[i].grounds;
    }
    put_column(p, b);
}

/* Adds what is left of a block of events to its payload: columns. */
static void put_events(const struct htr_press *p, struct htr_batch *b)
{
    put_threads(b);
    if (p->features & HTR_LOCATIONS)
        put_locations(p, b);
    put_ops(p, b);
    put_args(p, b);
    if (p->features & HTR_VALUES)
        put_values(p, b);
    if (p->features & HTR_GROUNDS)
        put_grounds(p, b);
}

static void make_block(struct htr_press *p, struct htr_batch *b)
{
    if (b->type == HTR_EVENTS)
        put_events(p, b);
    put_block(p, b);
    b->raw_count = b->count = 0;
    b->failed = NULL;
}

static void *work(void *press)
{
    struct htr_press *p = press;

    pthread_mutex_lock(&p->mutex);
    while (p->taken || !p->over) {
        if (!p->taken) {
            pthread_cond_wait(&p->changed, &p->mutex);
            continue;
        }
        pthread_mutex_unlock(&p->mutex);
        make_block(p, p->taken);
        pthread_mutex_lock(&p->mutex);
        p->taken = NULL;
        pthread_cond_broadcast(&p->changed);
    }
    pthread_mutex_unlock(&p->mutex);
    return NULL;
}

/* Signals go to the thread that fills blocks. If no writer thread can be created, the filling thread
 * compresses, too. */
static void start_thread(struct htr_press *p)
{
    sigset_t all, before;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    p->threaded = pthread_create(&p->thread, NULL, work, p) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* The tables of zstd's third level, but no larger than what a processor has near: blocks of changing numbers, in which there is little
 * to find, take half the time, and 2 % more room at most. */
static ZSTD_CCtx *make_compressor(void)
{
    ZSTD_CCtx *made = ZSTD_createCCtx();

    if (made) {
        ZSTD_CCtx_setParameter(made, ZSTD_c_compressionLevel, 3);
        ZSTD_CCtx_setParameter(made, ZSTD_c_hashLog, 14);
        ZSTD_CCtx_setParameter(made, ZSTD_c_chainLog, 13);
    }
    return made;
}

struct htr_press *press_new(struct output *out, unsigned features)
{
    struct htr_press *p = memory_new(1, sizeof *p);

    p->out = out;
    p->features = features;
    p->zstd = make_compressor();
    p->column = memory_new(HTR_BLOCK_EVENTS, sizeof *p->column);
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->changed, NULL);
    return p;
}

struct htr_batch *press_batch(struct htr_press *p)
{
    return &p->batches[p->filling];
}

void press_put(struct htr_press *p)
{
    struct htr_batch *b = press_batch(p);

    if (!p->threaded && b->count == HTR_BLOCK_EVENTS)
        start_thread(p);
    if (!p->threaded) {
        make_block(p, b);
        return;
    }
    press_wait(p);
    pthread_mutex_lock(&p->mutex);
    assert(!p->taken && !p->over);
    p->taken = b;
    p->filling = !p->filling; /* the writer thread looks at which batch it is */
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
}

void press_wait(struct htr_press *p)
{
    pthread_mutex_lock(&p->mutex);
    while (p->taken)
        pthread_cond_wait(&p->changed, &p->mutex);
    pthread_mutex_unlock(&p->mutex);
}

const char *press_end(struct htr_press *p)
{
    const char *failed;

    pthread_mutex_lock(&p->mutex);
    p->over = true;
    pthread_cond_broadcast(&p->changed);
    pthread_mutex_unlock(&p->mutex);
    if (p->threaded)
        pthread_join(p->thread, NULL);
    assert(!p->taken);
    failed = p->failed;
    for (int i = 0; i < 2; i++) {
        free(p->batches[i].raw);
        free(p->batches[i].events);
    }
    ZSTD_freeCCtx(p->zstd);
    pthread_mutex_destroy(&p->mutex);
    pthread_cond_destroy(&p->changed);
    free(p->column);
    free(p->stored);
    free(p);
    return failed;
}
