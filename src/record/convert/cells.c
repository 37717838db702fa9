/* Cells: granules by address, boundaries by access. */
#include "record/convert/cells.h"
#include "base/memory.h"
#include "record/convert/cells_pages.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TABLE = 1 << (48 - CHUNK_BITS), MANY = UINT16_MAX - 1, MIXED = UINT16_MAX };

/* There is no granule 0. */
static void begin(struct cells *cells, bool surveying)
{
    cells->surveying = surveying;
    cells->next = 0;
    pages_make(cells);
    pages_retire(cells, 0);
}

void cells_init(struct cells *cells)
{
    memset(cells, 0, sizeof *cells);
    cells->table = memory_sparse(TABLE * sizeof *cells->table);
    begin(cells, true);
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
    free(cells->runs);
    pages_free(cells);
    free(cells->numbers);
}

void cells_rewind(struct cells *cells)
{
    forget_table(cells);
    pages_rewind(cells);
    begin(cells, false);
}

/* The number of the granule that holds the address. */
static inline uint32_t number_of(struct cells *cells, uint64_t address)
{
    struct cells_chunk **chunk = &cells->table[address >> CHUNK_BITS];
    size_t granule = (address & ((1u << CHUNK_BITS) - 1)) >> 3;

    if (!*chunk) {
        *chunk = memory_sparse(sizeof **chunk);
        ARRAY_PUSH(cells, used, (uint32_t)(address >> CHUNK_BITS));
    }
    if ((*chunk)->number[granule] == 0) {
        (*chunk)->number[granule] = pages_make(cells);
        (*chunk)->any[granule / GROUP] = true;
    }
    return (*chunk)->number[granule];
}

static void note_touch(struct cells *cells, struct granule *g, uint32_t number)
{
    struct granule_run *last = cells->runs_count ? &cells->runs[cells->runs_count - 1] : NULL;

    g->batch = cells->batch;
    cells->batch_private &= !(g->shared & g->written);
    if (last && number == last->first + last->count)
        last->count++;
    else if (cells->runs_count <= RUNS_MOST)
        ARRAY_PUSH(cells, runs, (struct granule_run){number, 1});
}

/* First walk: the granule itself, which is touched. */
static inline struct granule *granule_at(struct cells *cells, uint64_t address)
{
    uint32_t number = number_of(cells, address);
    struct granule *g = &cells->pages[number >> PAGE_BITS].surveyed[number % PAGE];

    if (g->batch != cells->batch)
        note_touch(cells, g, number);
    return g;
}

void cells_begin_batch(struct cells *cells)
{
    cells->batch++;
    cells->batch_next = cells->next;
    cells->batch_private = true;
    cells->runs_count = 0;
}

bool cells_batch_known(const struct cells *cells)
{
    return cells->batch_private && cells->next == cells->batch_next && cells->runs_count <= RUNS_MOST;
}

bool cells_drop_runs(const struct cells *cells, const struct granule_run *runs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (uint32_t number = runs[i].first; number < runs[i].first + runs[i].count; number++) {
            const struct kept_granules *k = cells->pages[number >> PAGE_BITS].granules;
            if (k && k->of[number % PAGE].kept)
                return false;
        }
    return true;
}

/* Second walk: what is known of it. */
struct cell_look {
    uint8_t starts, ends, kept;
    uint32_t number;
};

static inline struct cell_look look_at(struct cells *cells, uint64_t address)
{
    uint32_t number = number_of(cells, address), at = number % PAGE;
    const struct kept_granules *k = cells->pages[number >> PAGE_BITS].granules;

    if (!k)
        return (struct cell_look){0, 0x80, 0, number};
    return (struct cell_look){k->of[at].starts, k->of[at].ends, k->of[at].kept, number};
}

static uint8_t mask_of(unsigned from, unsigned to)
{
    return (uint8_t)((0xffu << from) & (0xffu >> (8 - to)));
}

/* More than one thread touches the granule: from now on its bytes are tracked one by one. */
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

/* Whether the access tells nothing new: most repeat an earlier one of the thread, or touch bytes that are shared in any case. */
static inline bool is_known(const struct granule *g, unsigned from, unsigned to, uint32_t thread, bool write)
{
    uint8_t bytes = mask_of(from, to), known;

    if (g->common != thread + 1 && g->common != MIXED)
        return false;
    known = write ? g->touched & g->written : g->touched;
    known &= g->common == MIXED ? g->shared : UINT8_MAX;
    return (known & bytes) == bytes && g->starts >> from & g->ends >> (to - 1) & 1;
}

static __attribute__((noinline)) void survey_new(struct cells *cells, uint64_t address, uint64_t length,
                                                 uint32_t thread, bool write)
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

void cells_survey(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread, bool write)
{
    const struct cells_chunk *chunk = cells->table[address >> CHUNK_BITS];
    unsigned from = (unsigned)(address & 7);

    if (chunk && from + length <= 8) {
        uint32_t number = chunk->number[(address & ((1u << CHUNK_BITS) - 1)) >> 3];
        const struct granule *g = number ? &cells->pages[number >> PAGE_BITS].surveyed[number % PAGE] : NULL;
        if (g && g->batch == cells->batch && is_known(g, from, from + (unsigned)length, thread, write))
            return;
    }
    survey_new(cells, address, length, thread, write);
}

/* The number of the granule, 0: nobody touched it; `*next` is where to look next, past what nobody touched. */
static uint32_t touched_granule(const struct cells *cells, uint64_t address, uint64_t *next)
{
    const struct cells_chunk *chunk = cells->table[address >> CHUNK_BITS];
    size_t granule = (address & ((1u << CHUNK_BITS) - 1)) >> 3;

    *next = (address | 7) + 1;
    if (!chunk)
        *next = ((address >> CHUNK_BITS) + 1) << CHUNK_BITS;
    else if (!chunk->any[granule / GROUP])
        *next = ((address >> 3) / GROUP + 1) * GROUP << 3;
    else
        return chunk->number[granule];
    return 0;
}

void cells_survey_touched(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread,
                          unsigned most)
{
    uint64_t end = address + length, next;

    for (uint64_t at = address; at < end; at = next) {
        unsigned from = (unsigned)(at & 7), to = end - (at & ~UINT64_C(7)) < 8 ? (unsigned)(end & 7) : 8;
        uint32_t number = touched_granule(cells, at, &next);
        struct granule *g = number ? granule_at(cells, at) : NULL;
        uint8_t touched = g ? g->touched & mask_of(from, to) : 0;
        if (!touched)
            continue;
        g->written |= touched;
        if (g->common == thread + 1 || most == 0)
            continue;
        for (unsigned i = from; i < to; i++)
            if (touched & (1u << i))
                survey_granule(g, i, i + 1, thread, true);
        most--;
    }
}

/* Granules first..end-1 of a chunk. */
static void retire(struct cells *cells, struct cells_chunk *chunk, size_t first, size_t end)
{
    for (size_t at = first, next; at < end; at = next) {
        next = (at / GROUP + 1) * GROUP;
        if (!chunk->any[at / GROUP])
            continue;
        chunk->any[at / GROUP] = at % GROUP != 0 || next > end;
        for (; at < next && at < end; at++)
            if (chunk->number[at]) {
                pages_retire(cells, chunk->number[at]);
                chunk->number[at] = 0;
            }
    }
}

void cells_renew(struct cells *cells, uint64_t address, uint64_t length)
{
    uint64_t end = address + length;

    for (uint64_t at = address; at < end;) {
        uint64_t next = ((at >> CHUNK_BITS) + 1) << CHUNK_BITS;
        uint64_t to = next < end ? next : end;
        struct cells_chunk *chunk = cells->table[at >> CHUNK_BITS];
        size_t first = (at & ((1u << CHUNK_BITS) - 1)) >> 3;
        if (chunk)
            retire(cells, chunk, first, first + ((to - at + 7) >> 3));
        at = to;
    }
}

/* Counts the addresses that had a kept cell, in any block. */
static void count_place(struct cells *cells, uint64_t address)
{
    size_t granule = (address & ((1u << CHUNK_BITS) - 1)) >> 3;
    uint64_t *placed = &cells->table[address >> CHUNK_BITS]->placed[granule / 64], bit = UINT64_C(1)
                                                                                         << granule % 64;

    cells->places += !(*placed & bit);
    *placed |= bit;
}

static uint32_t new_numbers(struct cells *cells)
{
    uint32_t numbers = cells->numbers_free;

    if (numbers) {
        uint32_t *first = &cells->numbers[(size_t)(numbers - 1) * 8];
        cells->numbers_free = *first;
        memset(first, 0, 8 * sizeof *first);
        return numbers;
    }
    for (int i = 0; i < 8; i++)
        ARRAY_PUSH(cells, numbers, 0);
    return (uint32_t)(cells->numbers_count / 8);
}

/* The caller's number for the cell that begins with the byte. */
static uint32_t *number_at(struct cells *cells, uint32_t granule, uint64_t address)
{
    uint32_t *numbers = &cells->pages[granule >> PAGE_BITS].granules->numbers[granule % PAGE];

    if (*numbers == 0) {
        count_place(cells, address);
        *numbers = new_numbers(cells);
    }
    return &cells->numbers[(size_t)(*numbers - 1) * 8 + (address & 7)];
}

/* May say no where they are. */
static inline bool all_dropped(struct cell_look g, uint64_t address, uint64_t length)
{
    unsigned from = (unsigned)(address & 7);

    return from + length <= 8 && !(g.kept & mask_of(from, from + (unsigned)length));
}

bool cells_drop(struct cells *cells, uint64_t address, uint64_t length)
{
    return (address & 7) + length <= 8 && all_dropped(look_at(cells, address), address, length);
}

/* Where the cell that begins at the address, in this granule, ends. */
static uint64_t cell_end(struct cells *cells, struct cell_look g, uint64_t address, uint64_t end)
{
    uint64_t first = address & ~UINT64_C(7);
    unsigned from = (unsigned)(address & 7);

    for (;;) {
        unsigned to = end - first < 8 ? (unsigned)(end - first) : 8;
        unsigned last = (g.ends | g.starts >> 1) & mask_of(from, to); /* bytes that are the last of a cell */
        if (last)
            return first + (unsigned)__builtin_ctz(last) + 1;
        first += 8;
        if (first >= end)
            return end;
        g = look_at(cells, first);
        if (g.starts & 1)
            return first;
        from = 0;
    }
}

static inline struct cell first_cell(struct cells *cells, struct cell_look g, uint64_t address, uint64_t end)
{
    struct cell cell = {.address = address, .dropped = !(g.kept & (1u << (address & 7)))};

    if (!cell.dropped)
        cell.number = number_at(cells, g.number, address);
    cell.length = cell_end(cells, g, address, end) - address;
    return cell;
}

struct cell cells_next(struct cells *cells, uint64_t address, uint64_t end)
{
    return first_cell(cells, look_at(cells, address), address, end);
}

bool cells_first(struct cells *cells, uint64_t address, uint64_t end, struct cell *cell)
{
    struct cell_look g = look_at(cells, address);

    if (all_dropped(g, address, end - address))
        return false;
    *cell = first_cell(cells, g, address, end);
    return true;
}

bool cells_next_kept(struct cells *cells, uint64_t address, uint64_t end, struct cell *cell)
{
    uint64_t next;

    for (uint64_t at = address; at < end; at = next) {
        unsigned from = (unsigned)(at & 7), to = end - (at & ~UINT64_C(7)) < 8 ? (unsigned)(end & 7) : 8;
        uint32_t number = touched_granule(cells, at, &next);
        uint8_t kept = number ? look_at(cells, at).kept & mask_of(from, to) : 0;
        if (!kept)
            continue;
        *cell = cells_next(cells, (at & ~UINT64_C(7)) + (unsigned)__builtin_ctz(kept), end);
        return true;
    }
    return false;
}

uint64_t cells_id(struct cells *cells, uint64_t address)
{
    return (uint64_t)number_of(cells, address) << 3 | (address & 7);
}

uint64_t cells_dropped(const struct cells *cells)
{
    return cells->dropped;
}
