/* What the files about cells share: the table of granules by address; their pages, while they are surveyed, when they are put away,
 * when they are wanted again. */
#pragma once
#include "record/convert/cells.h"

enum { PAGE_BITS = 12, PAGE = 1 << PAGE_BITS };

enum {
    CHUNK_BITS = 24,
    CHUNK_GRANULES = 1 << (CHUNK_BITS - 3),
    GROUP = 1 << 10 /* granules that are known to have been touched or not */
};

/* 16 MiB of addresses. */
struct cells_chunk {
    uint32_t number[CHUNK_GRANULES];
    uint64_t placed[CHUNK_GRANULES / 64]; /* second walk: granules that had a cell that is kept, a bit each */
    bool any[CHUNK_GRANULES / GROUP];     /* some granule of the group has a number */
};

/* First walk. */
struct granule {
    uint16_t common;   /* the only thread that touched any byte, plus one; MIXED: see `owner` */
    uint16_t owner[8]; /* the first thread that touched the byte, plus one; only when mixed */
    uint8_t touched;
    uint8_t starts; /* bytes before which an access begins */
    uint8_t ends;   /* bytes after which an access ends */
    uint8_t written;
    uint8_t shared; /* bytes touched by more than one thread */
    uint32_t batch; /* the last one in which it was touched */
};

/* Second walk. */
struct kept_granules {
    struct boundaries {
        uint8_t starts, ends;
        uint8_t kept; /* bytes of cells that are not dropped */
    } of[PAGE];
    uint32_t numbers[PAGE]; /* where the numbers of its cells are, 0: none needed so far */
};

/* Makes the next granule; returns its number. */
uint32_t pages_make(struct cells *cells);

/* Nobody will touch the granule any more. */
void pages_retire(struct cells *cells, uint32_t number);

void pages_rewind(struct cells *cells);
void pages_free(struct cells *cells);
