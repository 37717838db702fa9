/* A hash map from 64-bit keys to 32-bit values; absent keys read as 0. Entries are never removed. */
#pragma once
#include <stddef.h>
#include <stdint.h>

struct map {
    uint64_t *keys;
    uint32_t *values; /* parallel to keys; a slot is used when its byte in `used` is set */
    uint8_t *used;
    size_t slot_count, entries;
};

void map_free(struct map *map);

/* The value kept for `key`, made 0 if it is new. Valid until the next map_at. */
uint32_t *map_at(struct map *map, uint64_t key);

/* The value for `key`, or 0; never changes the map. */
uint32_t map_get(const struct map *map, uint64_t key);

static inline uint64_t map_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}
