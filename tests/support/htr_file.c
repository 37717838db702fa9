/* Native files built by hand. */
#include "support/htr_file.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>

static void put(struct htr_file *file, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        ARRAY_PUSH(file, bytes, (unsigned char)(number >> 8 * i));
}

static uint32_t get_u32(const unsigned char *from)
{
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

void htr_file_start(struct htr_file *file, unsigned version, unsigned features)
{
    memset(file, 0, sizeof *file);
    for (int i = 0; i < HTR_MAGIC_SIZE; i++)
        put(file, (unsigned char)HTR_MAGIC[i], 1);
    put(file, version, 4);
    put(file, features, 4);
}

void htr_file_sign(unsigned char *block)
{
    uint64_t sum =
        XXH3_64bits_withSeed(block + HTR_BLOCK_HEADER_SIZE, get_u32(block + 8), XXH3_64bits(block, 24));

    for (int i = 0; i < 8; i++)
        block[24 + i] = (unsigned char)(sum >> 8 * i);
}

void htr_file_block(struct htr_file *file, unsigned type, uint64_t events, const void *payload, size_t length)
{
    size_t bound = ZSTD_compressBound(length), start = file->bytes_count;
    unsigned char *stored = memory_new(bound, 1);
    size_t count = ZSTD_compress(stored, bound, payload, length, 1);

    put(file, type, 4);
    put(file, length, 4);
    put(file, count, 4);
    put(file, 0, 4);
    put(file, events, 8);
    put(file, 0, 8);
    for (size_t i = 0; i < count; i++)
        put(file, stored[i], 1);
    htr_file_sign(file->bytes + start);
    free(stored);
}

void htr_file_end(struct htr_file *file, uint64_t events)
{
    unsigned char payload[10];
    size_t length = 0;

    for (uint64_t rest = events; length == 0 || rest > 0; rest >>= 7)
        payload[length++] = (unsigned char)((rest & 0x7f) | (rest > 0x7f ? 0x80 : 0));
    htr_file_block(file, HTR_END, events, payload, length);
}

void htr_file_free(struct htr_file *file)
{
    free(file->bytes);
}
