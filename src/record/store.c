/* Raw records on their way: zstd frames, each with its length in front. */
#include "record/store.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { IN_MEMORY = 32 << 20, LEVEL = -5 };

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
}

static FILE *temporary_file(void)
{
    const char *folder = getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";
    char path[4096];
    int fd;

    snprintf(path, sizeof path, "%s/heddle-XXXXXX", folder);
    fd = mkostemp(path, 0x80000 /* O_CLOEXEC */);
    if (fd < 0)
        return NULL;
    unlink(path);
    return fdopen(fd, "w+b");
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

void store_append(struct store *store, const struct record *records, size_t count)
{
    size_t bound = ZSTD_compressBound(count * sizeof *records), length;
    uint32_t head[2];

    if (count == 0 || store->error.status != HEDDLE_OK)
        return;
    if (bound > store->packed_capacity)
        store->packed = memory_grow(store->packed, &store->packed_capacity, bound, 1);
    length = ZSTD_compress(store->packed, bound, records, count * sizeof *records, LEVEL);
    if (ZSTD_isError(length)) {
        fail(&store->error, HEDDLE_IO, "the compressor failed");
        return;
    }
    head[0] = (uint32_t)length;
    head[1] = (uint32_t)count;
    put(store, head, sizeof head);
    put(store, store->packed, length);
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

enum status store_replay(struct store *store,
                         void (*take)(void *to, const struct record *records, size_t count), void *to,
                         struct error *err)
{
    struct record *batch = memory_new(SESSION_CHUNK, sizeof *batch);
    enum status status = HEDDLE_OK;
    uint32_t head[2];
    size_t at = 0;

    if (store->file)
        rewind(store->file);
    while (status == HEDDLE_OK && next_bytes(store, &at, head, sizeof head)) {
        if (head[0] > store->packed_capacity || head[1] > SESSION_CHUNK ||
            !next_bytes(store, &at, store->packed, head[0]) ||
            ZSTD_isError(ZSTD_decompress(batch, SESSION_CHUNK * sizeof *batch, store->packed, head[0])))
            status = fail(err, HEDDLE_IO, "the temporary file cannot be read");
        else
            take(to, batch, head[1]);
    }
    free(batch);
    return status;
}
