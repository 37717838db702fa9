/* Raw records kept until they are turned into a trace: packed, in memory while they are few, else in a
 * temporary file. */
#pragma once
#include "base/error.h"
#include "record/pack.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct store {
    FILE *file; /* NULL while all is in memory */
    unsigned char *bytes;
    size_t bytes_count, bytes_capacity;
    uint64_t total; /* records */
    struct pack *pack;
    unsigned char *packed; /* a batch */
    struct error error;    /* the first one; what comes later is not kept */
};

void store_init(struct store *store);
void store_free(struct store *store);
void store_append(struct store *store, const struct record *records, size_t count);

/* Hands out all records again, a batch at a time. */
enum status store_replay(struct store *store,
                         void (*take)(void *to, const struct record *records, size_t count), void *to,
                         struct error *err);
