/* Cells: runs of bytes that are always accessed together (SPEC §6), found in a first walk over the records,
 * looked up in a second one.
 *
 * Memory is seen in granules of 8 bytes. A granule whose block is handed out anew is another granule; since
 * both walks see the same records, the n-th granule made in one is the n-th made in the other. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct granule {
    uint16_t common;   /* the only thread that touched any byte, plus one; MIXED: see `owner` */
    uint16_t owner[8]; /* the first thread that touched the byte, plus one; only when mixed */
    uint8_t touched;
    uint8_t starts; /* bytes before which an access begins */
    uint8_t ends;   /* bytes after which an access ends */
    uint8_t shared; /* bytes touched by more than one thread */
    uint8_t written;
    uint32_t kept; /* second walk: where the numbers of its cells are, 0: none needed so far */
};

struct cells {
    struct cells_chunk **table; /* by 16 MiB of address space: number of each granule, 0: none */
    uint32_t *used;             /* which entries of the table there are */
    size_t used_count, used_capacity;
    struct granule *granules;
    size_t granules_count, granules_capacity;
    uint32_t next;     /* second walk: the number of the next new granule */
    uint32_t *numbers; /* eight for each granule with a cell that is kept */
    size_t numbers_count, numbers_capacity;
    bool surveying;
    uint64_t places; /* second walk: granules of the address space that had a cell that is kept */
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

/* First walk: an access. */
void cells_survey(struct cells *cells, uint64_t address, uint64_t length, uint32_t thread, bool write);

/* Both walks: the bytes are new variables from here on. */
void cells_renew(struct cells *cells, uint64_t address, uint64_t length);

/* Between the walks. */
void cells_rewind(struct cells *cells);

/* Second walk: whether all cells of the bytes are dropped; may say no where they are. */
bool cells_drop(struct cells *cells, uint64_t address, uint64_t length);

/* Second walk: the first cell of the bytes from `address` to `end`. */
struct cell cells_next(struct cells *cells, uint64_t address, uint64_t end);

/* Both walks: a number for the byte, never reused for another block's. */
uint64_t cells_id(struct cells *cells, uint64_t address);

/* After the first walk: how many cells there are that are dropped. */
uint64_t cells_dropped(const struct cells *cells);
