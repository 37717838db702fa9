/* Marks of shared granules: making room, ranges, renewal. */
#include "shadow.h"
#include "system.h"

#include <sys/mman.h>

uint16_t **shadow_table;

static struct shadow_index *shadow_index;
static int shadow_file = -1;
static uint32_t shadow_count;
static uint16_t *keep_all; /* stands in for chunks there is no room for */

enum { INDEX_BYTES = sizeof(struct shadow_index) };

static uint16_t *map_chunk(uint32_t number)
{
    return system_map(SHADOW_CHUNK_BYTES, MAP_SHARED, shadow_file,
                      INDEX_BYTES + (size_t)number * SHADOW_CHUNK_BYTES);
}

bool shadow_open(int fd)
{
    size_t top = sizeof(uint16_t *) << (48 - SHADOW_CHUNK_BITS);

    shadow_file = fd;
    shadow_table = system_map(top, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    shadow_index = system_map(INDEX_BYTES, MAP_SHARED, fd, 0);
    if (!shadow_table || !shadow_index)
        return false;
    while (shadow_count < SHADOW_CHUNKS && shadow_index->chunk[shadow_count]) {
        uint16_t *chunk = map_chunk(shadow_count);
        if (!chunk)
            return false;
        shadow_table[shadow_index->chunk[shadow_count++] - 1] = chunk;
    }
    return true;
}

static uint16_t *chunk_of_keepers(void)
{
    if (!keep_all) {
        keep_all = system_map(SHADOW_CHUNK_BYTES, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        for (size_t i = 0; keep_all && i < SHADOW_CHUNK_BYTES / sizeof *keep_all; i++)
            keep_all[i] = SHADOW_KEPT;
    }
    return keep_all;
}

uint16_t *shadow_add(uint64_t address)
{
    uint64_t number = (address & RECORD_ADDRESS) >> SHADOW_CHUNK_BITS;
    uint16_t *chunk = NULL;

    if (shadow_count < SHADOW_CHUNKS) {
        long grown = system_call(SYS_ftruncate, shadow_file,
                                 INDEX_BYTES + (long)(shadow_count + 1) * SHADOW_CHUNK_BYTES, 0, 0, 0, 0);
        if (grown == 0)
            chunk = map_chunk(shadow_count);
    }
    if (chunk)
        session_store(&shadow_index->chunk[shadow_count++], (uint32_t)number + 1);
    else
        chunk = chunk_of_keepers();
    if (!chunk) {
        system_print("heddle: no memory for the marks of shared variables\n");
        system_exit(1);
    }
    shadow_table[number] = chunk;
    return chunk;
}

void shadow_renew(uint64_t address, size_t length)
{
    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8) {
        if (!shadow_table[(at & RECORD_ADDRESS) >> SHADOW_CHUNK_BITS]) { /* untouched: on to the next chunk */
            at |= (UINT64_C(1) << SHADOW_CHUNK_BITS) - 8;
            continue;
        }
        uint16_t *mark = shadow_of(at);
        if ((*mark & SHADOW_KEPT) != SHADOW_KEPT)
            *mark = 0;
    }
}

bool shadow_any(uint64_t address, size_t length)
{
    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8) {
        if (!shadow_table[(at & RECORD_ADDRESS) >> SHADOW_CHUNK_BITS]) {
            at |= (UINT64_C(1) << SHADOW_CHUNK_BITS) - 8;
            continue;
        }
        if ((*shadow_of(at) & SHADOW_KEPT) == SHADOW_KEPT)
            return true;
    }
    return false;
}

static void stray(void)
{
    session_add(&rt.session->strays, 1);
}

bool shadow_change(uint16_t *mark, bool write)
{
    uint16_t now = *mark, then = now;

    if ((now & SHADOW_KEPT) == SHADOW_KEPT)
        return rt.mode == SESSION_FILTER;
    if (write)
        now |= SHADOW_WRITTEN;
    if (!(now & SHADOW_OWNER))
        now |= local.mark;
    else if ((now & SHADOW_OWNER) != local.mark || local.mark == SHADOW_OWNER)
        now |= SHADOW_SHARED;
    if (now == then)
        return false;
    *mark = now;
    if ((now & SHADOW_KEPT) == SHADOW_KEPT && rt.mode == SESSION_FILTER)
        stray(); /* only the second pass found it to be shared */
    return false;
}

bool shadow_wants_range(uint64_t address, size_t length, bool write)
{
    bool wants = false;

    for (uint64_t at = address & ~UINT64_C(7); at < address + length; at += 8)
        wants |= shadow_wants_granule(at, write);
    return wants;
}

void shadow_keep(uint64_t address)
{
    if (rt.mode != SESSION_ALL)
        *shadow_of(address) |= SHADOW_KEPT;
}
