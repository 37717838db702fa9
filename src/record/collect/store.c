/* Stores raw records: batches of packed records, each with its length in front. */
#include "record/collect/store.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/temporary.h"

#include <assert.h>
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
    free(store->alone);
}

/* Moves what is in memory to the file. */
static void spill(struct store *store)
{
    if (!store->file)
        store->file = temporary_file();
    if (!store->file || fwrite(store->bytes, 1, store->bytes_count, store->file) != store->bytes_count ||
        fflush(store->file) != 0)
        fail(&store->error, HEDDLE_IO,
             "cannot write the temporary file (set TMPDIR to a folder with enough space)");
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
    store->alone = memory_new(1, sizeof *store->alone);
}

/* In front of each batch. Its rest follows, then the runs, then all of it. */
struct batch_head {
    uint32_t bytes, count;
    uint32_t rest_count, runs_count;
    uint64_t left_out; /* 0: it has no rest */
};

void store_append(struct store *store, const struct record *records, size_t count,
                  const struct batch_rest *rest)
{
    struct batch_head head = {.count = (uint32_t)count};

    assert(count <= SESSION_CHUNK);
    if (count == 0 || store->error.status != HEDDLE_OK)
        return;
    make_room(store);
    if (rest) {
        memset(store->alone, 0, sizeof *store->alone);
        head.rest_count = (uint32_t)rest->count;
        head.runs_count = (uint32_t)rest->runs_count;
        head.left_out = rest->left_out;
    }
    head.bytes = (uint32_t)pack_records(rest ? store->alone : store->pack, records, count, store->packed);
    put(store, &head, sizeof head);
    if (rest) {
        put(store, rest->records, rest->count * sizeof *rest->records);
        put(store, rest->runs, rest->runs_count * sizeof *rest->runs);
    }
    put(store, store->packed, head.bytes);
    store->total += count;
    if (store->bytes_count > IN_MEMORY)
        spill(store);
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

/* Buffer for the records that are returned to the caller. */
struct handed {
    struct record batch[SESSION_CHUNK], rest[SESSION_CHUNK];
    struct granule_run runs[RUNS_MOST];
};

static bool hand_out(struct store *store, const struct batch_head *head, size_t *at, struct handed *h,
                     const struct store_reader *reader)
{
    struct pack *pack = head->left_out ? store->alone : store->pack;
    struct batch_rest rest = {h->rest, head->rest_count, head->left_out, h->runs, head->runs_count};

    if (head->bytes > PACKED - PACK_LONGEST || head->count > SESSION_CHUNK ||
        head->rest_count > SESSION_CHUNK || head->runs_count > RUNS_MOST ||
        !next_bytes(store, at, h->rest, rest.count * sizeof *h->rest) ||
        !next_bytes(store, at, h->runs, rest.runs_count * sizeof *h->runs) ||
        !next_bytes(store, at, store->packed, head->bytes))
        return false;
    if (head->left_out && reader->take_rest && reader->take_rest(reader->to, &rest))
        return true;
    if (head->left_out)
        memset(pack, 0, sizeof *pack);
    if (!unpack_records(pack, store->packed, head->bytes, h->batch, head->count))
        return false;
    reader->take(reader->to, h->batch, head->count);
    return true;
}

enum status store_replay(struct store *store, struct store_reader *reader, struct error *err)
{
    double until = process_seconds() + reader->seconds;
    uint64_t handed = 0;
    struct handed *h = memory_new(1, sizeof *h);
    enum status status = HEDDLE_OK;
    struct batch_head head;
    size_t at = 0;

    make_room(store);
    memset(store->pack, 0, sizeof *store->pack);
    if (store->file)
        rewind(store->file);
    while (status == HEDDLE_OK && (reader->seconds == 0 || process_seconds() < until) &&
           next_bytes(store, &at, &head, sizeof head)) {
        if (!hand_out(store, &head, &at, h, reader))
            status = fail(err, HEDDLE_IO, "cannot read the temporary file");
        handed += head.count;
    }
    assert(handed <= store->total);
    reader->beyond = reader->seconds == 0 ? 0 : store->total - handed;
    free(h);
    return status;
}
