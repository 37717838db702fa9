/* Cells: runs of bytes that are always accessed together (semantics §6), found in a first walk over the
 * records, looked up in a second one.
 *
 * Memory is seen in granules of 8 bytes. When the memory of a granule is allocated again, it is a new granule;
 * since both walks see the same records, the n-th granule made in one is the n-th made in the other.
 *
 * Granules are kept in pages, by number. A page whose granules are all gone, because their memory was
 * allocated again, is evicted in the first walk: nothing is kept if all its cells are dropped; otherwise what
 * the second walk needs goes into a temporary file. So a program that allocates and frees memory does not need
 * more for running longer. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Granules `first`, `first` + 1 … by number. */
struct granule_run {
    uint32_t first, count;
};

enum { RUNS_MOST = 2048 };

/* Where a page of granules is. */
struct cells_page {
    struct granule *surveyed;       /* first walk */
    struct kept_granules *granules; /* second walk; NULL: all its cells are dropped, or it is in the file */
    uint32_t gone;                  /* granules of it that are never touched again */
    uint32_t where;                 /* in the file, from 1; 0: it is not there */
};

struct cells {
    struct cells_chunk **table; /* by 16 MiB of address space: number of each granule, 0: none */
    uint32_t *used;             /* which entries of the table there are */
    size_t used_count, used_capacity;
    struct cells_page *pages; /* the first granule of all is none */
    size_t pages_count, pages_capacity;
    size_t pages_held; /* in memory */
    FILE *file;
    uint32_t file_pages;
    bool failed;       /* the file could not be read */
    uint32_t next;     /* the number of the next new granule */
    uint32_t *numbers; /* eight for each granule with a cell that is kept */
    size_t numbers_count, numbers_capacity;
    uint32_t numbers_free; /* the first of those that are free again, by granule, plus one */
    bool surveying;
    uint32_t batch;           /* first walk: number of the batch of records */
    uint32_t batch_next;      /* the next new granule when it began */
    bool batch_private;       /* no cell that was touched in it was known to be kept */
    struct granule_run *runs; /* granules touched in it */
    size_t runs_count, runs_capacity;
    uint64_t dropped; /* cells, as far as pages were put away */
    uint64_t places;  /* second walk: granules of the address space that had a cell that is kept */
};

/* A cell as the second walk sees it. */
struct cell {
    uint64_t address;
    uint64_t length;
    bool dropped;     /* touched by one thread only, or never written */
    uint32_t *number; /* if not dropped: the caller's, 0 at first; valid until the next call */
};

void cells_init(struct cells *cells);
void cells_free(struct cells *cells);

/* As a thread: more than one. */
#define CELLS_EVERYBODY UINT16_MAX

/* First walk: an access. */
void cells_survey(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread, bool write);

/* First walk: a write of those bytes that were touched before. Of many granules that others touched only the
 * first `most` are seen as written by the thread. */
void cells_survey_touched(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread,
                          unsigned most);

/* Both walks: the bytes are new variables from here on. */
void cells_renew(struct cells *cells, uint64_t address, uint64_t length);

/* Accesses that come. Memory is slow, and what is near in the log is not near there: what the walk will need of them is fetched in
 * steps, each of which finds where the next one is to look. All zero at first. */
enum { CELLS_STEP = 3, CELLS_AHEAD = 16 };
struct cells_ahead {
    const uint32_t *place[CELLS_AHEAD]; /* of the granule's number; NULL: it is not known */
    uint32_t granule[CELLS_AHEAD];
    uint32_t cell[CELLS_AHEAD]; /* where the caller's number is, plus one */
    uint8_t byte[CELLS_AHEAD];
    unsigned count;
};

/* First walk: an access to the address comes after 2 * CELLS_STEP others. */
void cells_expect_survey(const struct cells *cells, struct cells_ahead *ahead, uint64_t address);

/* Second walk: one comes later. Returns the caller's number for the cell of the access that was told 3 * CELLS_STEP calls before, as
 * far as is known; 0: it has none. What is allocated in between may make it wrong. */
uint32_t cells_expect(const struct cells *cells, struct cells_ahead *ahead, uint64_t address);

/* Between the walks. */
void cells_rewind(struct cells *cells);

/* First walk: a batch of records begins. */
void cells_begin_batch(struct cells *cells);

/* First walk: whether `runs` holds all that was touched in the batch, that was there before, and may all be
 * dropped. */
bool cells_batch_known(const struct cells *cells);

/* Second walk, at the same place of the records: whether it is. */
bool cells_drop_runs(const struct cells *cells, const struct granule_run *runs, size_t count);

/* Second walk: whether all cells of the bytes are dropped; may say no where they are. */
bool cells_drop(struct cells *cells, uint64_t address, uint64_t length);

/* The same and, where it says no, the first cell. */
bool cells_first(struct cells *cells, uint64_t address, uint64_t end, struct cell *cell);

/* Second walk: the first cell of the bytes from `address` to `end`; several dropped cells may be merged into
 * one. */
struct cell cells_next(struct cells *cells, uint64_t address, uint64_t end);

/* Second walk: the first cell from `address` to `end` that is not dropped; false: there is none. */
bool cells_next_kept(struct cells *cells, uint64_t address, uint64_t end, struct cell *cell);

/* Both walks: a number for the byte, never reused for another block's. */
uint64_t cells_id(struct cells *cells, uint64_t address);

/* In the second walk: how many cells there are that are dropped. */
uint64_t cells_dropped(const struct cells *cells);
