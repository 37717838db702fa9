/* What a program writes to standard output or error, kept in bounded memory. */
#include "record/printed.h"
#include "base/memory.h"

#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { BLOCK = 64 << 10, STEP = 16 * BLOCK }; /* bytes read at once; at least so many are taken in one step */

enum status printed_open(struct printed *o, const char *name, struct error *err)
{
    *o = (struct printed){.fd = memfd_create(name, MFD_CLOEXEC)};
    if (o->fd < 0) {
        o->fd = 0;
        return fail(err, HEDDLE_IO, "not enough memory for the program's output");
    }
    return HEDDLE_OK;
}

static uint64_t size_of(const struct printed *o)
{
    struct stat about;

    return o->fd > 0 && fstat(o->fd, &about) == 0 ? (uint64_t)about.st_size : 0;
}

/* Reads up to `length` bytes from `start`; fewer only at the end of the file. */
static size_t read_part(const struct printed *o, char *to, size_t length, uint64_t start)
{
    size_t have = 0;

    while (have < length) {
        ssize_t got = pread(o->fd, to + have, length - have, (off_t)(start + have));
        if (got <= 0)
            break;
        have += (size_t)got;
    }
    return have;
}

/* Adds the bytes from where it stopped last up to `end` to the checksum and removes them from the file. */
static void take_until(struct printed *o, uint64_t end)
{
    char *block = memory_new(BLOCK, 1);
    uint64_t from = PRINTED_HEAD + o->taken;

    if (!o->sum) {
        o->sum = XXH3_createState();
        if (!o->sum)
            memory_exhausted();
        XXH3_64bits_reset(o->sum);
    }
    for (uint64_t at = from; at < end;) {
        size_t got = read_part(o, block, end - at < BLOCK ? (size_t)(end - at) : BLOCK, at);
        if (got == 0)
            break; /* the program made the file shorter */
        XXH3_64bits_update(o->sum, block, got);
        at += got;
        o->taken += got;
    }
    fallocate(o->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
              (off_t)(PRINTED_HEAD + o->taken - from));
    free(block);
}

static void step(struct printed *o)
{
    uint64_t size = size_of(o);

    if (size > PRINTED_HEAD + o->taken + PRINTED_TAIL + STEP)
        take_until(o, (size - PRINTED_TAIL) / BLOCK * BLOCK);
}

void printed_step(struct printed *outputs)
{
    for (int i = 0; outputs && i < 2; i++)
        step(&outputs[i]);
}

/* The first bytes, a line about those that are left out, and the last bytes. */
static char *shortened(const struct printed *o, uint64_t size, size_t *length)
{
    size_t tail = size < PRINTED_TAIL ? (size_t)size : PRINTED_TAIL;
    char *text = memory_new(PRINTED_HEAD + PRINTED_TAIL + 128, 1);
    size_t have = read_part(o, text, PRINTED_HEAD, 0);

    have += (size_t)snprintf(text + have, 127, "\n[%llu bytes of output left out, checksum %016llx]\n",
                             (unsigned long long)o->taken, (unsigned long long)XXH3_64bits_digest(o->sum));
    have += read_part(o, text + have, tail, size - tail);
    assert(have < PRINTED_HEAD + PRINTED_TAIL + 128);
    *length = have;
    return text;
}

char *printed_close(struct printed *o, size_t *length)
{
    uint64_t size = size_of(o);
    char *text;

    if (size > PRINTED_HEAD + o->taken + PRINTED_TAIL)
        take_until(o, size - PRINTED_TAIL);
    if (o->taken > 0) {
        text = shortened(o, size, length);
    } else {
        text = memory_new((size_t)size + 1, 1);
        *length = read_part(o, text, (size_t)size, 0);
    }
    XXH3_freeState(o->sum);
    if (o->fd > 0)
        close(o->fd);
    *o = (struct printed){0};
    return text;
}
