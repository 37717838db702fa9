/* Raw records kept until they are turned into a trace: packed, in memory while they are few, else in a
 * temporary file. */
#pragma once
#include "base/error.h"
#include "record/collect/pack.h"
#include "record/convert/cells.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A batch without its plain accesses, for the case that all they touch is of one thread or never written: then
 * it is as good as the batch. */
struct batch_rest {
    const struct record *records; /* the others, and RECORD_TICKS in place of accesses */
    size_t count;
    uint64_t left_out;              /* accesses */
    const struct granule_run *runs; /* what they touch */
    size_t runs_count;
};

struct store {
    FILE *file; /* NULL while all is in memory */
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
    uint64_t total;        /* records */
    struct pack *pack;     /* of batches without a rest, which follow each other */
    struct pack *alone;    /* of those with one, each of which is told by itself */
    unsigned char *packed; /* a batch */
    struct error error;    /* the first one; what comes later is not kept */
};

void store_init(struct store *store);
void store_free(struct store *store);

/* A batch of at most SESSION_CHUNK records; `rest` may be NULL. */
void store_append(struct store *store, const struct record *records, size_t count,
                  const struct batch_rest *rest);

struct store_reader {
    void *to;
    void (*take)(void *to, const struct record *records, size_t count);
    /* Takes the rest of a batch and returns true, or wants all of it; may be NULL. */
    bool (*take_rest)(void *to, const struct batch_rest *rest);
    double seconds;  /* of processor time, after which no other batch is handed out; 0: no limit */
    uint64_t beyond; /* set: records that were not handed out for that reason */
};

/* Hands out all records again, a batch at a time. */
enum status store_replay(struct store *store, struct store_reader *reader, struct error *err);
