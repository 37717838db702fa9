/* A hash map from 64-bit keys to 32-bit values: linear probing, at most half full. */
#include "base/map.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

static size_t slot_of(const struct map *map, uint64_t key)
{
    uint64_t mixed = key * 0x9e3779b97f4a7c15u;
    size_t mask = map->slot_count - 1;
    size_t at = (size_t)(mixed ^ mixed >> 32) & mask;

    while (map->used[at] && map->keys[at] != key)
        at = (at + 1) & mask;
    return at;
}

static void map_resize(struct map *map, size_t slot_count)
{
    struct map old = *map;

    map->slot_count = slot_count;
    map->keys = memory_resize(NULL, slot_count, sizeof *map->keys);
    map->values = memory_new(slot_count, sizeof *map->values);
    map->used = memory_new(slot_count, 1);
    for (size_t i = 0; i < old.slot_count; i++) {
        if (!old.used[i])
            continue;
        size_t at = slot_of(map, old.keys[i]);
        map->used[at] = 1;
        map->keys[at] = old.keys[i];
        map->values[at] = old.values[i];
    }
    old.entries = 0;
    map_free(&old);
}

void map_free(struct map *map)
{
    free(map->keys);
    free(map->values);
    free(map->used);
    memset(map, 0, sizeof *map);
}

uint32_t *map_at(struct map *map, uint64_t key)
{
    if (2 * map->entries >= map->slot_count)
        map_resize(map, map->slot_count ? 2 * map->slot_count : 16);

    size_t at = slot_of(map, key);
    if (!map->used[at]) {
        map->used[at] = 1;
        map->keys[at] = key;
        map->entries++;
    }
    return &map->values[at];
}

uint32_t map_get(const struct map *map, uint64_t key)
{
    if (map->slot_count == 0)
        return 0;

    size_t at = slot_of(map, key);
    return map->used[at] ? map->values[at] : 0;
}
