/* Cells: granules by address, boundaries by access. */
#include "record/cells.h"
#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    CHUNK_BITS = 24,
    CHUNK_GRANULES = 1 << (CHUNK_BITS - 3),
    TABLE = 1 << (48 - CHUNK_BITS),
    MANY = UINT16_MAX - 1,
    MIXED = UINT16_MAX
};

/* 16 MiB of addresses. */
struct cells_chunk {
    uint32_t number[CHUNK_GRANULES];
    uint64_t placed[CHUNK_GRANULES / 64]; /* second walk: granules that had a cell that is kept, a bit each */
};

void cells_init(struct cells *cells)
{
    memset(cells, 0, sizeof *cells);
    cells->table = memory_sparse(TABLE * sizeof *cells->table);
    cells->surveying = true;
    ARRAY_PUSH(cells, granules, (struct granule){0});
}

static void forget_table(struct cells *cells)
{
    for (size_t i = 0; i < cells->used_count; i++) {
        memory_sparse_free(cells->table[cells->used[i]], sizeof **cells->table);
        cells->table[cells->used[i]] = NULL;
    }
    cells->used_count = 0;
}

void cells_free(struct cells *cells)
{
    forget_table(cells);
    memory_sparse_free(cells->table, TABLE * sizeof *cells->table);
    free(cells->used);
    free(cells->granules);
    free(cells->numbers);
}

void cells_rewind(struct cells *cells)
{
    forget_table(cells);
    cells->surveying = false;
    cells->next = 1;
}

/* The number of the granule that holds the address. */
static inline uint32_t number_of(struct cells *cells, uint64_t address)
{
    struct cells_chunk **chunk = &cells->table[address >> CHUNK_BITS];
    uint32_t *slot;

    if (!*chunk) {
        *chunk = memory_sparse(sizeof **chunk);
        ARRAY_PUSH(cells, used, (uint32_t)(address >> CHUNK_BITS));
    }
    slot = &(*chunk)->number[(address & ((1u << CHUNK_BITS) - 1)) >> 3];
    if (*slot == 0 && cells->surveying) {
        *slot = (uint32_t)cells->granules_count;
        ARRAY_PUSH(cells, granules, (struct granule){0});
    } else if (*slot == 0) {
        assert(cells->next < cells->granules_count);
        *slot = cells->next++;
    }
    return *slot;
}

/* The granule itself; valid until the next one is made. */
static inline struct granule *granule_at(struct cells *cells, uint64_t address)
{
    uint32_t number = number_of(cells, address);

    return &cells->granules[number];
}

static uint8_t mask_of(unsigned from, unsigned to)
{
    return (uint8_t)((0xffu << from) & (0xffu >> (8 - to)));
}

/* More than one thread touches the granule: from now on bytes are looked at one by one. */
static void mix(struct granule *g, unsigned from, unsigned to, uint16_t mark)
{
    for (unsigned i = 0; i < 8 && g->common != MIXED; i++)
        g->owner[i] = g->touched & (1u << i) ? g->common : 0;
    g->common = MIXED;
    for (unsigned i = from; i < to; i++) {
        if (g->owner[i] == 0)
            g->owner[i] = mark;
        if (g->owner[i] != mark || mark == MANY)
            g->shared |= (uint8_t)(1u << i);
    }
}

/* Bytes from..to-1 of one granule. */
static inline void survey_granule(struct granule *g, unsigned from, unsigned to, uint32_t thread, bool write)
{
    uint16_t mark = thread + 1 < MANY ? (uint16_t)(thread + 1) : MANY;

    if (g->touched == 0 && mark != MANY)
        g->common = mark;
    if (g->common != mark)
        mix(g, from, to, mark);
    g->touched |= mask_of(from, to);
    if (write)
        g->written |= mask_of(from, to);
}

void cells_survey(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread, bool write)
{
    uint64_t end = address + length;

    if ((address & 7) + length <= 8) {
        struct granule *g = granule_at(cells, address);
        unsigned from = (unsigned)(address & 7), to = from + (unsigned)length;
        g->starts |= (uint8_t)(1u << from);
        g->ends |= (uint8_t)(1u << (to - 1));
        survey_granule(g, from, to, thread, write);
        return;
    }
    granule_at(cells, address)->starts |= (uint8_t)(1u << (address & 7));
    for (uint64_t at = address; at < end; at = (at | 7) + 1) {
        unsigned to = end - (at & ~UINT64_C(7)) < 8 ? (unsigned)(end & 7) : 8;
        survey_granule(granule_at(cells, at), (unsigned)(at & 7), to, thread, write);
    }
    granule_at(cells, end - 1)->ends |= (uint8_t)(1u << ((end - 1) & 7));
}

void cells_renew(struct cells *cells, uint64_t address, uint64_t length)
{
    uint64_t end = address + length;

    for (uint64_t at = address; at < end;) {
        uint64_t next = ((at >> CHUNK_BITS) + 1) << CHUNK_BITS;
        uint64_t to = next < end ? next : end;
        struct cells_chunk *chunk = cells->table[at >> CHUNK_BITS];
        if (chunk) {
            size_t first = (at & ((1u << CHUNK_BITS) - 1)) >> 3;
            memset(&chunk->number[first], 0, ((to - at + 7) >> 3) * sizeof *chunk->number);
        }
        at = to;
    }
}

static bool is_dropped(const struct granule *g, unsigned byte)
{
    return !(g->shared & g->written & (1u << byte));
}

/* Counts the places that had a cell that is kept, in whatever block. */
static void count_place(struct cells *cells, uint64_t address)
{
    size_t granule = (address & ((1u << CHUNK_BITS) - 1)) >> 3;
    uint64_t *placed = &cells->table[address >> CHUNK_BITS]->placed[granule / 64], bit = UINT64_C(1)
                                                                                         << granule % 64;

    cells->places += !(*placed & bit);
    *placed |= bit;
}

/* The caller's number for the cell that begins with the byte. */
static uint32_t *number_at(struct cells *cells, struct granule *g, uint64_t address)
{
    unsigned byte = (unsigned)(address & 7);

    if (g->kept == 0) {
        count_place(cells, address);
        for (int i = 0; i < 8; i++)
            ARRAY_PUSH(cells, numbers, 0);
        g->kept = (uint32_t)(cells->numbers_count / 8);
    }
    return &cells->numbers[(size_t)(g->kept - 1) * 8 + byte];
}

bool cells_drop(struct cells *cells, uint64_t address, uint64_t length)
{
    unsigned from = (unsigned)(address & 7);
    const struct granule *g;

    if (from + length > 8)
        return false;
    g = granule_at(cells, address);
    return !(g->shared & g->written & mask_of(from, from + (unsigned)length));
}

struct cell cells_next(struct cells *cells, uint64_t address, uint64_t end)
{
    struct granule *g = granule_at(cells, address);
    struct cell cell = {.address = address};
    unsigned from = (unsigned)(address & 7),
             to = end - address < 8 - from ? from + (unsigned)(end - address) : 8;
    uint64_t at = address;

    cell.dropped = is_dropped(g, from);
    if (!cell.dropped)
        cell.number = number_at(cells, g, address);
    if (to < 8 + (end - address == 8 - from) && !(g->starts & mask_of(from, to) & ~(1u << from)) &&
        !(g->ends & mask_of(from, to) & ~(1u << (to - 1)))) { /* one cell, within the granule */
        cell.length = to - from;
        return cell;
    }
    while (!(g->ends & (1u << (at & 7)))) {
        at++;
        if (at == end)
            break;
        if ((at & 7) == 0)
            g = granule_at(cells, at);
        if (g->starts & (1u << (at & 7))) {
            at--;
            break;
        }
    }
    cell.length = at + 1 - address;
    return cell;
}

uint64_t cells_id(struct cells *cells, uint64_t address)
{
    return (uint64_t)number_of(cells, address) << 3 | (address & 7);
}

/* Bytes of one cell share all marks; a cell is counted in the granule where it begins. */
uint64_t cells_dropped(const struct cells *cells)
{
    uint64_t dropped = 0;

    for (size_t i = 1; i < cells->granules_count; i++)
        for (unsigned byte = 0; byte < 8; byte++) {
            const struct granule *g = &cells->granules[i];
            bool begins = g->starts & (1u << byte) || (byte > 0 && g->ends & (1u << (byte - 1)));
            dropped += begins && g->touched & (1u << byte) && is_dropped(g, byte);
        }
    return dropped;
}
