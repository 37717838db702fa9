/* Raw records on their way: batches of packed ones, each with its length in front. */
#include "record/store.h"
#include "base/memory.h"
#include "base/temporary.h"

#include <stdlib.h>
#include <string.h>

enum { IN_MEMORY = 1 << 20, PACKED = (SESSION_CHUNK + 1) * PACK_LONGEST };

void store_init(struct store *store)
{
    memset(store, 0, sizeof *store);
}

void store_free(struct store *store)
{
    if (store->file)
        fclose(store->file);
    free(store->bytes);
    free(store->packed);
    free(store->pack);
}

/* Moves what is in memory to the file. */
static void spill(struct store *store)
{
    if (!store->file)
        store->file = temporary_file();
    if (!store->file || fwrite(store->bytes, 1, store->bytes_count, store->file) != store->bytes_count ||
        fflush(store->file) != 0)
        fail(&store->error, HEDDLE_IO,
             "the temporary file cannot be written (set TMPDIR to a folder with room)");
    store->bytes_count = 0;
}

static void put(struct store *store, const void *bytes, size_t length)
{
    if (store->bytes_count + length > store->bytes_capacity)
        store->bytes = memory_grow(store->bytes, &store->bytes_capacity, store->bytes_count + length, 1);
    memcpy(store->bytes + store->bytes_count, bytes, length);
    store->bytes_count += length;
}

static void make_room(struct store *store)
{
    if (store->packed)
        return;
    store->packed = memory_resize(NULL, PACKED, 1);
    store->pack = memory_new(1, sizeof *store->pack);
}

static void append_batch(struct store *store, const struct record *records, size_t count)
{
    uint32_t head[2];

    make_room(store);
    head[0] = (uint32_t)pack_records(store->pack, records, count, store->packed);
    head[1] = (uint32_t)count;
    put(store, head, sizeof head);
    put(store, store->packed, head[0]);
    store->total += count;
    if (store->bytes_count > IN_MEMORY)
        spill(store);
}

void store_append(struct store *store, const struct record *records, size_t count)
{
    while (count > 0 && store->error.status == HEDDLE_OK) {
        size_t now = count < SESSION_CHUNK ? count : SESSION_CHUNK;
        append_batch(store, records, now);
        records += now;
        count -= now;
    }
}

/* The next bytes of file and memory, in that order. */
static bool next_bytes(struct store *store, size_t *at, void *to, size_t length)
{
    if (store->file && fread(to, 1, length, store->file) == length)
        return true;
    if (*at + length > store->bytes_count)
        return false;
    memcpy(to, store->bytes + *at, length);
    *at += length;
    return true;
}

enum status store_replay(struct store *store,
                         void (*take)(void *to, const struct record *records, size_t count), void *to,
                         struct error *err)
{
    struct record *batch = memory_new(SESSION_CHUNK, sizeof *batch);
    enum status status = HEDDLE_OK;
    uint32_t head[2];
    size_t at = 0;

    make_room(store);
    memset(store->pack, 0, sizeof *store->pack);
    if (store->file)
        rewind(store->file);
    while (status == HEDDLE_OK && next_bytes(store, &at, head, sizeof head)) {
        if (head[0] > PACKED - PACK_LONGEST || head[1] > SESSION_CHUNK ||
            !next_bytes(store, &at, store->packed, head[0]) ||
            !unpack_records(store->pack, store->packed, head[0], batch, head[1]))
            status = fail(err, HEDDLE_IO, "the temporary file cannot be read");
        else
            take(to, batch, head[1]);
    }
    free(batch);
    return status;
}
